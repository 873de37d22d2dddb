import { type TypedDocument, textOf } from './document.ts';
import { hasUnknownOutcome } from './errors.ts';
import { GatewayError, NoAnswerError } from './gateway-error.ts';
import { events, headCursor } from './generated/operations.ts';
import type { EventFilter, EventStart, EventsSubscription, HeadCursorQuery } from './generated/types.ts';
import { type Operation, type RawResult, type Result, resultOf } from './http.ts';
import { assertSignal, pause, type Retry, type RetryOptions, waitFor } from './retry.ts';
import type { Subscribe } from './sse.ts';

/** An event of the log, with the fields that the client selects. */
export type GatewayEvent = EventsSubscription['events'];

/** Options of `follow`. */
export interface FollowOptions<Event> {
  /** The cursor of the event that you processed last, as `save` got it. */
  after?: string | null | undefined;
  /** Where to start without a cursor. The default is NOW. */
  from?: EventStart | undefined;
  where?: EventFilter | undefined;
  /** Called for each event, in order and one at a time. If it throws, `follow` rejects with that error. */
  onEvent: (event: Event, about: { errors: readonly GatewayError[] }) => unknown;
  /**
   * Called with the event's cursor after `onEvent`, and with the first position of a start from NOW. Store it, to
   * pass it as `after` at your next start.
   */
  save?: ((cursor: string) => unknown) | undefined;
  /** Ends the subscription; the promise then resolves. */
  signal?: AbortSignal | undefined;
  /** Called before each reconnection. */
  onRetry?: ((retry: Retry) => void) | undefined;
  /** Another transport than the client's. */
  subscribe?: Subscribe | undefined;
}

/** How many cursors to remember, to skip events that a reconnection repeats. */
const maxSeen = 1_000;

/**
 * Replays the log and follows it, and reconnects as often as needed. Ends with the signal, or with an error that a
 * new connection would not solve.
 */
export async function follow<Event>(
  deps: {
    subscribe: Subscribe;
    query: (operation: Operation, options: RetryOptions) => Promise<Result<unknown>>;
  },
  options: FollowOptions<Event>,
  document: TypedDocument<Record<string, Event>, never> | string = events as never,
): Promise<void> {
  const { where, onEvent, save, onRetry } = options;
  const signal = options.signal ?? new AbortController().signal;
  // Fail now instead of at the first event, which may be days away.
  if (typeof onEvent !== 'function') throw new TypeError('follow needs `onEvent`, a function.');
  assertSignal(signal);
  const subscribe = options.subscribe ?? deps.subscribe;
  const query = textOf(document);
  // GraphQL ignores variables that the document does not have, so events would be missed silently.
  for (const [name, value] of Object.entries({ after: 'always', from: options.from, where }))
    if (value != null && !new RegExp(`\\$${name}\\b`).test(query))
      throw new TypeError(`The document must pass \`$${name}\` to the field that it subscribes to.`);
  const seen = new Set<string>();
  let after = options.after ?? undefined;
  let attempt = 0;
  let callbackFailed = false;
  try {
    while (!signal.aborted) await connect().catch(recover);
  } catch (error) {
    if (!signal.aborted) throw error;
  }

  /** Subscribes once, from the last event on. */
  async function connect(): Promise<void> {
    // A subscription from NOW that breaks before its first event would leave a gap, so fix its position first.
    if (after === undefined && (options.from ?? 'NOW') === 'NOW') await advance(await head());
    const variables = { after, from: options.from, where };
    for await (const result of subscribe({ query, variables }, signal)) await handle(result);
    await pause(250, signal);
  }

  /** Waits before the next connection. @throws an error that a new connection would not solve. */
  async function recover(thrown: unknown): Promise<void> {
    const error = failureOf(thrown);
    if (signal.aborted || callbackFailed || !mayReconnect(error)) throw thrown;
    const waitMs = waitFor(error, ++attempt);
    onRetry?.({ error, attempt, waitMs });
    await pause(waitMs, signal);
  }

  async function head(): Promise<string> {
    const { data, errors } = await deps.query({ query: headCursor, variables: {} }, { signal, onRetry });
    const { events: log } = data as HeadCursorQuery;
    if (!log) throw errors[0];
    return log.headCursor;
  }

  async function handle(raw: RawResult): Promise<void> {
    const { data, errors } = resultOf(raw);
    attempt = 0;
    const [event] = Object.values(data as Record<string, Event & { cursor: string }>) as [
      Event & { cursor: string },
    ];
    await runCallback(() => {
      if (typeof event.cursor !== 'string') throw new TypeError('The document must select `cursor`.');
    });
    if (seen.has(event.cursor) || event.cursor === after || signal.aborted) return;
    await runCallback(() => onEvent(event, { errors }));
    seen.add(event.cursor);
    if (seen.size > maxSeen) seen.delete(seen.values().next().value as string);
    await advance(event.cursor);
  }

  async function advance(cursor: string): Promise<void> {
    after = cursor;
    await runCallback(() => save?.(cursor));
  }

  /** Marks errors of the caller's own functions and document, which must not look like a lost connection. */
  async function runCallback(call: () => unknown): Promise<void> {
    callbackFailed = true;
    await call();
    callbackFailed = false;
  }

  /** Treats an error of the caller's own transport as a lost connection. */
  function failureOf(thrown: unknown): unknown {
    if (thrown instanceof GatewayError || !options.subscribe) return thrown;
    return new NoAnswerError('The live connection was lost.', { cause: thrown });
  }
}

/** Whether to subscribe again. This includes SUBSCRIBER_LAGGED, since the log still has all events. */
const mayReconnect = (error: unknown): error is GatewayError =>
  hasUnknownOutcome(error) || (error instanceof GatewayError && error.code === 'SUBSCRIBER_LAGGED');
