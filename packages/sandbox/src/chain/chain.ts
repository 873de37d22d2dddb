import type { Logger } from '@srr-gateway/common/log';
import type { Abi, Address, Hex } from 'viem';
import { chainId } from './anvil-command.ts';
import { type AnvilProcess, findAnvil, startAnvil } from './anvil-process.ts';
import { type Deployment, planDeployment } from './deployment.ts';
import { refill } from './fault-injection.ts';
import { Miner, type OnBlock } from './miner.ts';
import { type NodeClient, nodeClient, nodeRpc } from './node-client.ts';
import { type Issue, type LicensedUser, type NewCollection, Operator } from './operator.ts';
import { type PlayAccounts, playAccounts } from './play-accounts.ts';
import { type Replaced, replaceBlocks } from './reorganise.ts';
import { type NextFailure, Sender, type TxOutcome } from './sender.ts';

interface ChainOptions {
  /** Directory for the chain's state, its log and its process id. */
  stateDir: string;
  /** 0 lets the node choose a free port. */
  port: number;
  miningIntervalMs: number;
  log: Logger;
}

/** A development chain with the registry's contracts, and the one operator account that calls them. */
export interface Chain {
  readonly rpcUrl: string;
  readonly chainId: number;
  readonly registryAddress: Address;
  readonly deployment: Deployment;
  readonly accounts: PlayAccounts;
  readonly client: NodeClient;
  /** Height of the stored chain before this start. An earlier process may have mined later blocks, which are lost. */
  readonly heightAtStart: number;

  /**
   * Creates a licensed user's wallet, or returns the one that this salt gave before. Throws when it fails.
   */
  registerLicensedUser(user: LicensedUser): Promise<Address>;
  /** The address of the collection with this salt, deployed or not. */
  predictCollection(salt: Hex): Address;
  createCollection(collection: NewCollection): Promise<TxOutcome>;
  /** Resolves when the transaction is mined or has failed; rejects only when the chain stops before that. */
  issue(issue: Issue, nextFailure?: NextFailure): Promise<TxOutcome>;
  /**
   * Whether a token exists. Nothing is pending after a start, so `false` means then that it was never issued.
   */
  issued(contract: Address, tokenId: string): Promise<boolean>;
  /** Calls a contract as the operator. */
  write(call: {
    address: Address;
    abi: Abi;
    functionName: string;
    args?: readonly unknown[];
  }): Promise<TxOutcome>;

  setMiningInterval(ms: number): void;
  /** How often a transaction is tried before a transient failure counts as final. */
  setAttempts(attempts: number): void;
  /**
   * Replaces the last `depth` blocks with empty ones of the same heights. Their transactions return to the
   * pool (`again`) or are `lost`. Throws when the node no longer has the states of that many blocks.
   */
  reorganise(depth: number, transactions: 'again' | 'lost'): Promise<Replaced>;
  /** Mines pending transactions now instead of at the next interval. */
  mine(): Promise<void>;
  /** Calls back with the chain's height whenever its head changed; returns a function that unsubscribes. */
  onBlock(listener: OnBlock): () => void;
  /** Stops the node; its state is on disk when this resolves. */
  stop(): Promise<void>;
}

/** Starts the chain on its stored state, or adopts the node that a killed process left running. */
export async function startChain(options: ChainOptions): Promise<Chain> {
  const accounts = playAccounts();
  const deployment = planDeployment(accounts.operator.address);
  const anvil =
    (await adoptAnvil(options, deployment)) ??
    (await startAnvil(options.stateDir, options.port, options.log));
  const rpcUrl = rpcUrlOf(anvil);
  const client = nodeClient(rpcUrl);
  const rpc = nodeRpc(client);
  const miner = new Miner(client, rpc, options.miningIntervalMs, options.log);
  const sender = new Sender(client, miner, accounts.operator.privateKey);
  const operator = new Operator({ client, rpc, sender, deployment });
  let heightAtStart: number;
  try {
    heightAtStart = Number(await client.getBlockNumber({ cacheTime: 0 }));
    await refill(client, accounts.operator.address);
    await operator.deploy();
    await miner.start();
  } catch (error) {
    await anvil.stop();
    throw error;
  }
  const trimming = miner.onBlock(() => anvil.truncateLog());
  return {
    rpcUrl,
    chainId,
    registryAddress: deployment.registry,
    deployment,
    accounts,
    client,
    heightAtStart,
    registerLicensedUser: (user) => operator.registerLicensedUser(user),
    predictCollection: (salt) => operator.predictCollection(salt),
    createCollection: (collection) => operator.createCollection(collection),
    issue: (issue, nextFailure) => operator.issue(issue, nextFailure),
    issued: (contract, tokenId) => operator.issued(contract, tokenId),
    write: (call) => operator.write(call),
    setMiningInterval: (ms) => miner.setInterval(ms),
    setAttempts: (attempts) => {
      sender.maxAttempts = attempts;
    },
    reorganise: async (depth, transactions) => {
      const replaced = await sender.pauseDuring(() =>
        miner.pauseDuring(() => replaceBlocks(client, depth, transactions)),
      );
      miner.notify(replaced.head);
      return replaced;
    },
    mine: () => miner.mine(),
    onBlock: (listener) => miner.onBlock(listener),
    stop: async () => {
      trimming();
      await miner.stop();
      await anvil.stop();
    },
  };
}

/**
 * Adopts a leftover node only when its port, chain id and contracts
 * are what a new one would have; else ends it.
 */
async function adoptAnvil(options: ChainOptions, deployment: Deployment): Promise<AnvilProcess | undefined> {
  const anvil = findAnvil(options.stateDir);
  if (!anvil) return undefined;
  const fits =
    anvil.port !== 0 &&
    (options.port === 0 || options.port === anvil.port) &&
    (await answers(anvil, deployment));
  options.log.info(
    { pid: anvil.pid, port: anvil.port, adopted: fits },
    'found a chain left by an earlier run',
  );
  if (fits) return anvil;
  await anvil.stop();
  return undefined;
}

async function answers(anvil: AnvilProcess, deployment: Deployment): Promise<boolean> {
  const client = nodeClient(rpcUrlOf(anvil));
  try {
    // The address is derived from the code: any code there is the code that we would deploy.
    return (await client.getChainId()) === chainId && (await nodeRpc(client).hasCode(deployment.registry));
  } catch {
    return false;
  }
}

function rpcUrlOf(anvil: AnvilProcess): string {
  return `http://127.0.0.1:${anvil.port}`;
}
