import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAddress } from '@srr-gateway/common/address';
import { silent, testDatabase } from '@srr-gateway/common/testing/database';
import { startTestSandbox, type TestSandbox } from '@srr-gateway/sandbox/testing/sandbox';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { startApp } from '../../src/app.ts';
import { loadConfig, type Upstreams } from '../../src/config/config.ts';
import { type Data, GraphQLCaller } from './graphql-caller.ts';
import { untilSeeded } from './seeded-world.ts';

// Reads that join all sources of a seeded world; a test may put proxies in front of the sources.

/** The time limit for one document over all attempts. */
export const ipfsSeconds = 4;
/** The time limit for one query of the subgraph, which has up to three attempts with pauses. */
export const subgraphSeconds = 10;
/** The time that a machine may take longer when it is busy with other tests. */
export const slackMs = 8_000;

/** A page of records with their licensed users and documents, and one document by its CID. */
export const joinedRead = `query ($cid: CID!) {
  srrs(first: 20, where: { createdAfter: "2024-01-01T00:00:00Z" }) { edges { node {
    tokenId metadataCID indexing owner
    issuer { englishName } artist { englishName } collection { name }
    metadataStatus metadata { name title { all } raw }
  } } }
  metadata(cid: $cid) { status raw }
}`;

export interface JoinedRow {
  tokenId: string;
  metadataCID: string;
  metadataStatus: string;
  metadata: unknown;
}
export const rowsOf = (data: Data): JoinedRow[] =>
  data.srrs.edges.map(({ node }: { node: JoinedRow }) => node);
export const statusesOf = (data: Data) => new Set(rowsOf(data).map(({ metadataStatus }) => metadataStatus));
/** The part of the response that does not come from IPFS. */
export const chainOf = (data: Data) =>
  rowsOf(data).map(({ metadata: _document, metadataStatus: _status, ...chain }) => chain);

export interface SeededWorld {
  readonly info: TestSandbox['sandbox']['info'];
  /** A separate gateway with empty caches that ends with the test. */
  gatewayBefore(upstreams?: Partial<Upstreams>, env?: Record<string, string>): Promise<GraphQLCaller>;
  /** The response that correct sources give. */
  truth(): Promise<{ data: Data; rows: JoinedRow[]; cids: string[] }>;
}

/** The seeded world of a sandbox, for a whole file of tests. */
export function useSeededWorld(): SeededWorld {
  let test: Awaited<ReturnType<typeof testDatabase>>;
  let sandbox: TestSandbox;
  // Its gateways share a database, so they share the key of its secrets.
  const secretsKey = randomBytes(32).toString('base64');
  beforeAll(async () => {
    test = await testDatabase();
    sandbox = await startTestSandbox({ database: test.database, settings: { fixtures: true } });
    await untilSeeded(sandbox.sandbox.info);
  }, 180_000);
  afterAll(async () => {
    await sandbox?.stop();
    await test?.drop();
  });

  const gatewayBefore: SeededWorld['gatewayBefore'] = async (upstreams = {}, env = {}) => {
    const { info } = sandbox.sandbox;
    const dataDir = await mkdtemp(join(tmpdir(), 'joined-reads-'));
    const { config, secrets } = loadConfig({
      PORT: '0',
      DATA_DIR: dataDir,
      SECRETS_KEY: secretsKey,
      IPFS_TIMEOUT: String(ipfsSeconds),
      SUBGRAPH_TIMEOUT: String(subgraphSeconds),
      ...env,
    });
    const app = await startApp({
      config,
      secrets,
      upstreams: {
        commerceUrl: info.commerceUrl,
        subgraphUrls: [info.subgraphUrl],
        ipfsGateways: [info.ipfsUrl],
        registryAddress: parseAddress(info.registryAddress),
        ...upstreams,
      },
      database: test.database,
      log: silent,
    });
    onTestFinished(async () => {
      await app.stop();
      await rm(dataDir, { recursive: true, force: true });
    });
    return new GraphQLCaller(app.url);
  };

  return {
    get info() {
      return sandbox.sandbox.info;
    },
    gatewayBefore,
    async truth() {
      const caller = await gatewayBefore({}, { IPFS_TIMEOUT: '15' });
      // This is the CID of empty content, which needs no gateway.
      const [first] = rowsOf(await caller.data(joinedRead, { cid: 'bafkqaaa' }));
      const data = await caller.data(joinedRead, { cid: first?.metadataCID });
      expect(statusesOf(data)).toEqual(new Set(['VERIFIED']));
      return { data, rows: rowsOf(data), cids: rowsOf(data).map(({ metadataCID }) => metadataCID) };
    },
  };
}

/** Measures the time of `work`, and the highest growth of the memory of this process. */
export async function measured<T>(work: Promise<T>): Promise<{ result: T; ms: number; grown: number }> {
  const begun = performance.now();
  const before = process.memoryUsage.rss();
  let highest = before;
  const sampling = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage.rss());
  }, 20);
  try {
    const result = await work;
    highest = Math.max(highest, process.memoryUsage.rss());
    return { result, ms: performance.now() - begun, grown: highest - before };
  } finally {
    clearInterval(sampling);
  }
}
