import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { parseAddress } from '@srr-gateway/common/address';
import { LRUCache } from 'lru-cache';
import { CID } from 'multiformats/cid';
import { Agent, request } from 'undici';
import { srrId } from '../../src/clients/subgraph/srr-id.ts';
import { queries } from './queries.ts';

/**
 * The baseline: the joins written by hand for the bench's queries only. It reads requests and writes
 * responses as GraphQL does, queries the subgraph for exactly the fields that it returns, verifies documents
 * against their CIDs, and caches the parsed documents. It has no schema, validation, errors as data, limits,
 * deadlines or response cache.
 */

const { SUBGRAPH_URL = '', IPFS_URL = '', REGISTRY_ADDRESS = '', PORT } = process.env;
const agent = new Agent({ connections: 64 });

type Text = string | null;
interface User {
  walletAddress: string;
  englishName: string;
  originalName: string;
}
interface Row {
  tokenId: string;
  ownerAddress: Text;
  artistAddress: Text;
  isPrimaryIssuer: boolean | null;
  lockExternalTransfer: boolean | null;
  metadataDigest: string;
  createdAt: string;
  issuer: User | null;
  artist: User | null;
  collection: { id: string; name: string; symbol: string } | null;
}

const people = 'walletAddress englishName originalName';
const row = `tokenId ownerAddress artistAddress isPrimaryIssuer lockExternalTransfer metadataDigest createdAt
  issuer { ${people} } artist { ${people} } collection { id name symbol }`;
const page = (selection: string) => `query ($first: Int!, $before: BigInt) {
  srrs(first: $first, where: { createdAt_lt: $before }, orderBy: createdAt, orderDirection: desc) { ${selection} }
  _meta { block { number hash } }
}`;
const joinText = page(row);
const nestedText = page(
  `tokenId artist { englishName }
  provenance(first: 5, orderBy: timestamp, orderDirection: asc) { from to timestamp }`,
);
const singleText = `query ($id: ID!) { srrs(first: 1, where: { id_in: [$id] }) { ${row} } _meta { block { number hash } } }`;

async function ask<T>(query: string, variables: object): Promise<T[]> {
  const { body } = await request(SUBGRAPH_URL, {
    dispatcher: agent,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const { data } = JSON.parse(await body.text()) as { data: { srrs: T[] } };
  return data.srrs;
}

const addresses = new LRUCache<string, string>({ max: 10_000 });
function checksummed(address: string): string {
  const known = addresses.get(address) ?? parseAddress(address) ?? address;
  addresses.set(address, known);
  return known;
}
const addressOrNull = (address: Text) => (address === null ? null : checksummed(address));
const timeOf = (milliseconds: string) => new Date(Number(milliseconds)).toISOString();

/** The returned part of each document, by its CID. */
const documents = new LRUCache<string, object>({ max: 10_000 });
async function readDocument(cid: string): Promise<object> {
  const { body } = await request(`${IPFS_URL}/ipfs/${cid}?format=raw`, { dispatcher: agent });
  const bytes = Buffer.from(await body.arrayBuffer());
  const digest = createHash('sha256').update(bytes).digest();
  if (!digest.equals(CID.parse(cid).multihash.digest)) throw new Error(`${cid} is not what was sent`);
  const document = JSON.parse(bytes.toString()) as Record<string, Record<string, string>> & {
    name: string;
    description: string;
    image: string;
  };
  const { name, title, medium, yearOfCreation, image, description } = document;
  const shown = {
    name,
    title: { text: title?.en },
    medium: { text: medium?.en },
    yearOfCreation: { text: yearOfCreation?.en },
    image: { url: image.replace('ipfs://', `${IPFS_URL}/ipfs/`) },
    description,
  };
  documents.set(cid, shown);
  return shown;
}

const userOf = (user: User | null) =>
  user && {
    address: checksummed(user.walletAddress),
    englishName: user.englishName,
    originalName: user.originalName,
  };

function fieldsOf(one: Row, metadata: object) {
  return {
    owner: addressOrNull(one.ownerAddress),
    artistAddress: addressOrNull(one.artistAddress),
    isPrimaryIssuer: one.isPrimaryIssuer,
    lockExternalTransfer: one.lockExternalTransfer,
    metadataCID: one.metadataDigest,
    createdAt: timeOf(one.createdAt),
    issuer: userOf(one.issuer),
    artist: userOf(one.artist),
    collection: one.collection && {
      address: checksummed(one.collection.id),
      name: one.collection.name,
      symbol: one.collection.symbol,
    },
    metadata,
  };
}

/** Returns a cached document without waiting. */
const metadataOf = (rows: Row[]) => {
  const known = rows.map(
    ({ metadataDigest }) => documents.get(metadataDigest) ?? readDocument(metadataDigest),
  );
  return known.some((one) => one instanceof Promise) ? Promise.all(known) : (known as object[]);
};

interface Variables {
  first: number;
  before?: string;
  tokenId: string;
}
const momentOf = ({ before }: Variables) => before && String(Date.parse(before));

async function join(variables: Variables) {
  const rows = await ask<Row>(joinText, { first: variables.first, before: momentOf(variables) });
  const metadata = await metadataOf(rows);
  const edges = rows.map((one, i) => ({
    node: { tokenId: one.tokenId, ...fieldsOf(one, metadata[i] as object) },
  }));
  return { srrs: { edges } };
}

interface Transfer {
  from: string;
  to: string;
  timestamp: string;
}
async function nested(variables: Variables) {
  const rows = await ask<{ tokenId: string; artist: { englishName: string } | null; provenance: Transfer[] }>(
    nestedText,
    { first: variables.first, before: momentOf(variables) },
  );
  const edges = rows.map(({ tokenId, artist, provenance }) => ({
    node: {
      tokenId,
      artist,
      provenance: {
        edges: provenance.map(({ from, to, timestamp }) => ({
          node: { from: checksummed(from), to: checksummed(to), timestamp: timeOf(timestamp) },
        })),
      },
    },
  }));
  return { srrs: { edges } };
}

async function single({ tokenId }: Variables) {
  const rows = await ask<Row>(singleText, { id: srrId(REGISTRY_ADDRESS, tokenId) });
  const [metadata] = await metadataOf(rows);
  return { srr: rows[0] && metadata ? fieldsOf(rows[0], metadata) : null };
}

const answers = new Map<string, (variables: Variables) => unknown>([
  [queries.join(0).text, join],
  [queries.nested.text, nested],
  [queries.single.text, single],
  [queries.typename.text, () => ({ __typename: 'Query' })],
]);

const server = createServer((incoming, response) => {
  let body = '';
  incoming.setEncoding('utf8').on('data', (text: string) => {
    body += text;
  });
  incoming.on('end', async () => {
    const { query, variables } = JSON.parse(body) as { query: string; variables: Variables };
    const answer = answers.get(query);
    const text = JSON.stringify({ data: await answer?.(variables) });
    response
      .writeHead(answer ? 200 : 400, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      })
      .end(text);
  });
});
server.keepAliveTimeout = 120_000;
server.listen(Number(PORT), '127.0.0.1');
