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

/** What is known of the response that brought the fault. */
export interface Circumstances {
  /** The HTTP status. */
  status?: number | undefined;
  /** Seconds after which the gateway wants to be asked again. */
  retryAfter?: number | undefined;
  /** The name of the request in the gateway's log. */
  requestId?: string | undefined;
  cause?: unknown;
}

/** Anything that the gateway refused or could not do. Each code of `ErrorCode` has a subclass. */
export class GatewayError<Code extends string = string> extends Error {
  /** For programs. The message is for people. */
  readonly code: Code;
  /** The place in your input, or, when the fault is about no input, in the response. */
  readonly path: readonly (string | number)[] | undefined;
  /** The entry that the fault is about. */
  readonly externalId: string | undefined;
  /** Verbatim, when a system behind the gateway said it. */
  readonly upstreamMessage: string | undefined;
  /** Seconds after which the gateway wants to be asked again. */
  readonly retryAfter: number | undefined;
  /** The name of the request in the gateway's log (`x-request-id`). */
  readonly requestId: string | undefined;
  readonly status: number | undefined;
  /** What else the gateway said: `errorId`, `cursor`, `limit` and so on. */
  readonly extensions: Record<string, unknown>;
  /** Every fault of a refused mutation, this one first. */
  all: readonly GatewayError[] = [this];

  constructor(fault: Fault & { code: Code }, { status, retryAfter, requestId, cause }: Circumstances = {}) {
    super(fault.message, cause === undefined ? undefined : { cause });
    this.name = this.code = fault.code;
    this.path = fault.extensions?.inputPath ?? fault.path ?? undefined;
    this.externalId = fault.externalId ?? undefined;
    this.upstreamMessage = fault.upstreamMessage ?? undefined;
    this.extensions = fault.extensions ?? {};
    this.retryAfter = retryAfter;
    this.requestId = requestId;
    this.status = status;
  }
}

/** Nobody answered usefully: a lost connection, a time-out, a 5xx without an explanation. */
export class NoAnswerError extends GatewayError<'NO_ANSWER'> {
  constructor(message: string, circumstances?: Circumstances) {
    super({ code: 'NO_ANSWER', message }, circumstances);
  }
}
