import { z } from 'zod';
import type { Ask, Send } from './endpoint.ts';
import { SubgraphError } from './failure.ts';
import type { MetaFragment, Sdk } from './generated.ts';
import type { Answer, At, BlockRef, IndexedBlock } from './records.ts';

/** Asks the first endpoint that gives an answer. */
export type Reader = <T>(question: Ask<T>, signal?: AbortSignal) => Promise<T>;

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

type Query<D> = (
  sdk: Sdk,
  block: { hash: string } | { number: number } | undefined,
  send: Send,
) => Promise<{ data: D }>;

/**
 * Sends one request and returns the rows that `pick` finds, with the block they were read at. Other row
 * fields are not checked. @throws SubgraphError BAD_ANSWER when a row has no id or the block is missing.
 */
export async function read<D extends WithMeta, R extends { id: string }>(
  reader: Reader,
  at: At,
  query: Query<D>,
  pick: (data: D) => R[],
): Promise<Answer<{ rows: R[] }>> {
  const { data, ...seen } = await readData(reader, at, query, pick);
  return { ...seen, rows: pick(data) };
}

/** Like `read`, but returns the data as it came; `pick` only says which rows to check. */
export async function readData<D extends WithMeta>(
  reader: Reader,
  at: At,
  query: Query<D>,
  pick: (data: D) => { id: string }[],
): Promise<Answer<{ data: D }>> {
  const data = await reader<D>(async (sdk, send) => {
    // Undefined, not null: only an omitted block means the newest one to every subgraph version.
    const answer = await query(sdk, heightOf(at.block), send);
    if (answer.data) check(answer.data, pick);
    return answer;
  }, at.signal);
  const { block, hasIndexingErrors } = data._meta as MetaFragment;
  return { block: plain(block), hasIndexingErrors, data };
}

function check<D extends WithMeta>(data: D, pick: (data: D) => unknown): void {
  const { error } = meta.safeParse(data._meta);
  if (error) throw new SubgraphError('BAD_ANSWER', { cause: error });
  const rows = pick(data);
  if (!Array.isArray(rows) || !rows.every(hasId))
    throw new SubgraphError('BAD_ANSWER', { cause: 'a row has no id' });
}

/** Checked by hand: a zod schema would copy each of an answer's thousands of rows. */
const hasId = (row: unknown): boolean =>
  typeof row === 'object' && row !== null && 'id' in row && typeof row.id === 'string';

const heightOf = (block: BlockRef | undefined) =>
  block && (block.hash === undefined ? { number: block.number } : { hash: block.hash });

function plain({ number, hash, timestamp }: MetaFragment['block']): IndexedBlock {
  return { number, ...(hash != null && { hash }), ...(timestamp != null && { timestamp }) };
}

/** Reads any number of ids, `size` in each request, all at the block of the first request. */
export async function inChunks<R>(
  ids: readonly string[],
  size: number,
  at: At,
  readChunk: (ids: string[], at: At) => Promise<Answer<{ rows: R[] }>>,
): Promise<Answer<{ rows: R[] }>> {
  const unique = [...new Set(ids)];
  const first = await readChunk(unique.slice(0, size), at);
  const rest: Promise<Answer<{ rows: R[] }>>[] = [];
  for (let from = size; from < unique.length; from += size)
    rest.push(readChunk(unique.slice(from, from + size), { ...at, block: first.block }));
  const answers = [first, ...(await Promise.all(rest))];
  return {
    block: first.block,
    hasIndexingErrors: answers.some(({ hasIndexingErrors }) => hasIndexingErrors),
    rows: answers.flatMap((answer) => answer.rows),
  };
}
