import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import {
  drip,
  type FaultyResponse,
  faultyUpstream,
  flood,
  htmlPage,
  noResponse,
  redirectLoop,
  redirectTo,
  serverError,
} from '../_util/faulty-upstream.ts';
import { closedPort, type Received, serve, type TestServer } from '../_util/http-server.ts';
import {
  chainOf,
  ipfsSeconds,
  joinedRead,
  measured,
  rowsOf,
  slackMs,
  statusesOf,
  useSeededWorld,
} from '../_util/joined-reads.ts';
import { missingDocuments } from '../_util/missing-documents.ts';
import { addFile, type Blocks, serveBlocks } from '../_util/trustless-gateway.ts';

// IPFS gateways that are down, slow or broken, or send wrong content. Whatever a gateway does to a document, its record
// has a typed status, the rest of the response is complete and in time, and no wrong content is cached.

const world = useSeededWorld();

const cidIn = ({ url }: Received) => /^\/ipfs\/(\w+)/.exec(url)?.[1] ?? '';

/** Serves the requested bytes with changes. */
const changed =
  (change: (bytes: Buffer) => Buffer, source = world.info.ipfsUrl): FaultyResponse =>
  async (response, request) => {
    const { accept = '*/*' } = request.headers;
    const honest = await fetch(`${source}${request.url}`, { headers: { accept } });
    response.setHeader('content-type', honest.headers.get('content-type') ?? '');
    response.end(change(Buffer.from(await honest.arrayBuffer())));
  };

/** Ways to corrupt a document, each with the resulting status. `inside` must never receive a request. */
const faults = (
  inside: TestServer,
  another: string,
): [what: string, status: string, fault: FaultyResponse][] => [
  ['silence', 'TIMEOUT', noResponse],
  ['a drip', 'TIMEOUT', drip],
  ['a failure', 'UNAVAILABLE', serverError],
  ['a cut connection', 'UNAVAILABLE', (response) => response.write('{', () => response.destroy())],
  ['404', 'NOT_FOUND', (response) => response.writeHead(404).end()],
  ['451', 'BLOCKED', (response) => response.writeHead(451).end()],
  [
    'one bit flipped',
    'HASH_MISMATCH',
    changed((bytes) => Buffer.from(bytes.map((one, i) => (i === 9 ? one ^ 1 : one)))),
  ],
  ['its end missing', 'HASH_MISMATCH', changed((bytes) => bytes.subarray(0, -1))],
  [
    'another document',
    'HASH_MISMATCH',
    async (response) =>
      response.end(await (await fetch(`${world.info.ipfsUrl}/ipfs/${another}?format=raw`)).text()),
  ],
  ['a page', 'HASH_MISMATCH', htmlPage],
  ['10 GB', 'TOO_LARGE', flood(() => {})],
  ['a circle of redirects', 'BLOCKED', redirectLoop],
  ['a redirect into this machine', 'BLOCKED', redirectTo(inside.url)],
  ['a redirect into a private network', 'BLOCKED', redirectTo('http://10.0.0.1/')],
  ['a redirect to credentials of a cloud', 'BLOCKED', redirectTo('http://[::ffff:169.254.169.254]/')],
];

const tallyOf = (statuses: string[]): Record<string, number> =>
  Object.fromEntries([...new Set(statuses)].map((one) => [one, statuses.filter((s) => s === one).length]));

/** A source that corrupts the first documents of the page, each in a different way. */
async function faultySource(cids: string[]) {
  const inside = await serve((_, response) => response.end('{"secret":true}'));
  const all = faults(inside, cids.at(-1) as string);
  const faultOf = new Map(all.map(([, , fault], i) => [cids[i], fault]));
  const upstream = await faultyUpstream(world.info.ipfsUrl, (request) => faultOf.get(cidIn(request)));
  return { all, inside, upstream };
}

