import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'graphql-sse';

/** Something a person can mend; the message says how. */
export class DemoError extends Error {}

/** Nobody answered usefully just now: the same call may be made again. */
class Unreachable extends Error {}

/** Codes of a gateway that is up while something behind it is not. */
const passing = new Set(['UPSTREAM_UNAVAILABLE', 'UPSTREAM_TIMEOUT']);

interface Fault {
  message: string;
  path?: (string | number)[] | null;
  code?: string;
  extensions?: { code?: string };
}

export interface Gateway {
  /** One query or mutation. Errors of the request itself become a `DemoError`. */
  request<T>(document: string, variables?: Record<string, unknown>): Promise<T>;
  /** One mutation with a file, by the GraphQL multipart request specification. */
  requestWithFile<T>(document: string, variables: { input: object }, file: File): Promise<T>;
  /** A subscription over server-sent events, until either side ends it. */
  subscribe<T>(document: string, variables: Record<string, unknown>, signal: AbortSignal): AsyncIterable<T>;
  /** Bytes to an upload's address. A signed one is its own permission; the gateway's own needs the token. */
  put(upload: {
    url: string;
    signed: boolean;
    contentType: string;
    bytes: Uint8Array<ArrayBuffer>;
  }): Promise<{ status: number }>;
}

export function connect(url: string, token: string): Gateway {
  const endpoint = `${url}/graphql`;
  const authorization = `Bearer ${token}`;

  /** The whole answer, so that a connection that breaks in its middle counts as no answer. */
  const send = async (address: string, init: RequestInit): Promise<{ status: number; text: string }> => {
    const { origin } = new URL(address);
    const answer = await fetch(address, init)
      .then(async (response) => ({ status: response.status, text: await response.text() }))
      .catch(() => {
        throw new Unreachable(`No answer from ${origin}.`);
      });
    if (answer.status >= 502) throw new Unreachable(`${origin} answered ${answer.status}.`);
    return answer;
  };

  const post = async <T>(body: string | FormData, headers: Record<string, string>): Promise<T> => {
    const { status, text } = await send(endpoint, {
      method: 'POST',
      body,
      headers: { accept: 'application/json', authorization, ...headers },
    });
    try {
      return dataOf(JSON.parse(text) as { data?: T; errors?: Fault[] });
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new DemoError(`${endpoint} gave no JSON (status ${status}). Is it a gateway?`);
    }
  };

  const sse = createClient({ url: endpoint, headers: { authorization }, retryAttempts: 0 });

  return {
    request: (query, variables) =>
      post(JSON.stringify({ query, variables }), { 'content-type': 'application/json' }),

    requestWithFile(query, { input }, file) {
      const form = new FormData();
      form.append('operations', JSON.stringify({ query, variables: { input: { ...input, file: null } } }));
      form.append('map', JSON.stringify({ 0: ['variables.input.file'] }));
      form.append('0', file);
      // Browsers cannot send this header across origins without asking first, so it proves no forged form.
      return post(form, { 'x-graphql-yoga-csrf': 'demo' });
    },

    async *subscribe<T>(query: string, variables: Record<string, unknown>, signal: AbortSignal) {
      const answers = sse.iterate({ query, variables });
      const stop = () => void answers.return?.();
      signal.addEventListener('abort', stop);
      try {
        for await (const answer of answers) yield dataOf(answer as { data?: T; errors?: Fault[] });
      } catch (error) {
        if (error instanceof DemoError || error instanceof Unreachable) throw error;
        throw new Unreachable('The live connection was lost.');
      } finally {
        signal.removeEventListener('abort', stop);
      }
    },

    put({ url: address, signed, contentType, bytes: body }) {
      const headers = { 'content-type': contentType, ...(!signed && { authorization }) };
      return send(address, { method: 'PUT', body, headers });
    },
  };
}

function dataOf<T>({ data, errors = [] }: { data?: T | null; errors?: readonly Fault[] }): T {
  const fault = errors[0];
  const code = fault?.extensions?.code ?? '';
  if (fault && passing.has(code)) throw new Unreachable(fault.message);
  if (fault && code === 'UNAUTHENTICATED') throw new DemoError(`${fault.message} Name it with --token.`);
  if (fault) throw new DemoError(`${fault.message}${fault.path ? ` (at ${fault.path.join('.')})` : ''}`);
  if (!data) throw new DemoError('The gateway answered without data.');
  return data;
}

/** Mutations report what is wrong with their input as data; this turns it into the demo's own error. */
export function refuse(what: string, userErrors: Fault[]): void {
  const [fault] = userErrors;
  if (!fault) return;
  if (passing.has(fault.code ?? '')) throw new Unreachable(fault.message);
  const list = userErrors.map(({ code, message, path }) => `  - ${code} ${path?.join('.') ?? ''} ${message}`);
  throw new DemoError(`The gateway refused ${what}:\n${list.join('\n')}`);
}

/**
 * Makes a call until it gets an answer. Every call of the demo may be repeated, so a gateway that is
 * stopped and started in the middle costs only time; two minutes are enough for a person to do that.
 */
export async function retrying<T>(
  doing: string,
  call: () => Promise<T>,
  { patienceMs = 120_000, hint = '' } = {},
): Promise<T> {
  const giveUpAt = Date.now() + patienceMs;
  for (let attempt = 0; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      if (Date.now() > giveUpAt) throw new DemoError(`${error.message} Gave up ${doing}. ${hint}`.trimEnd());
      if (attempt === 0) console.log(`   … ${error.message} Trying again: ${doing}. ${hint}`.trimEnd());
      await sleep(500);
    }
  }
}
