import { z } from 'zod';
import type { AnswerCache } from './answer-cache.ts';
import { SubgraphError } from './failure.ts';
import type { MetaFragment, Sdk } from './generated.ts';
import type { Answer, At, BlockRef, IndexedBlock } from './records.ts';
import type { Query, QueryResult, Send } from './request.ts';

/** The most rows of one answer: with their joined records about 20 MB. */
export const maxAnswerRows = 10_000;

/** What reads are made with. */
export interface Reader {
  /** Asks the first endpoint that gives an answer. */
  ask<T>(question: Query<T>, signal?: AbortSignal): Promise<QueryResult<T>>;
  /** Absent: every read asks the subgraph. */
  cache?: AnswerCache | undefined;
}

/** Every query selects `_meta`, which says at which block the data was read. */
export type WithMeta = { _meta: MetaFragment | null };

const meta = z.object({
  block: z.object({
    number: z.number().int(),
    hash: z.string().nullish(),
    timestamp: z.number().nullish(),
  }),
  hasIndexingErrors: z.boolean(),
});

/** One query of the subgraph. */
export interface Question<D> {
  /** Two questions with the same key get the same answer at the same block. */
  key: string;
  send(
    sdk: () => Sdk,
    block: { hash: string } | { number: number } | undefined,
    send: Send,
  ): Promise<{ data: D }>;
  /** The rows to check; the rest of the data is taken as it comes. */
  rows(data: D): unknown;
}

/** Asks for the block only. */
export const metaQuestion: Question<WithMeta> = {
  key: 'meta',
  send: (sdk, block) => sdk().Meta({ block }),
  rows: () => [],
};

/**
 * Sends one query, or takes its answer from the cache. @throws SubgraphError BAD_ANSWER when the rows are no
 * list of objects, or the block is missing.
 */
export function read<D extends WithMeta>(
  reader: Reader,
  at: At,
  question: Question<D>,
): Promise<Answer<{ data: D; bytes: number }>> {
  if (!reader.cache) return ask(reader, at, question);
  const answer = reader.cache.read(question.key, at, (at) => ask(reader, at, question));
  // Equal keys mean equal questions, so the data has this question's shape.
  return answer as Promise<Answer<{ data: object; bytes: number }>> as ReturnType<typeof ask<D>>;
}

async function ask<D extends WithMeta>(
  reader: Reader,
  at: At,
  question: Question<D>,
): Promise<Answer<{ data: D; bytes: number }>> {
  const { data, bytes, trimmed } = await reader.ask<D>(async (sdk, send) => {
    // Undefined, not null: only an omitted block means the newest one to every subgraph version.
    const answer = await question.send(sdk, heightOf(at.block), send);
    if (answer.data) check(answer.data, question);
    return answer;
  }, at.signal);
  const { block } = data._meta as MetaFragment;
  return { block: plain(block), data, bytes, ...(trimmed && { trimmed }) };
}

function check<D extends WithMeta>(data: D, question: Question<D>): void {
  const { error } = meta.safeParse(data._meta);
  if (error) throw new SubgraphError('BAD_ANSWER', { cause: error });
  const rows = question.rows(data);
  // By hand: a zod schema would copy each of an answer's thousands of rows.
  if (!Array.isArray(rows) || !rows.every(isRow))
    throw new SubgraphError('BAD_ANSWER', { cause: 'a list is missing, or has something that is no row' });
}

const isRow = (row: unknown): boolean => typeof row === 'object' && row !== null;

const heightOf = (block: BlockRef | undefined) =>
  block && (block.hash === undefined ? { number: block.number } : { hash: block.hash });

function plain({ number, hash, timestamp }: MetaFragment['block']): IndexedBlock {
  return { number, ...(hash != null && { hash }), ...(timestamp != null && { timestamp }) };
}

/** Reads what is too large for one request in parts, all at the block of the first one. */
export async function readParts<Part, Found extends object>(
  [first, ...rest]: readonly Part[],
  at: At,
  readPart: (part: Part, at: At) => Promise<Answer<Found>>,
): Promise<Answer<{ parts: readonly Found[] }>> {
  const answer = await readPart(first as Part, at);
  const { block } = answer;
  const others = await Promise.all(rest.map((part) => readPart(part, { ...at, block })));
  return { block, parts: [answer, ...others] };
}
