import type { EntityReads } from './entities.ts';
import type { Answer, At, SrrRecord } from './records.ts';
import { srrId } from './srr-id.ts';

/** A record's token. `collection` is null for the registry; `contract` is the collection or the registry. */
export interface Token {
  contract: string;
  collection: string | null;
  tokenId: string;
}

/** Reads records by their tokens. */
export interface TokenReads {
  /** Keyed by `srrId`, whichever ids the subgraph uses; unknown tokens are absent. */
  srrsByTokens(
    tokens: readonly Token[],
    at?: At,
    select?: string,
  ): Promise<Answer<{ srrs: Map<string, SrrRecord> }>>;
}

/**
 * Makes the read of records by token. A subgraph knows records by `srrId`; an older one by the bare token id.
 * The first record seen shows which, and all endpoints are assumed to be alike.
 */
export function tokenReads(reads: Pick<EntityReads, 'srrsByIds' | 'srrs'>): TokenReads {
  let form: 'SRR_ID' | 'TOKEN_ID' | undefined;
  return {
    async srrsByTokens(tokens, at = {}, select) {
      if (form === 'TOKEN_ID') return byTokenIds(reads, tokens, at, select);
      const ids = tokens.map(({ contract, tokenId }) => srrId(contract, tokenId));
      const answer = await reads.srrsByIds(ids, at, select);
      if (answer.srrs.size > 0) form = 'SRR_ID';
      if (form !== undefined) return answer;
      // Either the subgraph has none of these, or it has them under the other id: any record shows which.
      const block = { ...at, block: answer.block };
      const [any] = (await reads.srrs({ first: 1, select: 'id tokenId' }, block)).srrs;
      if (any) form = any.id === any.tokenId ? 'TOKEN_ID' : 'SRR_ID';
      return form === 'TOKEN_ID' ? byTokenIds(reads, tokens, block, select) : answer;
    },
  };
}

async function byTokenIds(
  reads: Pick<EntityReads, 'srrsByIds'>,
  tokens: readonly Token[],
  at: At,
  select?: string,
): Promise<Answer<{ srrs: Map<string, SrrRecord> }>> {
  const { srrs, ...seen } = await reads.srrsByIds(
    tokens.map(({ tokenId }) => tokenId),
    at,
    select === undefined ? undefined : `collection { id } ${select}`,
  );
  const found = tokens.flatMap(({ contract, collection, tokenId }): [string, SrrRecord][] => {
    const row = srrs.get(tokenId);
    // A bare token id matches a record of any contract, so compare the collection too.
    const here = row && (row.collection?.id ?? null) === (collection?.toLowerCase() ?? null);
    return here ? [[srrId(contract, tokenId), row]] : [];
  });
  return { ...seen, srrs: new Map(found) };
}