it('corrupted documents get typed statuses, the rest is complete in time, and they recover with the source', async () => {
  const { data: honest, rows, cids } = await world.truth();
  const { all, inside, upstream } = await faultySource(cids);
  const directory = await mkdtemp(join(tmpdir(), 'ipfs-cache-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const caller = await world.gatewayBefore({ ipfsGateways: [upstream.url] }, { IPFS_CACHE_DIR: directory });

  const { result, ms } = await measured(caller.data(joinedRead, { cid: cids.at(-1) }));
  expect(ms).toBeLessThan(ipfsSeconds * 1_000 + slackMs);
  expect(await missingDocuments(caller.url, 'record')).toEqual(tallyOf(all.map(([, status]) => status)));
  expect(await missingDocuments(caller.url, 'caller')).toEqual({});
  expect(chainOf(result)).toEqual(chainOf(honest));
  const seen = rowsOf(result);
  expect(all.map(([what], i) => [what, seen[i]?.metadataStatus])).toEqual(
    all.map(([what, status]) => [what, status]),
  );
  expect(seen.slice(0, all.length).every(({ metadata }) => metadata === null)).toBe(true);
  expect(seen.slice(all.length)).toEqual(rows.slice(all.length));
  expect(inside.received).toEqual([]);
  const cached = cids.slice(all.length).map((cid) => `${cid}.content`);
  // Smaller variants of pictures have their own folder there.
  const stored = async () => (await readdir(directory)).filter((name) => name !== 'pictures');
  await expect.poll(async () => (await stored()).sort()).toEqual(cached.sort());

  upstream.heal();
  await expect
    .poll(async () => rowsOf(await caller.data(joinedRead, { cid: cids[0] })), {
      timeout: 30_000,
      interval: 500,
    })
    .toEqual(rows);
});

it('all documents are read when an intact gateway is configured after a faulty one', async () => {
  const { rows, cids } = await world.truth();
  const { upstream } = await faultySource(cids);
  const ipfsGateways = [upstream.url, world.info.ipfsUrl];
  const caller = await world.gatewayBefore({ ipfsGateways }, { IPFS_TIMEOUT: '15' });
  expect(rowsOf(await caller.data(joinedRead, { cid: cids[0] }))).toEqual(rows);
});

const half = (bytes: Buffer) => bytes.subarray(0, bytes.length / 2);
const lastBitFlipped = (bytes: Buffer) =>
  Buffer.from(bytes.map((one, i) => (i === bytes.length - 1 ? one ^ 1 : one)));
const brokenOff: FaultyResponse = (response) =>
  response
    .writeHead(200, { 'content-type': 'application/vnd.ipld.car', 'content-length': 200_000 })
    .write(Buffer.alloc(1_000), () => response.destroy());
const lost: FaultyResponse = (response) => response.writeHead(404).end();

it.each<
  [
    what: string,
    status: string,
    archive: (source: string) => FaultyResponse,
    block?: (source: string) => FaultyResponse,
  ]
>([
  ['an archive cut in half', 'VERIFIED', (source) => changed(half, source)],
  ['an archive that breaks off', 'VERIFIED', () => brokenOff],
  ['a bit flipped in a block of the archive', 'HASH_MISMATCH', (source) => changed(lastBitFlipped, source)],
  ['an archive cut in half and its blocks lost', 'NOT_FOUND', (source) => changed(half, source), () => lost],
  [
    'an archive cut in half and a bit flipped in the rest',
    'HASH_MISMATCH',
    (source) => changed(half, source),
    (source) => changed(lastBitFlipped, source),
  ],
])('a document of several blocks, by %s, is %s', async (_what, status, archive, block) => {
  const { data: honest } = await world.truth();
  const content = { name: 'Large', note: randomBytes(100_000).toString('hex') };
  const blocks: Blocks = new Map();
  const cid = (await addFile(blocks, Buffer.from(JSON.stringify(content)))).toString();
  const source = await serveBlocks(blocks);
  const upstream = await faultyUpstream(source.url, (request) => {
    if (!blocks.has(cidIn(request))) return undefined;
    return (request.url.includes('format=car') ? archive : block)?.(source.url);
  });
  const caller = await world.gatewayBefore(
    { ipfsGateways: [upstream.url, world.info.ipfsUrl] },
    { IPFS_TIMEOUT: '15' },
  );
  const verified = { status: 'VERIFIED', raw: content };
  const { srrs, metadata } = await caller.data(joinedRead, { cid });
  expect(metadata).toEqual(status === 'VERIFIED' ? verified : { status, raw: null });
  expect(srrs).toEqual(honest.srrs);

  upstream.heal();
  await expect
    .poll(async () => (await caller.data(joinedRead, { cid })).metadata, { timeout: 20_000, interval: 250 })
    .toEqual(verified);
});

it.each([
  ['down', 'UNAVAILABLE', closedPort],
  ['silent', 'TIMEOUT', async () => (await serve(() => {})).url],
])(
  'a source that is %s for all documents leaves the rest of the response complete, in time',
  async (_what, status, source) => {
    const { data: honest, cids } = await world.truth();
    const caller = await world.gatewayBefore({ ipfsGateways: [await source()] });
    const { result, ms } = await measured(caller.data(joinedRead, { cid: cids[0] }));
    expect(ms).toBeLessThan(ipfsSeconds * 1_000 + slackMs);
    expect(chainOf(result)).toEqual(chainOf(honest));
    expect(statusesOf(result)).toEqual(new Set([status]));
    expect(result.metadata).toEqual({ status, raw: null });
  },
);

it('a page of documents of 10 GB each takes bounded memory', async () => {
  const { data: honest, cids } = await world.truth();
  let sent = 0;
  const endless = flood((bytes) => {
    sent += bytes;
  });
  const source = await serve((request, response) => endless(response, request));
  const caller = await world.gatewayBefore({ ipfsGateways: [source.url] }, { IPFS_TIMEOUT: '15' });
  const { result, grown } = await measured(caller.data(joinedRead, { cid: cids[0] }));
  expect(statusesOf(result)).toEqual(new Set(['TOO_LARGE']));
  expect(chainOf(result)).toEqual(chainOf(honest));
  // A document may have 2 MB, and the sockets' buffers come on top. The source offers 200 GB.
  expect(sent).toBeLessThan(cids.length * 10 * 2 ** 20);
  expect(grown).toBeLessThan(256 * 2 ** 20);
});

it('searches for documents and pictures that callers name do not slow down the documents of records', async () => {
  const cids = await Promise.all(Array.from({ length: 100 }, () => addFile(new Map(), randomBytes(10))));
  const named = new Set(cids.map(String));
  const source = await faultyUpstream(world.info.ipfsUrl, (request) =>
    named.has(cidIn(request)) ? noResponse : undefined,
  );
  const caller = await world.gatewayBefore({ ipfsGateways: [source.url] });
  const [picture, ...documents] = named;
  const url = `${new URL(caller.url).origin}/pictures/${picture}/160x160.webp`;
  const searches: Promise<unknown>[] = [fetch(url).then(({ status }) => status)];
  while (documents.length > 0) {
    const fields = documents.splice(0, 10).map((cid, n) => `a${n}: metadata(cid: "${cid}") { status }`);
    searches.push(caller.ask(`{ ${fields.join(' ')} }`));
  }
  await expect.poll(() => source.received.filter((request) => named.has(cidIn(request))).length).toBe(65);
  const page = caller.ask(
    '{ srrs(first: 20, where: { createdAfter: "2023-01-01T00:00:00Z" }) { edges { node { metadataStatus } } } }',
  );
  const { data } = (await Promise.race([page, ...searches])) as Awaited<typeof page>;
  expect(
    tallyOf(data?.srrs.edges.map(({ node }: { node: { metadataStatus: string } }) => node.metadataStatus)),
  ).toEqual({ VERIFIED: 20 });
  await Promise.all(searches);
});
