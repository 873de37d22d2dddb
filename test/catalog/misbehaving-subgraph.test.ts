import { expect, it } from 'vitest';
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
import { closedPort, serve } from '../_util/http-server.ts';
import { joinedRead, measured, slackMs, subgraphSeconds, useSeededWorld } from '../_util/joined-reads.ts';

// A subgraph that is down, slow, broken or no subgraph at all: lists of records fail with typed errors, data
// of the other sources comes in time, and correct data returns as soon as the subgraph does.

const world = useSeededWorld();
const inside = () => serve((_, response) => response.end('{}'));

/** The time-out for faults that nothing else ends; three attempts run into it, with pauses. */
const shortSeconds = 0.5;

type MakeFault = (sent: (bytes: number) => void) => FaultyResponse | Promise<FaultyResponse>;
const faults: [what: string, code: string, fault: MakeFault, seconds?: number][] = [
  ['is silent', 'UPSTREAM_TIMEOUT', () => noResponse, shortSeconds],
  ['drips', 'UPSTREAM_TIMEOUT', () => drip, shortSeconds],
  ['fails', 'UPSTREAM_UNAVAILABLE', () => serverError],
  ['breaks off', 'UPSTREAM_UNAVAILABLE', () => (response) => response.write('{', () => response.destroy())],
  ['answers with a page', 'UPSTREAM_BAD_RESPONSE', () => htmlPage],
  [
    'answers with half of its JSON',
    'UPSTREAM_BAD_RESPONSE',
    () => (response) => response.end('{"data":{"srrs":[{'),
  ],
  // The response is cut off at 64 MB; a busy machine may reach the time-out first.
  ['answers with 10 GB', 'UPSTREAM_BAD_RESPONSE|UPSTREAM_TIMEOUT', flood],
  ['redirects in circles', 'UPSTREAM_BAD_RESPONSE', () => redirectLoop],
  ['redirects into this machine', 'UPSTREAM_BAD_RESPONSE', async () => redirectTo((await inside()).url)],
];

it.each(faults)(
  'a subgraph that %s: its part fails with %s, the rest is complete in time, and it recovers',
  async (_what, code, fault, seconds = subgraphSeconds) => {
    const { data: honest, cids } = await world.truth();
    let sent = 0;
    const answer = await fault((bytes) => {
      sent += bytes;
    });
    const { origin, pathname } = new URL(world.info.subgraphUrl);
    const upstream = await faultyUpstream(origin, () => answer);
    const caller = await world.gatewayBefore(
      { subgraphUrls: [`${upstream.url}${pathname}`] },
      { SUBGRAPH_TIMEOUT: String(seconds) },
    );

    const { result, grown, ms } = await measured(caller.ask(joinedRead, { cid: cids[0] }));
    expect(ms).toBeLessThan(3 * shortSeconds * 1_000 + slackMs);
    expect(result.data.srrs.edges).toBeNull();
    expect(result.errors?.map(({ path, extensions }) => [path?.join('.'), extensions.code])).toEqual([
      ['srrs.edges', expect.stringMatching(`^(${code})$`)],
    ]);
    expect(result.data.metadata).toEqual(honest.metadata);
    // A response may have 64 MB; the sockets' buffers and other queries come on top.
    expect(sent).toBeLessThan(256 * 2 ** 20);
    expect(grown).toBeLessThan(256 * 2 ** 20);

    upstream.heal();
    // The subgraph recovers at once, or when the circuit breaker closes again.
    await expect
      .poll(async () => (await caller.ask(joinedRead, { cid: cids[0] })).data, {
        timeout: 20_000,
        interval: 250,
      })
      .toEqual(honest);
  },
);

it('a subgraph that is down: its part fails with a typed error, the rest is complete', async () => {
  const { data: honest, cids } = await world.truth();
  const caller = await world.gatewayBefore({ subgraphUrls: [await closedPort()] });
  const { data, errors } = await caller.ask(joinedRead, { cid: cids[0] });
  expect(data.srrs.edges).toBeNull();
  expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['UPSTREAM_UNAVAILABLE']);
  expect(data.metadata).toEqual(honest.metadata);
});
