import { errorOf } from './errors.ts';
import { type Circumstances, type Fault, type GatewayError, NoAnswerError } from './gateway-error.ts';

export type Fetch = (input: string, init?: RequestInit) => Promise<Response>;

/** An operation as it is sent. */
export interface Operation {
  query: string;
  variables: object;
}

/** A response, or one message of a subscription, as GraphQL has it. */
export interface RawResult {
  data?: unknown;
  errors?: readonly Fault[] | undefined;
}

export interface Result<Data> {
  data: Data;
  /** Faults of parts of the response: a source that is down, something you may not read. Those parts are null. */
  errors: readonly GatewayError[];
}

export interface HttpSettings {
  url: string;
  token?: string | (() => string | Promise<string>) | undefined;
  headers?: Record<string, string> | undefined;
  fetch: Fetch;
  timeoutMs: number;
}

/** The whole of a response: one that breaks off in its middle counts as no answer. */
export interface Answer {
  status: number;
  text: string;
  circumstances: Circumstances;
}

/** HTTP to the gateway, with credentials. */
export class Http {
  readonly settings: HttpSettings;

  constructor(settings: HttpSettings) {
    this.settings = settings;
  }

  async headers(): Promise<Record<string, string>> {
    const { token, headers } = this.settings;
    const bearer = typeof token === 'function' ? await token() : token;
    return { ...headers, ...(bearer && { authorization: `Bearer ${bearer}` }) };
  }

  /** Starts a request; the response is still to be read. */
  async open(url: string, init: RequestInit): Promise<Response> {
    return await this.settings.fetch(url, init).catch((cause: unknown) => {
      init.signal?.throwIfAborted();
      throw new NoAnswerError(`No answer from ${originOf(url)}.`, { cause });
    });
  }

  async send(url: string, init: RequestInit): Promise<Answer> {
    return await readAll(await this.open(url, init), url, init.signal);
  }

  /** One query or mutation. */
  async execute(operation: Operation, signal?: AbortSignal): Promise<Result<unknown>> {
    return await this.#post(
      JSON.stringify(operation),
      { ...(await this.headers()), 'content-type': 'application/json' },
      signal,
    );
  }

  /** A mutation with one file in `input.file`, by the GraphQL multipart request specification. */
  async executeWithFile(
    {
      query,
      variables: { input },
    }: { query: string; variables: { input: { file: Blob; filename: string } } },
    signal?: AbortSignal,
  ): Promise<Result<unknown>> {
    const form = new FormData();
    form.append('operations', JSON.stringify({ query, variables: { input: { ...input, file: null } } }));
    form.append('map', '{"0":["variables.input.file"]}');
    form.append('0', input.file, input.filename);
    // A form on another site cannot set this header, so the gateway knows that this is none.
    return await this.#post(form, { ...(await this.headers()), 'apollo-require-preflight': 'true' }, signal);
  }

  async #post(
    body: BodyInit,
    headers: Record<string, string>,
    signal?: AbortSignal,
  ): Promise<Result<unknown>> {
    const { url, timeoutMs } = this.settings;
    const late = AbortSignal.timeout(timeoutMs);
    const answer = await this.send(url, {
      method: 'POST',
      body,
      headers: { accept: 'application/graphql-response+json, application/json;q=0.9', ...headers },
      signal: signal ? AbortSignal.any([signal, late]) : late,
    }).catch((error: unknown) => {
      signal?.throwIfAborted();
      if (!late.aborted) throw error;
      throw new NoAnswerError(`No answer from ${originOf(url)} within ${timeoutMs / 1000} s.`);
    });
    return resultOf(parsed(answer, url), answer.circumstances);
  }
}

export async function readAll(response: Response, url: string, signal?: AbortSignal | null): Promise<Answer> {
  const circumstances = circumstancesOf(response);
  const text = await response.text().catch((cause: unknown) => {
    signal?.throwIfAborted();
    throw new NoAnswerError(`The answer of ${originOf(url)} broke off.`, { ...circumstances, cause });
  });
  return { status: response.status, text, circumstances };
}

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

/** The data beside its faults; without data, the first fault is thrown. */
export function resultOf({ data, errors = [] }: RawResult, circumstances?: Circumstances): Result<unknown> {
  const faults = errors.map((fault) => errorOf(fault, circumstances));
  if (data != null) return { data, errors: faults };
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

/** A signed address is a secret, and its origin is not. In a page, an address may be relative to it. */
export function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}
