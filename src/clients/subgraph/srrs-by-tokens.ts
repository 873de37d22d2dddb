import type { EntityReads } from './entities.ts';
import type { Answer, At, SrrRecord } from './records.ts';
import { srrId } from './srr-id.ts';

/** A record by its token: its collection, null for the registry, and the contract that stands for either. */
export interface Token {
  contract: string;
  collection: string | null;
  tokenId: string;
}

export interface TokenReads {
  /** Keyed by `srrId`, whatever the index calls them; unknown ones are absent. */
  srrsByTokens(tokens: readonly Token[], at?: At): Promise<Answer<{ srrs: Map<string, SrrRecord> }>>;
}

/**
 * Records by their tokens, of an index that knows them by `srrId` or, as an older one does, by the bare token
 * id. Which of the two it is shows in the first record that is seen; all endpoints are taken for alike.
 */
export function tokenReads(reads: Pick<EntityReads, 'srrsByIds' | 'srrs'>): TokenReads {
  let form: 'SRR_ID' | 'TOKEN_ID' | undefined;
  return {
    async srrsByTokens(tokens, at = {}) {
      if (form === 'TOKEN_ID') return byTokenIds(reads, tokens, at);
      const ids = tokens.map(({ contract, tokenId }) => srrId(contract, tokenId));
      const answer = await reads.srrsByIds(ids, at);
      if (answer.srrs.size > 0) form = 'SRR_ID';
      if (form !== undefined) return answer;
      // Either none of these is there, or they are there under another id: any record tells.
      const block = { ...at, block: answer.block };
      const [any] = (await reads.srrs({ first: 1 }, block)).srrs;
      if (any) form = any.id === any.tokenId ? 'TOKEN_ID' : 'SRR_ID';
      return form === 'TOKEN_ID' ? byTokenIds(reads, tokens, block) : answer;
    },
  };
}

async function byTokenIds(
  reads: Pick<EntityReads, 'srrsByIds'>,
  tokens: readonly Token[],
  at: At,
): Promise<Answer<{ srrs: Map<string, SrrRecord> }>> {
  const { srrs, ...seen } = await reads.srrsByIds(
    tokens.map(({ tokenId }) => tokenId),
    at,
  );
  const found = tokens.flatMap(({ contract, collection, tokenId }): [string, SrrRecord][] => {
    const row = srrs.get(tokenId);
    // A token id alone names a record in any contract.
    const here = row && (row.collection?.id ?? null) === (collection?.toLowerCase() ?? null);
    return here ? [[srrId(contract, tokenId), row]] : [];
  });
  return { ...seen, srrs: new Map(found) };
}
