import { createHash } from 'node:crypto';
import { parseAddress } from '@srr-gateway/common/address';
import Fastify from 'fastify';
import { LRUCache } from 'lru-cache';
import mercurius, { type Loader } from 'mercurius';
import { CID } from 'multiformats/cid';
import { Agent, request } from 'undici';
import { srrId } from '../../src/clients/subgraph/srr-id.ts';

/**
 * The same joins, as one would write them by hand with Mercurius: resolvers and loaders over the schema of
 * the bench's queries, compiled by its JIT. One subgraph query reads a page and one all its children;
 * documents are verified and cached.
 */

const { SUBGRAPH_URL = '', IPFS_URL = '', REGISTRY_ADDRESS = '', PORT } = process.env;
const agent = new Agent({ connections: 64 });

const schema = `
  scalar Address
  scalar DateTime
  scalar TokenId
  type Query {
    srrs(first: Int!, where: SRRFilter): SRRConnection!
    srr(tokenId: TokenId!): SRR
  }
  input SRRFilter { createdBefore: DateTime }
  type SRRConnection { edges: [SRREdge!] }
  type SRREdge { node: SRR }
  type SRR {
    tokenId: TokenId!
    owner: Address
    artistAddress: Address
    isPrimaryIssuer: Boolean
    lockExternalTransfer: Boolean
    metadataCID: String
    createdAt: DateTime
    issuer: LicensedUser
    artist: LicensedUser
    collection: Collection
    metadata: SRRMetadata
    provenance(first: Int!): ProvenanceConnection
  }
  type LicensedUser { address: Address! englishName: String! originalName: String! }
  type Collection { address: Address! name: String! symbol: String! }
  type SRRMetadata {
    name: String
    title: LocalizedText
    medium: LocalizedText
    yearOfCreation: LocalizedText
    image: Media
    description: String
  }
  type LocalizedText { text: String! }
  type Media { url: String! }
  type ProvenanceConnection { edges: [ProvenanceEdge!] }
  type ProvenanceEdge { node: Provenance }
  type Provenance { from: Address! to: Address! timestamp: DateTime! }
`;

interface Transfer {
  from: string;
  to: string;
  timestamp: string;
}
interface Row {
  id: string;
  ownerAddress: string | null;
  artistAddress: string | null;
  metadataDigest: string;
  createdAt: string;
}
interface Document {
  image: string;
  [field: string]: unknown;
}

const people = 'walletAddress englishName originalName';
const row = `id tokenId ownerAddress artistAddress isPrimaryIssuer lockExternalTransfer metadataDigest createdAt
  issuer { ${people} } artist { ${people} } collection { id name symbol }`;
const pageText = `query ($first: Int!, $before: BigInt) {
  srrs(first: $first, where: { createdAt_lt: $before }, orderBy: createdAt, orderDirection: desc) { ${row} }
}`;
const byIdText = `query ($id: ID!) { srrs(first: 1, where: { id_in: [$id] }) { ${row} } }`;
const transfersText = `query ($ids: [ID!]!, $count: Int!, $first: Int!) {
  srrs(first: $count, where: { id_in: $ids }) {
    id
    provenance(first: $first, orderBy: timestamp, orderDirection: asc) { from to timestamp }
  }
}`;

async function ask<T>(query: string, variables: object): Promise<T[]> {
  const { body } = await request(SUBGRAPH_URL, {
    dispatcher: agent,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const { data } = (await body.json()) as { data: { srrs: T[] } };
  return data.srrs;
}

const documents = new LRUCache<string, Document>({ max: 10_000 });
async function readDocument(cid: string): Promise<Document> {
  const { body } = await request(`${IPFS_URL}/ipfs/${cid}?format=raw`, { dispatcher: agent });
  const bytes = Buffer.from(await body.arrayBuffer());
  const digest = createHash('sha256').update(bytes).digest();
  if (!digest.equals(CID.parse(cid).multihash.digest)) throw new Error(`${cid} is not what was sent`);
  const document = JSON.parse(bytes.toString()) as Document;
  documents.set(cid, document);
  return document;
}

const addresses = new LRUCache<string, string>({ max: 10_000 });
function checksummed(address: string): string {
  const known = addresses.get(address) ?? parseAddress(address) ?? address;
  addresses.set(address, known);
  return known;
}
const addressOrNull = (address: string | null) => (address === null ? null : checksummed(address));
const timeOf = (milliseconds: string) => new Date(Number(milliseconds)).toISOString();

const resolvers = {
  Query: {
    async srrs(_: unknown, { first, where }: { first: number; where?: { createdBefore?: string } }) {
      const before = where?.createdBefore && String(Date.parse(where.createdBefore));
      const rows = await ask<Row>(pageText, { first, before });
      return { edges: rows.map((node) => ({ node })) };
    },
    async srr(_: unknown, { tokenId }: { tokenId: string }) {
      const [found] = await ask<Row>(byIdText, { id: srrId(REGISTRY_ADDRESS, tokenId) });
      return found ?? null;
    },
  },
  SRR: {
    owner: ({ ownerAddress }: Row) => addressOrNull(ownerAddress),
    artistAddress: ({ artistAddress }: Row) => addressOrNull(artistAddress),
    metadataCID: ({ metadataDigest }: Row) => metadataDigest,
    createdAt: ({ createdAt }: Row) => timeOf(createdAt),
    metadata: ({ metadataDigest }: Row) => documents.get(metadataDigest) ?? readDocument(metadataDigest),
  },
  LicensedUser: { address: ({ walletAddress }: { walletAddress: string }) => checksummed(walletAddress) },
  Collection: { address: ({ id }: { id: string }) => checksummed(id) },
  LocalizedText: { text: ({ en }: { en: string }) => en },
  Media: { url: (uri: string) => uri.replace('ipfs://', `${IPFS_URL}/ipfs/`) },
  Provenance: {
    from: ({ from }: Transfer) => checksummed(from),
    to: ({ to }: Transfer) => checksummed(to),
    timestamp: ({ timestamp }: Transfer) => timeOf(timestamp),
  },
};

const provenance: Loader<Row, { first: number }> = async (queries) => {
  const ids = queries.map(({ obj }) => obj.id);
  const first = queries[0]?.params.first ?? 0;
  const rows = await ask<{ id: string; provenance: Transfer[] }>(transfersText, {
    ids,
    count: ids.length,
    first,
  });
  const byId = new Map(rows.map((one) => [one.id, one.provenance]));
  return ids.map((id) => ({ edges: (byId.get(id) ?? []).map((node) => ({ node })) }));
};

const app = Fastify({ keepAliveTimeout: 120_000 });
app.register(mercurius, { schema, resolvers, loaders: { SRR: { provenance } }, jit: 1 });
await app.listen({ port: Number(PORT), host: '127.0.0.1' });
