import type { Logger } from './log.ts';
import { OutageLog } from './outage-log.ts';
import { reasonOf } from './start-error.ts';
import { backoff, sleep } from './time.ts';

/** Called with messages of other members, and without messages after a gap, in which some may have been missed. */
export type OnMessages = (messages?: readonly string[]) => void;

/** Carries short messages to all other members. A message may get lost. */
export interface Channel {
  send(messages: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** One connection of a channel. */
export interface Link extends Channel {
  /** Resolves when the connection has ended, with the error if there was one. */
  ended: Promise<unknown>;
}

/** Parts of a reconnecting channel. */
export interface ReconnectingOptions {
  open: () => Promise<Link>;
  onMessages: OnMessages;
  log: Logger;
  /** The line to log when the connection is lost or refused. */
  lost: string;
}

/** Sending takes a millisecond. A connection that takes this long counts as dead, and is replaced. */
export const answerTimeoutMs = 5_000;
/** The interval of keep-alive probes on a silent connection: by default the system waits hours. */
export const keepAliveMs = 10_000;
/** A server restart takes a second or two: retry soon, then every 5 s. */
const pauses = { firstMs: 100, maxMs: 5_000 };

/** A channel that reconnects after each break. Messages sent in between are lost. */
export class ReconnectingChannel implements Channel {
  readonly #options: ReconnectingOptions;
  readonly #outage: OutageLog;
  readonly #closing = new AbortController();
  #link: Link | undefined;

  /** Without `first`, the first connection is opened in the background too. */
  constructor(options: ReconnectingOptions, first?: Link) {
    this.#options = options;
    this.#outage = new OutageLog(options.log, options.lost);
    void this.#keepOpen(first);
  }

  async #keepOpen(first: Link | undefined): Promise<void> {
    const { signal } = this.#closing;
    if (first) await this.#use(first);
    for (let attempt = 0; !signal.aborted; attempt++)
      try {
        if (attempt > 0 || first) await sleep(backoff(attempt, pauses), signal);
        const link = await this.#options.open();
        const openedAt = Date.now();
        this.#outage.succeeded();
        const ended = this.#use(link);
        this.#options.onMessages();
        await ended;
        // Back off from a connection that ends at once, such as one whose user may not publish.
        if (Date.now() - openedAt > pauses.maxMs) attempt = 0;
      } catch (error) {
        this.#failed(error);
      }
  }

  /** Uses a connection until it ends. */
  async #use(link: Link): Promise<void> {
    if (this.#closing.signal.aborted) return link.close();
    this.#link = link;
    const error = await link.ended;
    this.#link = undefined;
    this.#failed(error ?? 'the connection ended');
  }

  /** Logs only the message: a driver's error may have the command with its password as a property. */
  #failed(error: unknown): void {
    if (!this.#closing.signal.aborted) this.#outage.failed(new Error(reasonOf(error)));
  }

  async send(messages: readonly string[]): Promise<void> {
    const link = this.#link;
    // A connection that cannot send may be dead without having ended, so end it.
    await link?.send(messages).catch((error: unknown) => {
      this.#failed(error);
      return link.close().catch(() => {});
    });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#link?.close();
  }
}
