import {
  type Abi,
  type Address,
  encodeFunctionData,
  type Hex,
  isAddressEqual,
  parseAbi,
  zeroAddress,
} from 'viem';
import { collectionFactoryAbi, licensedUserManagerAbi, registryAbi } from './artifacts/abis.ts';
import { cloneAddress, type Deployment } from './deployment.ts';
import type { NodeClient, NodeRpc } from './node-client.ts';
import type { NextFailure, Sender, TxOutcome } from './sender.ts';
import { isLegacyDigest } from './token-id.ts';

export interface LicensedUser {
  englishName: string;
  originalName: string;
  userType: (typeof userTypes)[number];
  owners: readonly Address[];
  /** How many of the owners must agree. */
  threshold: number;
  /** 32 bytes; the wallet's address is derived from them. */
  salt: Hex;
}

export interface NewCollection {
  owner: Address;
  name: string;
  symbol: string;
  salt: Hex;
}

/** One record to issue. */
export interface Issue {
  issuer: Address;
  artist: Address;
  isPrimaryIssuer: boolean;
  lockExternalTransfer: boolean;
  /** A CID; for records in the form used before 2023 a 0x digest (registry only). */
  metadataCID: string;
  /** Receives the record after minting; the issuer keeps it when absent. */
  to?: Address | undefined;
  /** The registry when absent. */
  collection?: Address | undefined;
  royalty?: { receiver: Address; basisPoints: number } | undefined;
}

/** Twice what our largest contract costs (some four million); the limit of a transaction is 2^24. */
const deploymentGas = 8_000_000n;

/** In the order of the enum in the contract. */
export const userTypes = ['handler', 'artist'] as const;

const anyToken = parseAbi(['function ownerOf(uint256) view returns (address)']);

interface OperatorOptions {
  client: NodeClient;
  rpc: NodeRpc;
  sender: Sender;
  deployment: Deployment;
}

/** Calls the contracts with the operator's account. See `Chain` for what each method promises. */
export class Operator {
  readonly #client: NodeClient;
  readonly #rpc: NodeRpc;
  readonly #sender: Sender;
  readonly #deployment: Deployment;

  constructor({ client, rpc, sender, deployment }: OperatorOptions) {
    this.#client = client;
    this.#rpc = rpc;
    this.#sender = sender;
    this.#deployment = deployment;
  }

  /** Deploys the missing contracts in one block. Throws when the registry is not there afterwards. */
  async deploy(): Promise<void> {
    const present = await Promise.all(
      this.#deployment.transactions.map(({ creates }) => this.#rpc.hasCode(creates)),
    );
    const missing = this.#deployment.transactions.filter((_, index) => !present[index]);
    if (missing.length === 0) return;
    await Promise.all(missing.map((transaction) => this.#sender.submit(transaction, deploymentGas)));
    const { timestamp } = await this.#client.getBlock({ blockTag: 'latest' });
    await this.#rpc.mine(Math.max(Math.floor(Date.now() / 1000), Number(timestamp) + 1));
    if (!(await this.#rpc.hasCode(this.#deployment.registry))) {
      throw new Error('The registry could not be deployed; see anvil.log in the state directory.');
    }
  }

  async registerLicensedUser(user: LicensedUser): Promise<Address> {
    const { licensedUserManager, walletImplementation } = this.#deployment;
    const wallet = cloneAddress(licensedUserManager, walletImplementation, user.salt);
    if (await this.#rpc.hasCode(wallet)) return wallet;
    const profile = {
      englishName: user.englishName,
      originalName: user.originalName,
      userType: userTypes.indexOf(user.userType),
    };
    const outcome = await this.write({
      address: licensedUserManager,
      abi: licensedUserManagerAbi,
      functionName: 'register',
      args: [profile, user.owners, BigInt(user.threshold), user.salt],
    });
    // Another process may have registered the same salt meanwhile: it is a failure only when there is no
    // wallet.
    if (outcome.status === 'failed' && !(await this.#rpc.hasCode(wallet))) {
      throw new Error(`The licensed user ${user.englishName} could not be registered: ${outcome.reason}`);
    }
    return wallet;
  }

  predictCollection(salt: Hex): Address {
    const { collectionFactory, collectionImplementation } = this.#deployment;
    return cloneAddress(collectionFactory, collectionImplementation, salt);
  }

  createCollection({ owner, name, symbol, salt }: NewCollection): Promise<TxOutcome> {
    return this.write({
      address: this.#deployment.collectionFactory,
      abi: collectionFactoryAbi,
      functionName: 'create',
      args: [owner, name, symbol, salt],
    });
  }

  async issue(issue: Issue, nextFailure?: NextFailure): Promise<TxOutcome> {
    // A call to an address without a contract succeeds, but mints nothing.
    if (issue.collection && !(await this.#hasPendingCode(issue.collection)))
      return { status: 'failed', reason: 'a reorganisation has removed the collection' };
    const legacy = isLegacyDigest(issue.metadataCID);
    const record = {
      issuer: issue.issuer,
      artist: issue.artist,
      to: issue.to ?? zeroAddress,
      isPrimaryIssuer: issue.isPrimaryIssuer,
      lockExternalTransfer: issue.lockExternalTransfer,
      metadataCID: legacy ? '' : issue.metadataCID,
      royaltyReceiver: issue.royalty?.receiver ?? zeroAddress,
      royaltyBasisPoints: BigInt(issue.royalty?.basisPoints ?? 0),
    };
    return this.write(
      {
        address: issue.collection ?? this.#deployment.registry,
        abi: registryAbi,
        functionName: legacy ? 'createWithDigest' : 'create',
        args: legacy ? [record, issue.metadataCID] : [record],
      },
      nextFailure,
    );
  }

  /** Includes a contract that the next block creates. */
  async #hasPendingCode(address: Address): Promise<boolean> {
    const code = await this.#client.getCode({ address, blockTag: 'pending' });
    return code !== undefined && code !== '0x';
  }

  async issued(contract: Address, tokenId: string): Promise<boolean> {
    if (!(await this.#rpc.hasCode(contract))) return false;
    const owner = await this.#client
      .readContract({ address: contract, abi: anyToken, functionName: 'ownerOf', args: [BigInt(tokenId)] })
      .catch((error: unknown) => {
        // A missing token reverts. Rethrow any other error: a dead node must not look like a missing token.
        if (/revert/i.test(String(error))) return zeroAddress;
        throw error;
      });
    return !isAddressEqual(owner, zeroAddress);
  }

  async write(
    call: {
      address: Address;
      abi: Abi | readonly unknown[];
      functionName: string;
      args?: readonly unknown[];
    },
    nextFailure?: NextFailure,
  ): Promise<TxOutcome> {
    const { address, functionName, args = [] } = call;
    const data = encodeFunctionData({ abi: call.abi as Abi, functionName, args });
    return this.#sender.send({ to: address, data }, nextFailure);
  }
}
