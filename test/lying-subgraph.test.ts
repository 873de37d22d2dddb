import { expect, it } from 'vitest';
import {
  circle,
  drip,
  failing,
  flood,
  type Lie,
  liarBefore,
  page,
  redirectTo,
  silence,
} from './_util/honest-or-not.ts';
import { closedPort, serve } from './_util/http-server.ts';
import { joinedRead, measured, slackMs, subgraphSeconds, useSeededWorld } from './_util/joined-reads.ts';

// A subgraph that is down, slow, broken or no subgraph at all: the lists of records are typed as missing, what
// others know stands and comes in time, and the truth is told as soon as the subgraph tells it.

const world = useSeededWorld();
const inside = () => serve((_, response) => response.end('{}'));

/** For those that only a deadline ends: it comes three times, with pauses. */
const shortSeconds = 0.5;

type MakeLie = (sent: (bytes: number) => void) => Lie | Promise<Lie>;
const lies: [what: string, code: string, lie: MakeLie, seconds?: number][] = [
  ['is silent', 'UPSTREAM_TIMEOUT', () => silence, shortSeconds],
  ['drips', 'UPSTREAM_TIMEOUT', () => drip, shortSeconds],
  ['fails', 'UPSTREAM_UNAVAILABLE', () => failing],
  ['breaks off', 'UPSTREAM_UNAVAILABLE', () => (response) => response.write('{', () => response.destroy())],
  ['answers with a page', 'UPSTREAM_BAD_RESPONSE', () => page],
  [
    'answers with half of its JSON',
    'UPSTREAM_BAD_RESPONSE',
    () => (response) => response.end('{"data":{"srrs":[{'),
  ],
  // Its 64 MB are cut off; a machine too busy to send so much in time meets the time-out first.
  ['answers with 10 GB', 'UPSTREAM_BAD_RESPONSE|UPSTREAM_TIMEOUT', flood],
  ['redirects in circles', 'UPSTREAM_BAD_RESPONSE', () => circle],
  ['redirects into this machine', 'UPSTREAM_BAD_RESPONSE', async () => redirectTo((await inside()).url)],
];

it.each(lies)(
  'a subgraph that %s: its part is %s, the rest stands, in time, and it heals',
  async (_what, code, lie, seconds = subgraphSeconds) => {
    const { data: honest, cids } = await world.truth();
    let sent = 0;
    const answer = await lie((bytes) => {
      sent += bytes;
    });
    const { origin, pathname } = new URL(world.info.subgraphUrl);
    const liar = await liarBefore(origin, () => answer);
    const caller = await world.gatewayBefore(
      { subgraphUrls: [`${liar.url}${pathname}`] },
      { SUBGRAPH_TIMEOUT: String(seconds) },
    );

    const { result, grown, ms } = await measured(caller.ask(joinedRead, { cid: cids[0] }));
    expect(ms).toBeLessThan(3 * shortSeconds * 1_000 + slackMs);
    expect(result.data.srrs.edges).toBeNull();
    expect(result.errors?.map(({ path, extensions }) => [path?.join('.'), extensions.code])).toEqual([
      ['srrs.edges', expect.stringMatching(`^(${code})$`)],
    ]);
    expect(result.data.metadata).toEqual(honest.metadata);
    // An answer may have 64 MB; what lies in the sockets' buffers, and other questions to it, come on top.
    expect(sent).toBeLessThan(256 * 2 ** 20);
    expect(grown).toBeLessThan(256 * 2 ** 20);

    liar.heal();
    // At once, or when its circuit lets calls through again.
    await expect
      .poll(async () => (await caller.ask(joinedRead, { cid: cids[0] })).data, {
        timeout: 20_000,
        interval: 250,
      })
      .toEqual(honest);
  },
);

it('a subgraph that is down: its part is typed, the rest stands', async () => {
  const { data: honest, cids } = await world.truth();
  const caller = await world.gatewayBefore({ subgraphUrls: [await closedPort()] });
  const { data, errors } = await caller.ask(joinedRead, { cid: cids[0] });
  expect(data.srrs.edges).toBeNull();
  expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['UPSTREAM_UNAVAILABLE']);
  expect(data.metadata).toEqual(honest.metadata);
});
