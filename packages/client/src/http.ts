import { errorOf } from './errors.ts';
import { type Circumstances, type Fault, type GatewayError, NoAnswerError } from './gateway-error.ts';

/** The part of `fetch` that the client uses. */
export type Fetch = (input: string, init?: RequestInit) => Promise<Response>;

/** An operation to send. */
export interface Operation {
  query: string;
  variables: object;
}

/** A GraphQL response, or one result of a subscription. */
export interface RawResult {
  data?: unknown;
  errors?: readonly Fault[] | undefined;
}

/** The result of an operation: its data, and the errors of parts of it. */
export interface Result<Data> {
  data: Data;
  /**
   * Errors of parts of the response, such as those of a source that is down. These parts are null in `data`.
   */
  errors: readonly GatewayError[];
  /** The id of the request in the gateway's log. Results of a subscription have none. */
  requestId?: string | undefined;
}

/** A bearer token. Without one, or with an empty one, the caller is anonymous. */
export type Token = string | null | undefined;

/** Settings of the HTTP requests. */
export interface HttpSettings {
  url: string;
  token?: Token | (() => Token | Promise<Token>);
  headers?: Record<string, string> | undefined;
  fetch: Fetch;
  timeoutMs: number;
}

/** A response that was read completely. One that breaks off counts as no answer. */
export interface Answer {
  status: number;
  text: string;
  circumstances: Circumstances;
}

/** The platform's `fetch`. The caller's own may accept other addresses, such as relative ones on a server. */
export const defaultFetch: Fetch = (input, init) => fetch(input, init);

/**
 * Refuses an invalid address or header, for which `fetch` fails in the same way as while the gateway is down, so the
 * client would retry. Quotes neither, because both may contain a secret.
 */
function assertSendable({ url, fetch }: HttpSettings, headers: Record<string, string>): void {
  const page = (globalThis as { location?: { href: string } }).location?.href;
  const address = URL.canParse(url, page) ? new URL(url, page) : undefined;
  const isHttp = address && /^https?:$/.test(address.protocol) && !address.username && !address.password;
  if (!isHttp && fetch === defaultFetch)
    throw new TypeError(
      'url must be an http address without user and password, such as https://gateway.example/graphql.',
    );
  try {
    new Headers(headers);
  } catch {
    throw new TypeError('The token, or one of headers, has a character that no header can have.');
  }
}

/** HTTP requests to the gateway, with credentials. */
export class Http {
  readonly settings: HttpSettings;

  constructor(settings: HttpSettings) {
    this.settings = settings;
  }

  /** The headers of each request. @throws TypeError for settings that no request can have. */
  async headers(): Promise<Record<string, string>> {
    const { token, headers } = this.settings;
    const bearer = typeof token === 'function' ? await token() : token;
    // Users may copy the token together with the word Bearer. Tokens have no spaces, so none begins like that.
    const authorization = bearer && `Bearer ${bearer.replace(/^bearer +/i, '')}`;
    const all = { ...headers, ...(authorization && { authorization }) };
    assertSendable(this.settings, all);
    return all;
  }

  /** Starts a request. The caller reads the response. */
  async open(url: string, init: RequestInit): Promise<Response> {
    return await this.settings.fetch(url, init).catch((cause: unknown) => {
      init.signal?.throwIfAborted();
      throw new NoAnswerError(`No answer from ${originOf(url)}.`, { cause });
    });
  }

  async send(url: string, init: RequestInit): Promise<Answer> {
    return await readAll(await this.open(url, init), url, init.signal);
  }

  /** Executes a query or mutation once. */
  async execute(operation: Operation, signal?: AbortSignal): Promise<Result<unknown>> {
    const { url, timeoutMs } = this.settings;
    const headers = { accept: acceptedTypes, ...(await this.headers()), 'content-type': 'application/json' };
    const late = AbortSignal.timeout(timeoutMs);
    const answer = await this.send(url, {
      method: 'POST',
      body: JSON.stringify(operation, finite),
      headers,
      signal: signal ? AbortSignal.any([signal, late]) : late,
    }).catch((error: unknown) => {
      signal?.throwIfAborted();
      if (!late.aborted) throw error;
      throw new NoAnswerError(`No answer from ${originOf(url)} within ${timeoutMs / 1000} s.`);
    });
    return resultOf(parsed(answer, url), answer.circumstances);
  }
}

/** Refuses NaN, of which JSON makes null: records would be issued without the royalty that a user typed. */
function finite(name: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new TypeError(`${name} is ${value}, which JSON has no number for.`);
  return value;
}

/** The media types of a GraphQL response, by GraphQL over HTTP. */
export const acceptedTypes = 'application/graphql-response+json, application/json;q=0.9';

/** Reads a response completely. @throws NoAnswerError when it breaks off. */
export async function readAll(response: Response, url: string, signal?: AbortSignal | null): Promise<Answer> {
  const circumstances = circumstancesOf(response);
  const text = await response.text().catch((cause: unknown) => {
    signal?.throwIfAborted();
    throw new NoAnswerError(`The answer of ${originOf(url)} broke off.`, { ...circumstances, cause });
  });
  return { status: response.status, text, circumstances };
}

/** Parses a GraphQL response. @throws GatewayError when the answer is something else. */
export function parsed({ status, text, circumstances }: Answer, url: string): RawResult {
  try {
    const body = JSON.parse(text) as RawResult | null;
    if (body?.data !== undefined || body?.errors) return body;
  } catch {}
  if (status >= 500) throw new NoAnswerError(`${originOf(url)} answered ${status}.`, circumstances);
  if (status === 429)
    throw errorOf({ code: 'RATE_LIMITED', message: `${originOf(url)} answered 429.` }, circumstances);
  const message = `${url} gave no GraphQL response (status ${status}). Is it the GraphQL endpoint of a gateway?`;
  throw errorOf({ code: 'BAD_ANSWER', message }, circumstances);
}

/** The data with its errors. Throws the first error if there is no data. */
export function resultOf({ data, errors = [] }: RawResult, circumstances?: Circumstances): Result<unknown> {
  const faults = errors.map((fault) => errorOf(fault, circumstances));
  if (data != null) return { data, errors: faults, requestId: circumstances?.requestId };
  if (!faults[0]) throw errorOf({ code: 'BAD_ANSWER', message: 'The response has no data.' }, circumstances);
  faults[0].all = faults;
  throw faults[0];
}

function circumstancesOf({ status, headers }: Response): Circumstances {
  const after = headers.get('retry-after');
  const seconds = after === null ? Number.NaN : Number(after);
  const date = after === null ? Number.NaN : (Date.parse(after) - Date.now()) / 1000;
  const retryAfter = Number.isNaN(seconds) ? date : seconds;
  return {
    status,
    retryAfter: Number.isNaN(retryAfter) ? undefined : Math.max(0, retryAfter),
    requestId: headers.get('x-request-id') ?? undefined,
  };
}

/**
 * The origin of an address, for messages: a signed address is a secret. In a page, an address may be
 * relative.
 */
export function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}
