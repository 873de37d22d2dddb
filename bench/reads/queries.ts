import { srrId } from '../../src/clients/subgraph/srr-id.ts';
import { registryAddress } from './data.ts';

type Variables = Record<string, unknown>;

/** A query of the bench. */
export interface Query {
  text: string;
  /** The variables of the nth request. No response cache has those of another n. */
  variables(n: number): Variables;
  /** The same query for a gateway that only composes the sources, and so has the subgraph's own schema. */
  composed: {
    text: string;
    variables(n: number): Variables;
    /** Its response in the shape of the gateway's. */
    reshape(data: Record<string, Record<string, unknown>[]>): unknown;
  };
}

/** Later than any record. */
const before = (n: number) => 1_900_000_000_000 + n;
const tokenId = (n: number) => String(500_000_000_000 + n);

const metadata = `metadata {
    name
    title { text }
    medium { text }
    yearOfCreation { text }
    image { url }
    description
  }`;
const fields = `
  owner
  artistAddress
  isPrimaryIssuer
  lockExternalTransfer
  metadataCID
  createdAt
  issuer { address englishName originalName }
  artist { address englishName originalName }
  collection { address name symbol }
  ${metadata}`;
const composedFields = `
  owner
  artistAddress: checksummedArtist
  isPrimaryIssuer
  lockExternalTransfer
  metadataCID: metadataDigest
  createdAt: mintedAt
  issuer { address englishName originalName }
  artist { address englishName originalName }
  collection { address name symbol }
  ${metadata.replace('image {', 'image: picture {')}`;

/** A page with 22 fields of each record, from the subgraph and from IPFS. */
const join = (first: number): Query => ({
  text: `query Join($first: Int!, $before: DateTime) {
  srrs(first: $first, where: { createdBefore: $before }) { edges { node { tokenId ${fields} } } }
}`,
  variables: (n) => ({ first, before: new Date(before(n)).toISOString() }),
  composed: {
    text: `query Join($first: Int!, $before: BigInt) {
  srrs(first: $first, where: { createdAt_lt: $before }, orderBy: createdAt, orderDirection: desc) { tokenId ${composedFields} }
}`,
    variables: (n) => ({ first, before: String(before(n)) }),
    reshape: ({ srrs }) => ({ srrs: connection(srrs) }),
  },
});

/** A page with the transfers of each record. */
const nested: Query = {
  text: `query Nested($first: Int!, $before: DateTime) {
  srrs(first: $first, where: { createdBefore: $before }) { edges { node {
    tokenId
    artist { englishName }
    provenance(first: 5) { edges { node { from to timestamp } } }
  } } }
}`,
  // Not the times of the join query, whose rows would be cached.
  variables: (n) => ({ first: 50, before: new Date(before(-1 - n)).toISOString() }),
  composed: {
    text: `query Nested($first: Int!, $before: BigInt) {
  srrs(first: $first, where: { createdAt_lt: $before }, orderBy: createdAt, orderDirection: desc) {
    tokenId
    artist { englishName }
    provenance(first: 5, orderBy: timestamp, orderDirection: asc) { from: sender_ to: receiver timestamp: time }
  }
}`,
    variables: (n) => ({ first: 50, before: String(before(-1 - n)) }),
    reshape: ({ srrs = [] }) => ({
      srrs: connection(srrs.map((row) => ({ ...row, provenance: connection(row.provenance as object[]) }))),
    }),
  },
};

/** One record of the registry by its token. */
const single: Query = {
  text: `query Single($tokenId: TokenId!) { srr(tokenId: $tokenId) { ${fields} } }`,
  variables: (n) => ({ tokenId: tokenId(n) }),
  composed: {
    text: `query Single($id: ID!) { srrs(first: 1, where: { id_in: [$id] }) { ${composedFields} } }`,
    variables: (n) => ({ id: srrId(registryAddress, tokenId(n)) }),
    reshape: ({ srrs }) => ({ srr: srrs?.[0] ?? null }),
  },
};

const typename: Query = {
  text: '{ __typename }',
  variables: () => ({}),
  composed: { text: '{ __typename }', variables: () => ({}), reshape: (data) => data },
};

export const queries = { join, nested, single, typename };

/** The queries by their names for `--queries`. */
export const measuredQueries: Record<string, { title: string; query: Query }> = {
  join: {
    title: 'a page of 50 records, 22 fields each, with issuer, artist, collection and metadata',
    query: join(50),
  },
  nested: { title: 'a page of 50 records with up to 5 transfers each', query: nested },
  single: { title: 'one record', query: single },
  large: { title: 'a page of 999 records, 22 fields each', query: join(999) },
  typename: { title: '{ __typename }', query: typename },
};

const connection = (rows: object[] = []) => ({ edges: rows.map((node) => ({ node })) });
