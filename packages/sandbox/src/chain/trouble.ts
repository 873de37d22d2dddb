import { type Address, type Hex, keccak256, parseEther, toHex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { blockGasLimit, chainId } from './anvil-command.ts';
import type { FailureKind } from './failure.ts';
import type { Miner } from './miner.ts';
import type { NodeClient } from './node-client.ts';

/** What a call needs that no block has room for. */
export const tooMuchGas = BigInt(blockGasLimit) * 2n;

/** A plain transfer. */
const transferGas = 21_000n;

/** Below this the operator cannot issue for long: a process died while it kept the operator poor. */
const poor = parseEther('1000');
const refilled = parseEther('1000000');

export interface Stage {
  client: NodeClient;
  miner: Miner;
  account: PrivateKeyAccount;
  /** That the next transaction is going to have. */
  nonce: number;
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}

/**
 * Brings about what makes the node itself refuse the next transaction. Nothing else is mined or sent while
 * the operator is poor or its nonce is contested, so no other record is hit.
 */
export function stageTrouble(
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
      // Somebody holds the place in the pool, at a price that ours does not beat.
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
          const mined = miner.receipt(await sendFromElsewhere(stage, 1n));
          await miner.mine();
          await mined;
        },
        end: async () => {},
      };
    case 'gasAllowance':
      // The call asks for `tooMuchGas`, and needs no more.
      return { stage: async () => {}, end: async () => {} };
  }
}

/** Gives the operator its funds back when it has next to none. */
export async function refill(client: NodeClient, operator: Address): Promise<void> {
  if ((await client.getBalance({ address: operator })) < poor) await setBalance(client, operator, refilled);
}

/** From the staging to its end no block is mined. */
function held(
  miner: Miner,
  begin: () => Promise<void>,
  mend: () => Promise<void>,
): { stage(): Promise<void>; end(): Promise<void> } {
  const staged = Promise.withResolvers<void>();
  const ending = Promise.withResolvers<void>();
  let still: Promise<void> = Promise.resolve();
  return {
    stage: () => {
      still = miner.still(async () => {
        try {
          await begin();
        } catch (error) {
          staged.reject(error);
          return;
        }
        staged.resolve();
        await ending.promise;
      });
      return staged.promise;
    },
    end: async () => {
      await mend();
      ending.resolve();
      await still;
    },
  };
}

/** Somebody else with the operator's key: a transfer to itself with the nonce that is next. */
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
