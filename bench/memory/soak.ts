import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { deployedGateway } from '../flow/gateway.ts';
import { issueAndFollow } from '../flow/issue.ts';
import { longTail } from '../long-tail.ts';
import { guardedEnv } from '../reads/callers.ts';
import { queries } from '../reads/queries.ts';

/** The load. A page in a browser needs a few reads, so this is some ten visitors at a time. */
export const load = { readsPerSecond: 40, issuancesPerSecond: 2, subscribers: 50 };

const events = `subscription { events {
  cursor type receivedAt ... on SRRIssued { srr { tokenId owner metadata { title { text } image { url } } } }
} }`;
const known = `query ($after: String) { srrs(first: 500, after: $after) {
  edges { node { tokenId createdAt } } pageInfo { hasNextPage endCursor }
} }`;

const page = queries.join(50);

interface Known {
  tokenId: string;
  createdAt: string;
}

interface KnownPage {
  edges: { node: Known }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

/** Counts of requests and errors since the soak began. */
export interface Done {
  reads: number;
  issuances: number;
  events: number;
  errors: number;
  lastError?: string;
}

export interface Soak {
  pid: number | undefined;
  done: Done;
  /** Starts the load, which continues until `stop`. */
  begin(): Promise<void>;
  stop(): Promise<void>;
}

/** One replica over PostgreSQL, with the sandbox as the service. Its 300 records grow as the load issues. */
export async function startSoak(databaseUrl: string, settings: Record<string, string>): Promise<Soak> {
  const deployed = await deployedGateway({
    service: {},
    env: {
      ...settings,
      DATABASE_URL: databaseUrl,
      SECRETS_KEY: randomBytes(32).toString('base64'),
      RATE_LIMIT: guardedEnv.RATE_LIMIT,
      COST_LIMIT: guardedEnv.COST_LIMIT,
      NODE_ENV: 'production',
    },
  });
  const { caller, gateway } = deployed;
  const stopping = new AbortController();
  const { signal } = stopping;
  const done: Done = { reads: 0, issuances: 0, events: 0, errors: 0 };
  const failed = (error: unknown) => {
    if (signal.aborted) return;
    done.errors++;
    done.lastError = String(error);
  };
  const attempt = (count: 'reads' | 'issuances', work: Promise<unknown>) =>
    work.then(() => {
      done[count]++;
    }, failed);
  /** Runs at fixed times, whether or not the last run has ended. */
  const every = async (ms: number, start: () => Promise<unknown>) => {
    while (!signal.aborted) {
      void start();
      await sleep(ms, undefined, { signal }).catch(() => {});
    }
  };
  const subscriber = async () => {
    for await (const { errors } of caller.subscribe(events, {}, signal))
      if (errors) failed(JSON.stringify(errors));
      else done.events++;
    if (!signal.aborted) failed('a subscription ended');
  };

  let records: Known[] = [];
  const learn = async () => {
    const found: Known[] = [];
    for (let after: string | null = null; ; ) {
      const { srrs } = (await caller.data(known, { after })) as { srrs: KnownPage };
      found.push(...srrs.edges.map(({ node }) => node));
      if (!srrs.pageInfo.hasNextPage) break;
      after = srrs.pageInfo.endCursor;
    }
    records = found;
  };
  const begin = async () => {
    await learn();
    const picture = { upload: await caller.upload('picture.png', 'NON_ATTACHMENT_FILE', 'a picture') };
    for (let n = 0; n < load.subscribers; n++) void subscriber().catch(failed);
    void every(1000 / load.issuancesPerSecond, () =>
      attempt('issuances', issueAndFollow(deployed, picture, 1)),
    );
    void every(1000 / load.readsPerSecond, () => attempt('reads', caller.data(...readOf(records))));
    void every(60_000, () => attempt('reads', learn()));
  };
  return {
    pid: gateway.pid(),
    done,
    begin,
    async stop() {
      stopping.abort();
      await deployed.stop();
    },
  };
}

/**
 * Half of the reads are record pages, chosen with a long tail; the rest are pages of the catalogue, newest
 * first.
 */
function readOf(records: Known[]): [string, Record<string, unknown>] {
  const { tokenId, createdAt } = records[longTail(records.length)] as Known;
  const turn = Math.random();
  if (turn < 0.5) return [queries.single.text, { tokenId }];
  return [(turn < 0.9 ? page : queries.nested).text, { first: 50, before: createdAt }];
}
