import { GraphQLClient } from 'graphql-request';
import type { HttpClient } from '../http.ts';
import { failureOf, type Reporting, refused } from './answer-failure.ts';
import { readErrors } from './failure.ts';
import { getSdk, type Sdk } from './generated.ts';
import type { OlderSchema } from './older-schema.ts';
import {
  blockOf,
  heightOf,
  indexedBlock,
  metaQuery,
  type QueryResponse,
  type QueryResult,
  type SubgraphQuery,
  type WithMeta,
} from './query.ts';
import type { At } from './records.ts';

// 1,000 records with their joined records are about 2 MB; a hundred children each may take far more.
const maxAnswerBytes = 64 * 1024 * 1024;
/** graph-node's message for a subgraph that failed at, or skipped, an event. */
const indexingError = 'indexing_error';

/** An address of the subgraph, and what every request to it needs. */
export interface Target extends Reporting {
  url: URL;
  /** Whether it is tried first. What it lacks is missing from every answer. */
  isFirst: boolean;
  headers: Record<string, string>;
  http: HttpClient;
  timeoutMs: number;
}

/**
 * Sends one query and reads the response. With an older schema it asks only for what that schema has.
 * @throws SubgraphError; or the signal's reason.
 */
export async function request<D extends WithMeta>(
  target: Target,
  query: SubgraphQuery<D>,
  at: At,
  schema?: OlderSchema,
): Promise<QueryResult<D>> {
  let received: Buffer = Buffer.alloc(0);
  const send = async (requestBody: string) => {
    const { text, body } = await post(target, requestBody, at.signal, schema);
    received = body;
    return text;
  };
  const replyAt = (block: At['block'], sendBody: typeof send) =>
    query.send(
      () => sdkOver(target.url, sendBody),
      heightOf(block),
      async (body) => graphQLAnswer(await sendBody(body)),
    );
  try {
    let { data, errors = [] } = await replyAt(at.block, send);
    if (query !== metaQuery && isWithheld(data, errors)) {
      const { _meta } = data;
      const found = await replyAt(indexedBlock(data), (body) => send(withMetaApart(body)));
      ({ errors = [] } = found);
      data = { ...found.data, _meta };
    }
    // Queries ask for data in spite of indexing errors, and report them in hasIndexingErrors.
    const messages = errors.map(({ message }) => message);
    const serious = messages.filter((message) => message !== indexingError);
    if (serious.length > 0) throw readErrors(serious, target.hideKeys);
    if (!data) throw readErrors(messages, target.hideKeys);
    const block = blockOf(data, query);
    target.outage.succeeded();
    return { block, data, body: received, ...(schema && !target.isFirst && { trimmed: true }) };
  } catch (error) {
    throw failureOf(error, target);
  }
}

/** Whether the answer has only `_meta`, because of indexing errors. */
const isWithheld = (data: WithMeta | null, errors: readonly { message: string }[]): data is WithMeta =>
  Object.keys(data ?? {}).join() === '_meta' && errors.some(({ message }) => message === indexingError);

/**
 * graph-node withholds data with indexing errors unless every field at its block allows them, which `_meta` cannot.
 * Gives `_meta` another block argument, so that it does not count.
 */
const withMetaApart = (body: string): string =>
  body.replace(/_meta\(block: ?\$block\)/, '_meta(block: {number_gte: 0})');

/** @throws Error when the text is no answer of a GraphQL server. */
function graphQLAnswer(text: string): Awaited<QueryResponse<never>> {
  const answer: unknown = JSON.parse(text);
  if (typeof answer !== 'object' || answer === null || !('data' in answer || 'errors' in answer))
    throw new Error('it has neither data nor errors');
  // Some servers send null for absent members, which the library does not accept.
  const present = Object.entries(answer).filter(([name, value]) => value !== null || name === 'data');
  return Object.fromEntries(present) as Awaited<QueryResponse<never>>;
}

/** The generated calls. Lists that are composed at run time do not use them. */
const sdkOver = ({ href }: URL, send: (body: string) => Promise<string>): Sdk =>
  getSdk(
    new GraphQLClient(href, {
      fetch: async (_url, { body }: RequestInit = {}) =>
        new Response(await send(body as string), { headers: { 'content-type': 'application/json' } }),
      // Do not throw on errors: `request` reads them, and some come with data that can be used.
      errorPolicy: 'all',
      jsonSerializer: { parse: graphQLAnswer, stringify: JSON.stringify },
      // Each document has one operation; finding its name would parse the document on every call.
      excludeOperationName: true,
    }),
  );

/** Sends a body, cut to the older schema if there is one, and returns that of the answer. */
export async function post(
  target: Target,
  body: string,
  signal: AbortSignal | undefined,
  schema?: OlderSchema,
): Promise<{ text: string; body: Buffer }> {
  const { url, headers, http, timeoutMs } = target;
  const trimmed = schema?.trimBody(body);
  const received = await http.send({
    method: 'POST',
    url,
    headers,
    body: trimmed?.body ?? body,
    timeoutMs,
    maxBytes: maxAnswerBytes,
    signal,
  });
  const answer = { ...received, body: withoutMark(received.body) };
  if (answer.status >= 300) throw refused(answer, target);
  const text = answer.body.toString();
  const absent = trimmed?.absent ?? [];
  if (absent.length === 0) return { text, body: answer.body };
  const whole = withEmpty(text, absent);
  return { text: whole, body: Buffer.from(whole) };
}

/** A byte order mark, which some servers write, and `JSON.parse` does not take. */
const mark = Buffer.from('\uFEFF');
const withoutMark = (body: Buffer): Buffer =>
  body.subarray(body.subarray(0, mark.length).equals(mark) ? mark.length : 0);

/** The answer with the lists that the older schema lacks, empty. */
function withEmpty(text: string, absent: string[]): string {
  const answer = JSON.parse(text) as { data?: object | null };
  const empty = Object.fromEntries(absent.map((name) => [name, []]));
  return JSON.stringify({ ...answer, ...(answer.data && { data: { ...empty, ...answer.data } }) });
}
