import { backoff, sleep } from '@srr-gateway/common/time';
import { type Address, type Hex, keccak256 } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { chainId } from './anvil-command.ts';
import {
  type Failure,
  type FailureKind,
  failureReasons,
  isUnanswered,
  readFailure,
  revertReason,
} from './failure.ts';
import { stageFailure, tooMuchGas } from './fault-injection.ts';
import type { Miner } from './miner.ts';
import type { NodeClient } from './node-client.ts';

/** How a transaction ended. A failed one has no hash when the node refused to accept it. */
export type TxOutcome =
  | { status: 'mined'; txHash: Hex; blockNumber: number }
  | { status: 'failed'; txHash?: Hex; reason: string };

/** A contract call; `data` is ABI-encoded. */
export interface Call {
  to: Address;
  data: Hex;
}

/** Simulations (gas estimates) at once: more would only queue inside the node. */
const maxSimulations = 8;

/**
 * Called before each attempt. Returns the failure to inject, if any. `previous` is the reason of the last failure. If
 * it throws, nothing more is sent.
 */
export type NextFailure = (previous?: string) => FailureKind | undefined | Promise<FailureKind | undefined>;

/** Attempts for a transient failure. The pauses between five attempts add up to 0.75 to 1.5 s. */
const defaultAttempts = 5;

/** In wei per gas: far above the most a block charges. The operator's funds are play money. */
const firstFees = { maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };

/** Doubling the fee stops here, in wei per gas; only the pending block's base fee raises it further. */
const highestGuess = 320_000_000_000n;

/** Sends calls from one account and keeps its nonces in order, however many callers there are at once. */
export class Sender {
  readonly #client: NodeClient;
  readonly #miner: Miner;
  readonly #account: PrivateKeyAccount;
  /** Attempts before a transient failure counts as final; can be set at run time. */
  maxAttempts = defaultAttempts;
  #nonce: number | undefined;
  #fees = firstFees;
  #lastSent: Promise<unknown> = Promise.resolve();
  #simulating = 0;
  readonly #waitingToSimulate: (() => void)[] = [];

  constructor(client: NodeClient, miner: Miner, privateKey: Hex) {
    this.#client = client;
    this.#miner = miner;
    this.#account = privateKeyToAccount(privateKey);
  }

