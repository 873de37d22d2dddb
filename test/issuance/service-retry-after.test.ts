import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { entry } from '../_util/entries.ts';
import { issue } from '../_util/issuances.ts';
import { type RecordedGateway, startRecordedGateway } from '../_util/recorded-gateway.ts';
import { tablesOf } from '../_util/tables.ts';

let recorded: RecordedGateway;
let picture: { upload: string };
beforeAll(async () => {
  recorded = await startRecordedGateway();
  picture = {
    upload: await recorded.gateway.caller.upload('picture.png', 'NON_ATTACHMENT_FILE', 'a picture'),
  };
});

/** A collection, under a name of its own. Returns the errors of the call. */
const askForCollection = async (name: string): Promise<unknown[]> => {
  const { createCollection } = await recorded.gateway.caller.data(
    `mutation { createCollection(input: { name: "${name}", symbol: "ASK" }) { userErrors { code } } }`,
  );
  return createCollection.userErrors;
};

// A call that succeeds ends the row of failures that an earlier test began, which could open the circuit breaker.
beforeEach(() => expect.poll(() => askForCollection(randomUUID()), { timeout: 20_000 }).toEqual([]));
afterEach(() => recorded.reset());
afterAll(() => recorded?.stop());

const work = {
  srrs: {
    table: 'issuance',
    ask: (name: string) =>
      issue(recorded.gateway.caller, { entries: [entry(recorded.gateway.info, name, picture)] }),
  },
  collection: {
    table: 'collection_creation',
    ask: askForCollection,
  },
};

/** Refuses the calls to `path` about `name`, and returns their times. Those of earlier tests still retry. */
function refuse(path: string, name: string, status: number, retryAfter: string): number[] {
  const times: number[] = [];
  recorded.service.answerInstead = ({ call, body }) => {
    if (call !== path || !JSON.stringify(body).includes(name)) return undefined;
    times.push(performance.now());
    return { status, text: 'slower', headers: { 'retry-after': retryAfter } };
  };
  return times;
}

describe.each(['srrs', 'collection'] as const)('a %s call that the service refuses', (path) => {
  it.each([429, 503])('is retried with growing pauses after a %i with Retry-After: 0', async (status) => {
    const name = randomUUID();
    const times = refuse(path, name, status, '0');
    await work[path].ask(name);
    await expect.poll(() => times.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(4);
    const [first, , , fourth] = times as [number, number, number, number];
    // Each pause is at least half of 500, 1,000 and 2,000 ms.
    expect(fourth - first).toBeGreaterThan(1_700);
  });

  it.each([429, 503])(
    'is retried within a minute after a %i with a Retry-After of a month',
    async (status) => {
      const name = randomUUID();
      const times = refuse(path, name, status, '2592000');
      await work[path].ask(name);
      await expect.poll(() => times).not.toEqual([]);
      const db = tablesOf(recorded.gateway.database);
      const waits = async () => {
        const { rows } = await sql<{ seconds: number }>`
        select extract(epoch from next_at - clock_timestamp())::float as seconds
        from ${sql.table(`gateway.${work[path].table}`)}
        order by created_at desc limit 1`.execute(db);
        return rows[0]?.seconds;
      };
      await expect.poll(waits).toBeGreaterThan(30);
      expect(await waits()).toBeLessThanOrEqual(60);
    },
  );
});
