import { backoff, sleep } from '@srr-gateway/common/time';
import { type Address, type Hex, keccak256 } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { chainId } from './anvil-command.ts';
import { type Failure, type FailureKind, failureReasons, readFailure, revertReason } from './failure.ts';
import type { Miner } from './miner.ts';
import type { NodeClient } from './node-client.ts';
import { stageTrouble, tooMuchGas } from './trouble.ts';

/** How a transaction ended. A failed one has no hash when the node would not even take it. */
export type TxOutcome =
  | { status: 'mined'; txHash: Hex; blockNumber: number }
  | { status: 'failed'; txHash?: Hex; reason: string };

export interface Call {
  to: Address;
  data: Hex;
}

/** Simulations that run at once: more only queue up inside the node. */
const maxSimulations = 8;

/** Asked before each attempt: what is to go wrong with it, if anything. */
export type Trouble = () => FailureKind | undefined;

/** Attempts for a failure that may pass: with the pauses below some two seconds in all. */
const defaultAttempts = 5;

/** What a block can cost at most is far below; the operator's funds are play money. */
const firstFees = { maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };

/** Where raising by guess ends; beyond it only the market's own price counts. */
const highestGuess = 320_000_000_000n;

/** Sends calls from one account: nonces in order, however many callers there are at once. */
export class Sender {
  readonly #client: NodeClient;
  readonly #miner: Miner;
  readonly #account: PrivateKeyAccount;
  /** Can be set at run time: how patient the service is with a failure that may pass. */
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

  /** Carries a call to its end: mined, or failed for good. Rejects only when the chain stops first. */
  async send(call: Call, trouble?: Trouble): Promise<TxOutcome> {
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#attempt(call, trouble?.());
      if (outcome.status === 'mined' || !retried(outcome) || attempt >= this.maxAttempts)
        return publicOutcome(outcome);
      await this.#mend(outcome);
      // The time of a block or two: by then a refill, a lower price or the right nonce can be there.
      await sleep(backoff(attempt - 1, { firstMs: 100, maxMs: 1_000 }));
    }
  }

  /** Sends without waiting for a block: for deployments, which are mined by who sends them. */
  submit(call: Call, gas: bigint, trouble?: FailureKind): Promise<Hex> {
    return this.#inTurn(() => this.#signAndSend(call, gas, trouble));
  }

  /** Runs a task while nothing is sent, and asks the node for the next nonce after it. */
  meanwhile<T>(task: () => Promise<T>): Promise<T> {
    return this.#inTurn(() =>
      task().finally(() => {
        this.#nonce = undefined;
      }),
    );
  }

  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const done = this.#lastSent.then(task);
    // The next one waits for this one, but does not inherit its failure.
    this.#lastSent = done.catch(() => {});
    return done;
  }

  async #attempt(call: Call, trouble: FailureKind | undefined): Promise<InnerOutcome> {
    let txHash: Hex;
    try {
      const gas = trouble === 'gasAllowance' ? tooMuchGas : await this.#simulate(call);
      txHash = await this.submit(call, gas, trouble);
    } catch (error) {
      return { status: 'failed', ...readFailure(error) };
    }
    const receipt = await this.#miner.receipt(txHash);
    if (!receipt) return { status: 'failed', txHash, kind: 'nonce', reason: failureReasons.nonce };
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
      // State may change before the block comes; a first write costs more than a later one.
      return (gas * 13n) / 10n;
    } finally {
      this.#simulating--;
      this.#waitingToSimulate.shift()?.();
    }
  }

  async #signAndSend(call: Call, gas: bigint, trouble: FailureKind | undefined): Promise<Hex> {
    this.#nonce ??= await this.#client.getTransactionCount({
      address: this.#account.address,
      blockTag: 'pending',
    });
    const send = () => this.#sendSigned(call, gas, this.#nonce as number);
    if (trouble === undefined) return send();
    const { stage, end } = stageTrouble(trouble, {
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
    await this.#client.sendRawTransaction({ serializedTransaction });
    this.#nonce = nonce + 1;
    return keccak256(serializedTransaction);
  }

  /** Puts right what made an attempt fail, as far as that is in a sender's power. */
  async #mend(failure: Failure): Promise<void> {
    // Somebody else may have sent with the same key: the node knows the next nonce.
    this.#nonce = undefined;
    if (failure.kind !== 'underpriced') return;
    const { baseFeePerGas } = await this.#client.getBlock({ blockTag: 'pending' });
    const doubled = least(this.#fees.maxFeePerGas * 2n, highestGuess);
    const market = (baseFeePerGas ?? 0n) * 2n;
    const maxFeePerGas = market > doubled ? market : doubled;
    this.#fees = {
      maxFeePerGas,
      maxPriorityFeePerGas: least(this.#fees.maxPriorityFeePerGas * 2n, maxFeePerGas),
    };
  }

  async #whyReverted(call: Call, blockNumber: number): Promise<string> {
    try {
      // After its own block the call fails for the same reason as in it.
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

const least = (one: bigint, other: bigint) => (one < other ? one : other);

type InnerOutcome = TxOutcome & Partial<Failure>;

/** The service retries three of the four failures by itself; a call that needs too much gas will not need less. */
function retried(failure: Partial<Failure>): failure is Failure {
  return failure.kind !== undefined && failure.kind !== 'gasAllowance';
}

function publicOutcome(outcome: InnerOutcome): TxOutcome {
  if (outcome.status === 'mined') return outcome;
  const { status, txHash, reason } = outcome;
  return { status, reason, ...(txHash && { txHash }) };
}