  /**
   * Sends a call and retries until it is mined or has failed for
   * good. Rejects only when the chain stops first, or with what `nextFailure` throws.
   */
  async send(call: Call, nextFailure?: NextFailure): Promise<TxOutcome> {
    let previous: string | undefined;
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#attempt(call, await nextFailure?.(previous));
      if (outcome.status === 'mined' || !outcome.transient || attempt >= this.maxAttempts)
        return publicOutcome(outcome);
      previous = outcome.reason;
      await this.#prepareRetry(outcome);
      // Wait for a block or two: by then the account may be refilled, the price lower or the nonce right.
      await sleep(backoff(attempt - 1, { firstMs: 100, maxMs: 1_000 }));
    }
  }

  /**
   * Sends without waiting for a block, and gives the hash; the caller
   * of a deployment mines it. Throws when refused.
   */
  submit(call: Call, gas: bigint, failure?: FailureKind): Promise<Hex> {
    return this.#serially(() =>
      this.#signAndSend(call, gas, failure).catch((error: unknown) => {
        // Another transaction may have taken the nonce; the next call in the queue must not use it again.
        this.#nonce = undefined;
        throw error;
      }),
    );
  }

  /**
   * Runs a task while nothing is sent, then forgets the nonce: the
   * task (a reorganisation) may have changed it.
   */
  pauseDuring<T>(task: () => Promise<T>): Promise<T> {
    return this.#serially(() =>
      task().finally(() => {
        this.#nonce = undefined;
      }),
    );
  }

  #serially<T>(task: () => Promise<T>): Promise<T> {
    const done = this.#lastSent.then(task);
    // The next task waits for this one; a failure of this one must not fail it.
    this.#lastSent = done.catch(() => {});
    return done;
  }

  async #attempt(call: Call, failure: FailureKind | undefined): Promise<InnerOutcome> {
    let txHash: Hex;
    try {
      const gas = failure === 'gasAllowance' ? tooMuchGas : await this.#simulate(call);
      txHash = await this.submit(call, gas, failure);
    } catch (error) {
      return { status: 'failed', ...readFailure(error) };
    }
    const receipt = await this.#miner.receipt(txHash);
    if (!receipt)
      return { status: 'failed', txHash, kind: 'nonce', reason: failureReasons.nonce, transient: true };
    const { blockNumber } = receipt;
    if (receipt.succeeded) return { status: 'mined', txHash, blockNumber };
    return { status: 'failed', txHash, reason: await this.#whyReverted(call, blockNumber) };
  }

  async #simulate(call: Call): Promise<bigint> {
    if (this.#simulating >= maxSimulations) {
      await new Promise<void>((resolve) => this.#waitingToSimulate.push(resolve));
    }
    this.#simulating++;
    try {
      const gas = await this.#client.estimateGas({ ...call, account: this.#account.address });
      // Add 30%: the state may change before the block, and a first
      // write to a slot costs more than a later one.
      return (gas * 13n) / 10n;
    } finally {
      this.#simulating--;
      this.#waitingToSimulate.shift()?.();
    }
  }

  async #signAndSend(call: Call, gas: bigint, failure: FailureKind | undefined): Promise<Hex> {
    this.#nonce ??= await this.#client.getTransactionCount({
      address: this.#account.address,
      blockTag: 'pending',
    });
    const send = () => this.#sendSigned(call, gas, this.#nonce as number);
    if (failure === undefined) return send();
    const { stage, end } = stageFailure(failure, {
      client: this.#client,
      miner: this.#miner,
      account: this.#account,
      nonce: this.#nonce,
      ...this.#fees,
    });
    await stage();
    return send().finally(end);
  }

  async #sendSigned(call: Call, gas: bigint, nonce: number): Promise<Hex> {
    const serializedTransaction = await this.#account.signTransaction({
      ...call,
      ...this.#fees,
      gas,
      chainId,
      nonce,
      type: 'eip1559',
    });
    await this.#client.sendRawTransaction({ serializedTransaction }).catch((error: unknown) => {
      // The node may have accepted it. If not, the miner finds it missing, and it is sent again.
      if (!isUnanswered(error)) throw error;
    });
    this.#nonce = nonce + 1;
    return keccak256(serializedTransaction);
  }

  /** Prepares the next attempt: reads the nonce again, and raises the fee of an underpriced transaction. */
  async #prepareRetry(failure: Partial<Failure>): Promise<void> {
    // Another program may have sent with the same key, so ask the node for the next nonce.
    this.#nonce = undefined;
    if (failure.kind !== 'underpriced') return;
    const { baseFeePerGas } = await this.#client.getBlock({ blockTag: 'pending' });
    const doubled = smaller(this.#fees.maxFeePerGas * 2n, highestGuess);
    const market = (baseFeePerGas ?? 0n) * 2n;
    const maxFeePerGas = market > doubled ? market : doubled;
    this.#fees = {
      maxFeePerGas,
      maxPriorityFeePerGas: smaller(this.#fees.maxPriorityFeePerGas * 2n, maxFeePerGas),
    };
  }

  async #whyReverted(call: Call, blockNumber: number): Promise<string> {
    try {
      // Repeat the call on the state after its block: it reverts there for the same reason.
      const { data } = await this.#client.call({
        ...call,
        account: this.#account.address,
        blockNumber: BigInt(blockNumber),
      });
      return (data && revertReason(data)) ?? 'execution reverted';
    } catch (error) {
      return readFailure(error).reason;
    }
  }
}

const smaller = (one: bigint, other: bigint) => (one < other ? one : other);

type InnerOutcome = TxOutcome & Partial<Failure>;

function publicOutcome(outcome: InnerOutcome): TxOutcome {
  if (outcome.status === 'mined') return outcome;
  const { status, txHash, reason } = outcome;
  return { status, reason, ...(txHash && { txHash }) };
}
