import { type Address, type Hex, keccak256, parseEther, toHex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { blockGasLimit, chainId } from './anvil-command.ts';
import type { FailureKind } from './failure.ts';
import type { Miner } from './miner.ts';
import type { NodeClient } from './node-client.ts';

/** Twice the gas of a block, so that the node refuses the call. */
export const tooMuchGas = BigInt(blockGasLimit) * 2n;

/** Gas of a plain transfer. */
const transferGas = 21_000n;

/**
 * A balance below this was left by a process that died during an `outOfFunds` fault; it would not last long.
 */
const poor = parseEther('1000');
const refilled = parseEther('1000000');

/** What a fault needs to prepare its failure; fees in wei per gas. */
interface Stage {
  client: NodeClient;
  miner: Miner;
  account: PrivateKeyAccount;
  /** The nonce of the next transaction. */
  nonce: number;
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}

/**
 * Prepares the chain so that the node itself refuses the next transaction: call `stage` before it is sent and
 * `end` after. Nothing else is mined or sent while the operator has no funds or another transaction in the
 * pool has its nonce, so no other record is affected.
 */
export function stageFailure(
  kind: FailureKind,
  stage: Stage,
): { stage(): Promise<void>; end(): Promise<void> } {
  const { client, miner, account } = stage;
  switch (kind) {
    case 'outOfFunds': {
      let balance = refilled;
      return held(
        miner,
        async () => {
          balance = await client.getBalance({ address: account.address });
          await setBalance(client, account.address, 0n);
        },
        () => setBalance(client, account.address, balance),
      );
    }
    case 'underpriced':
      // Another transaction with the same nonce is in the pool, at a price that ours does not beat.
      return held(
        miner,
        async () => {
          await sendFromElsewhere(stage, 10n);
        },
        async () => {},
      );
    case 'nonce':
      return {
        stage: async () => {
          const txHash = await sendFromElsewhere(stage, 1n);
          // Await both together: a rejected receipt that nobody awaits would end the process.
          await Promise.all([miner.receipt(txHash), miner.mine()]);
        },
        end: async () => {},
      };
    case 'gasAllowance':
      // Nothing to prepare: the call itself requests `tooMuchGas`.
      return { stage: async () => {}, end: async () => {} };
  }
}

/** Restores the operator's funds when a killed process left it with next to none. */
export async function refill(client: NodeClient, operator: Address): Promise<void> {
  if ((await client.getBalance({ address: operator })) < poor) await setBalance(client, operator, refilled);
}

/** Blocks mining from `stage`, which runs `begin`, to `end`, which runs `undo`. */
function held(
  miner: Miner,
  begin: () => Promise<void>,
  undo: () => Promise<void>,
): { stage(): Promise<void>; end(): Promise<void> } {
  const staged = Promise.withResolvers<void>();
  const faultEnd = Promise.withResolvers<void>();
  let still: Promise<void> = Promise.resolve();
  return {
    stage: () => {
      still = miner.pauseDuring(async () => {
        try {
          await begin();
        } catch (error) {
          staged.reject(error);
          return;
        }
        staged.resolve();
        await faultEnd.promise;
      });
      return staged.promise;
    },
    end: async () => {
      try {
        await undo();
      } finally {
        // A fault that cannot be undone must not stop mining for ever.
        faultEnd.resolve();
        await still;
      }
    },
  };
}

/**
 * Simulates another program with the operator's key: sends a transfer to itself that takes the next nonce.
 */
async function sendFromElsewhere(stage: Stage, priceFactor: bigint): Promise<Hex> {
  const { client, account, nonce, maxFeePerGas, maxPriorityFeePerGas } = stage;
  const serializedTransaction = await account.signTransaction({
    to: account.address,
    gas: transferGas,
    maxFeePerGas: maxFeePerGas * priceFactor,
    maxPriorityFeePerGas: maxPriorityFeePerGas * priceFactor,
    chainId,
    nonce,
    type: 'eip1559',
  });
  await client.sendRawTransaction({ serializedTransaction });
  return keccak256(serializedTransaction);
}

function setBalance(client: NodeClient, address: Address, wei: bigint): Promise<void> {
  return client.request<{
    Method: 'anvil_setBalance';
    Parameters: [Address, Hex];
    ReturnType: undefined;
  }>({ method: 'anvil_setBalance', params: [address, toHex(wei)] });
}
