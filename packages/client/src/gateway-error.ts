/** One fault as the gateway reports it: a `UserError`, or an item of `errors`. */
export interface Fault {
  code?: string;
  message: string;
  path?: readonly (string | number)[] | null;
  externalId?: string | null;
  upstreamMessage?: string | null;
  extensions?: {
    code?: string;
    inputPath?: readonly (string | number)[];
    errorId?: string;
    cursor?: string;
    [name: string]: unknown;
  };
}

/** Facts of the response with the fault. */
export interface Circumstances {
  /** The HTTP status. */
  status?: number | undefined;
  /** Seconds to wait before the next try, from `retry-after`. */
  retryAfter?: number | undefined;
  /** The id of the request in the gateway's log. */
  requestId?: string | undefined;
  cause?: unknown;
}

/** An error of the gateway. Each code of `ErrorCode` has a subclass. */
export class GatewayError<Code extends string = string> extends Error {
  /** For programs. The message is for people. */
  readonly code: Code;
  /** The path in your input, or in the response if the fault is not about input. */
  readonly path: readonly (string | number)[] | undefined;
  /** The entry that the fault is about. */
  readonly externalId: string | undefined;
  /** The verbatim message of the system behind the gateway that reported the error. */
  readonly upstreamMessage: string | undefined;
  /** Seconds to wait before the next try, from `retry-after` or `extensions.retryAfter`. */
  readonly retryAfter: number | undefined;
  /** The id of the request in the gateway's log (`x-request-id`). */
  readonly requestId: string | undefined;
  readonly status: number | undefined;
  /** Other extensions of the error: `errorId`, `cursor`, `limit` and so on. */
  readonly extensions: Record<string, unknown>;
  /** All errors of a refused mutation, this one first. */
  all: readonly GatewayError[] = [this];

  constructor(fault: Fault & { code: Code }, { status, retryAfter, requestId, cause }: Circumstances = {}) {
    super(wordsOf(fault), cause === undefined ? undefined : { cause });
    this.name = this.code = fault.code;
    this.path = fault.extensions?.inputPath ?? fault.path ?? undefined;
    this.externalId = fault.externalId ?? undefined;
    this.upstreamMessage = fault.upstreamMessage ?? undefined;
    this.extensions = fault.extensions ?? {};
    // On a socket or an event stream an answer has no headers of its own.
    const told = this.extensions.retryAfter;
    this.retryAfter = retryAfter ?? (typeof told === 'number' ? told : undefined);
    this.requestId = requestId;
    this.status = status;
  }
}

/**
 * The message without the variable that graphql-js begins it with: `Variable "$input" got invalid value … at "…"; `.
 * It quotes whole entries, and names a variable of the client's own document. `path` has the place.
 */
const wordsOf = ({ message, extensions }: Fault): string =>
  extensions?.inputPath ? message.replace(/^Variable (?:"(?:[^"\\]|\\.)*"|[^";])*; /s, '') : message;

/** There was no usable answer: a lost connection, a time-out, or a 5xx without a GraphQL error. */
export class NoAnswerError extends GatewayError<'NO_ANSWER'> {
  constructor(message: string, circumstances?: Circumstances) {
    super({ code: 'NO_ANSWER', message }, circumstances);
  }
}
