import { learnAgainMs } from './endpoint.ts';
import type { ListReads } from './lists.ts';
import type { At, AtBlock, SrrRecord } from './records.ts';
import type { RowReads } from './rows-by-id.ts';
import { srrId } from './srr-id.ts';

/** A record's token. `collection` is null for the registry; `contract` is the collection or the registry. */
export interface Token {
  contract: string;
  collection: string | null;
  tokenId: string;
}

/** The records of tokens, in the order of these, whichever ids the subgraph uses; undefined for an unknown token. */
type Found = AtBlock<{ srrs: (SrrRecord | undefined)[] }>;

/**
 * Makes the read of records by token. A subgraph knows records by `srrId`; an older one by the bare token id.
 * The first record seen shows which, and all endpoints are assumed to be alike.
 */
export function tokenReads(reads: ListReads & RowReads) {
  let form: 'SRR_ID' | 'TOKEN_ID' | undefined;
  let learnedAt = 0;
  const learn = (found: typeof form) => {
    form = found;
    learnedAt = performance.now();
  };
  return {
    async srrsByTokens(tokens: readonly Token[], at: At = {}, select?: string): Promise<Found> {
      if (performance.now() - learnedAt > learnAgainMs) form = undefined;
      if (form === 'TOKEN_ID') return byTokenIds(reads, tokens, at, select);
      const ids = tokens.map(({ contract, tokenId }) => srrId(contract, tokenId));
      const { rows, ...seen } = await reads.byIds('srrs', ids, at, select);
      const answer = { ...seen, srrs: ids.map((id) => rows.get(id)) };
      if (form !== undefined) return answer;
      // Either the subgraph has none of these, or it uses the other form of id: any record shows which.
      const pinned = { ...at, block: seen.block };
      learn(rows.size > 0 ? 'SRR_ID' : await formAt(reads, pinned));
      return form === 'TOKEN_ID' ? byTokenIds(reads, tokens, pinned, select) : answer;
    },
  };
}

/** The form of id that the subgraph uses; undefined when it has no records. */
async function formAt(reads: ListReads, at: At) {
  const { lists } = await reads.lists('srrs', [{ first: 1, select: 'id tokenId' }], at);
  const [any] = lists.flat();
  return any && (any.id === any.tokenId ? 'TOKEN_ID' : 'SRR_ID');
}

async function byTokenIds(
  reads: RowReads,
  tokens: readonly Token[],
  at: At,
  select?: string,
): Promise<Found> {
  const { rows, ...seen } = await reads.byIds(
    'srrs',
    tokens.map(({ tokenId }) => tokenId),
    at,
    select === undefined ? undefined : `collection { id } ${select}`,
  );
  const found = tokens.map(({ collection, tokenId }) => {
    const row = rows.get(tokenId);
    // A bare token id matches a record of any contract, so compare the collection too.
    return row && (row.collection?.id ?? null) === (collection?.toLowerCase() ?? null) ? row : undefined;
  });
  return { ...seen, srrs: found };
}
