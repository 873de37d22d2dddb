import type { ErrorCode } from './error-codes.ts';

export type { ErrorCode };

/** One fault as plain data, as the database stores it and clients get it. */
export interface Fault {
  code: ErrorCode;
  /** For people: what is wrong, and what to do. */
  message: string;
  /** The place in the caller's input, e.g. `["input", "entries", "3", "externalId"]`. */
  path?: string[];
  externalId?: string;
  /** The upstream's own message, verbatim up to a length. */
  upstreamMessage?: string;
  /** The cursor to resume an ended subscription with. */
  cursor?: string;
  /** A cursor after the same row at the newest block, when the block of the caller's cursor is gone. */
  continueAfter?: string;
}

/**
 * Most characters of an upstream's message. It may quote a long input, is stored with each entry that it is about, and
 * gets into answers and the log.
 */
const maxTextLength = 2_000;

/** The fault, with its upstream's message cut to a maximum length. */
export function shortened(fault: Fault): Fault {
  const { upstreamMessage = '' } = fault;
  if (upstreamMessage.length <= maxTextLength) return fault;
  // The cut may split a surrogate pair.
  return { ...fault, upstreamMessage: `${upstreamMessage.slice(0, maxTextLength - 1).toWellFormed()}…` };
}

/** Base class of all errors that callers may see. Other errors are bugs and are masked. */
export class GatewayError extends Error {
  readonly faults: readonly [Fault, ...Fault[]];

  constructor(faults: Fault | [Fault, ...Fault[]], options?: ErrorOptions) {
    const list = Array.isArray(faults) ? faults : ([faults] as [Fault]);
    super(list[0].message, options);
    this.name = new.target.name;
    this.faults = list.map(shortened) as [Fault, ...Fault[]];
  }

  get code(): ErrorCode {
    return this.faults[0].code;
  }
}

/** @throws GatewayError with these faults, if there are any. */
export function assertNoFaults(faults: readonly Fault[]): void {
  if (faults.length > 0) throw new GatewayError([...faults] as [Fault, ...Fault[]]);
}

/** The error for credentials that are missing or not valid. */
export const unauthenticated = (message: string, cause?: unknown) =>
  new GatewayError({ code: 'UNAUTHENTICATED', message }, cause === undefined ? undefined : { cause });

/** The systems that the gateway calls. */
export type Upstream = 'COMMERCE' | 'STORAGE' | 'SUBGRAPH' | 'IPFS';

/** An upstream gave no usable answer in time. The caller's input is not at fault. */
export class UpstreamError extends GatewayError {
  readonly upstream: Upstream;
  /**
   * Whether the upstream may have processed the request, so that a non-idempotent call must not be repeated blindly.
   */
  readonly maybeProcessed: boolean;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(
    fault: Fault,
    upstream: {
      upstream: Upstream;
      maybeProcessed: boolean;
      status?: number | undefined;
      retryAfterMs?: number | undefined;
    },
    options?: ErrorOptions,
  ) {
    super(fault, options);
    this.upstream = upstream.upstream;
    this.maybeProcessed = upstream.maybeProcessed;
    this.status = upstream.status;
    this.retryAfterMs = upstream.retryAfterMs;
  }
}

/** The same error with its faults translated. An upstream failure or a bug is returned unchanged. */
export function translateFaults(error: unknown, translate: (fault: Fault) => Fault): unknown {
  if (!(error instanceof GatewayError) || error instanceof UpstreamError) return error;
  return new GatewayError(error.faults.map(translate) as [Fault, ...Fault[]], { cause: error });
}
