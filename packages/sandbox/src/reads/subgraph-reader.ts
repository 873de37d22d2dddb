import { ServiceError } from '../http/service-error.ts';
import { srrId } from '../subgraph/mapping/ids.ts';
import { queryErrors } from '../subgraph/query/errors.ts';
import type { Subgraph } from '../subgraph/subgraph.ts';
import type { IndexedCollection, IndexedRecord } from './indexed.ts';

const user = 'id walletAddress salt owners originalName englishName userType threshold createdAt updatedAt';
const occasion = 'id name metadataDigest historyType { name }';
const record = `id tokenId ownerAddress isPrimaryIssuer artistAddress metadataDigest transferCommitment
  lockExternalTransfer royaltyReceiver royaltyBasisPoints createdAt updatedAt
  issuer { ${user} } artist { ${user} }
  collection { id name symbol ownerAddress createdAt updatedAt }
  metadataHistory(first: 1000, orderBy: createdAt) { metadataDigest createdAt }
  provenance(first: 1000, orderBy: timestamp) {
    timestamp from to metadataDigest metadataURI isIntermediary sender createdAt customHistory { ${occasion} }
  }`;
const withHistory = `${record} history(first: 1000, orderBy: createdAt) { createdAt customHistory { ${occasion} } }`;

/**
 * Tries of a query that a reorganisation interrupts. They are
 * rare: one during each of three tries is a fault.
 */
const maxAttempts = 3;
const interrupted = queryErrors.reorganised().message;

/** The largest `skip` that the subgraph accepts. */
const maxSkip = 5_000;

/** Reads the subgraph as any client does. Throws the document's 502 when it answers with an error. */
export class SubgraphReader {
  readonly #subgraph: Pick<Subgraph, 'query'>;

  constructor(subgraph: Pick<Subgraph, 'query'>) {
    this.#subgraph = subgraph;
  }

  /** `undefined` when there is no such record. */
  async record(contract: `0x${string}`, tokenId: bigint): Promise<IndexedRecord | undefined> {
    const id = srrId(contract, tokenId);
    const { srr } = await this.#ask<{ srr: IndexedRecord | null }>(
      `query($id: ID!) { srr(id: $id) { ${record} } }`,
      { id },
    );
    return srr ?? undefined;
  }

  /** An owner's records in the order of their ids, so that pages are stable; `skip` may be of any size. */
  async owned(ownerAddress: string, skip: number, first: number): Promise<IndexedRecord[]> {
    let after = '';
    let left = skip;
    for (; left > maxSkip; left -= maxSkip) {
      const last = await this.#owned<{ id: string }>(
        { ownerAddress, after, skip: maxSkip - 1, first: 1 },
        'id',
      );
      if (last[0] === undefined) return [];
      after = last[0].id;
    }
    return this.#owned<IndexedRecord>({ ownerAddress, after, skip: left, first }, withHistory);
  }

  /** All collections of an owner, oldest first. */
  async collections(ownerAddress: string): Promise<IndexedCollection[]> {
    const all: IndexedCollection[] = [];
    // Read on after a full page: there may be another one.
    for (let page: IndexedCollection[] = []; all.length === 0 || page.length === 1_000; all.push(...page)) {
      ({ collections: page } = await this.#ask<{ collections: IndexedCollection[] }>(
        `query($ownerAddress: Bytes!, $after: ID!) {
          collections(first: 1000, orderBy: id, where: { ownerAddress: $ownerAddress, id_gt: $after }) {
            id name symbol ownerAddress createdAt updatedAt
          }
        }`,
        { ownerAddress, after: all.at(-1)?.id ?? '' },
      ));
      if (page.length === 0) break;
    }
    return all.sort((a, b) => Number(a.createdAt) - Number(b.createdAt));
  }

  async #owned<T>(variables: Record<string, unknown>, fields: string): Promise<T[]> {
    const { srrs } = await this.#ask<{ srrs: T[] }>(
      `query($ownerAddress: Bytes!, $after: ID!, $skip: Int!, $first: Int!) {
        srrs(where: { ownerAddress: $ownerAddress, id_gt: $after }, orderBy: id, skip: $skip, first: $first) { ${fields} }
      }`,
      variables,
    );
    return srrs;
  }

  async #ask<T>(query: string, variables: Record<string, unknown>, attempt = 1): Promise<T> {
    const { data, errors } = await this.#subgraph.query({ query, variables });
    // A part of this answer comes from replaced blocks. A repeated query is consistent.
    if (attempt < maxAttempts && errors?.[0]?.message === interrupted)
      return this.#ask(query, variables, attempt + 1);
    if (data === undefined || errors !== undefined)
      throw new ServiceError(502, 'Bad Gateway', { cause: errors });
    return data as T;
  }
}
