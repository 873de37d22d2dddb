import {
  type Abi,
  type Address,
  concat,
  encodeDeployData,
  getContractAddress,
  type Hex,
  keccak256,
  zeroHash,
} from 'viem';
import {
  collectionAbi,
  collectionFactoryAbi,
  customHistoriesAbi,
  licensedUserManagerAbi,
  licensedUserWalletAbi,
  registryAbi,
} from './artifacts/abis.ts';
import * as bytecodes from './artifacts/bytecodes.ts';

/**
 * The CREATE2 factory that development chains have built in: the
 * address it deploys to depends on the code alone.
 */
const create2Deployer: Address = '0x4e59b44847b379578588920cA78FbF26c0B4956C';

/** The addresses of our contracts; they depend only on the contracts' code and the operator. */
export interface Deployment {
  licensedUserManager: Address;
  registry: Address;
  collectionFactory: Address;
  customHistories: Address;
  walletImplementation: Address;
  collectionImplementation: Address;
  /** The transactions that deploy the contracts, in any order. */
  transactions: readonly { to: Address; data: Hex; creates: Address }[];
}

/** Calculates the contracts' addresses and the transactions that deploy them; sends nothing. */
export function planDeployment(operator: Address): Deployment {
  const transactions: { to: Address; data: Hex; creates: Address }[] = [];
  const plan = (abi: Abi, bytecode: Hex, args: readonly unknown[] = []): Address => {
    const code = encodeDeployData({ abi, bytecode, args });
    const creates = getContractAddress({
      opcode: 'CREATE2',
      from: create2Deployer,
      salt: zeroHash,
      bytecode: code,
    });
    transactions.push({ to: create2Deployer, data: concat([zeroHash, code]), creates });
    return creates;
  };
  const walletImplementation = plan(licensedUserWalletAbi, bytecodes.licensedUserWallet);
  const licensedUserManager = plan(licensedUserManagerAbi, bytecodes.licensedUserManager, [
    operator,
    walletImplementation,
  ]);
  const registry = plan(registryAbi, bytecodes.registry, [licensedUserManager]);
  const collectionImplementation = plan(collectionAbi, bytecodes.collection);
  const collectionFactory = plan(collectionFactoryAbi, bytecodes.collectionFactory, [
    licensedUserManager,
    collectionImplementation,
  ]);
  const customHistories = plan(customHistoriesAbi, bytecodes.customHistories, [licensedUserManager]);
  return {
    licensedUserManager,
    registry,
    collectionFactory,
    customHistories,
    walletImplementation,
    collectionImplementation,
    transactions,
  };
}

/** The address of the minimal proxy that `factory` creates for `implementation` with `salt`. */
export function cloneAddress(factory: Address, implementation: Address, salt: Hex): Address {
  // Creation code of an ERC-1167 minimal proxy.
  const bytecode = concat([
    '0x3d602d80600a3d3981f3363d3d373d3d3d363d73',
    implementation,
    '0x5af43d82803e903d91602b57fd5bf3',
  ]);
  return getContractAddress({ opcode: 'CREATE2', from: factory, salt, bytecodeHash: keccak256(bytecode) });
}
