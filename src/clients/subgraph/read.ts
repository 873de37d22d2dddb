import { z } from 'zod';
import type { Ask, Send } from './endpoint.ts';
import { SubgraphError } from './failure.ts';
import type { MetaFragment, Sdk } from './generated.ts';
import type { Answer, At, BlockRef, IndexedBlock } from './records.ts';

/** Asks whichever endpoint answers. */
export type Reader = <T>(question: Ask<T>, signal?: AbortSignal) => Promise<T>;

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
 * One request: the rows that `pick` finds in the data, and the block that they hold for. Row fields are as
 * the index's own schema types them; rows without an id, or no block, make it a bad answer.
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

/** The same, with the data as it came. */
export async function readData<D extends WithMeta>(
  reader: Reader,
  at: At,
  query: Query<D>,
  pick: (data: D) => { id: string }[],
): Promise<Answer<{ data: D }>> {
  const data = await reader<D>(async (sdk, send) => {
    // Left out and not null: only what is left out surely means the newest block to every index.
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

/** By hand: for the thousands of rows of an answer a schema would copy each. */
const hasId = (row: unknown): boolean =>
  typeof row === 'object' && row !== null && 'id' in row && typeof row.id === 'string';

const heightOf = (block: BlockRef | undefined) =>
  block && (block.hash === undefined ? { number: block.number } : { hash: block.hash });

function plain({ number, hash, timestamp }: MetaFragment['block']): IndexedBlock {
  return { number, ...(hash != null && { hash }), ...(timestamp != null && { timestamp }) };
}

/** Reads any number of ids, a chunk a request, all at the block of the first. */
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
