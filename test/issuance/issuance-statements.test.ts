import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Checkpoint, checkpointChannel } from '../../src/issuance/checkpoint.ts';
import { countedStatements } from '../_util/counted-statements.ts';
import { entry } from '../_util/entries.ts';
import { startTestGateway, type TestGateway } from '../_util/gateway.ts';

const issue = `mutation ($input: IssueSRRsInput!) {
  issueSRRs(input: $input) { issuance { id } userErrors { message } }
}`;
const follow = `subscription ($id: ID!) { issuance(id: $id) { status progress { issued } } }`;

/** Statements that a replica sends on a timer: polls, recurring tasks, lease renewals. */
const isTimed = (statement: string) =>
  /^with recursive head|gateway"?\."?chore|set "lease_until" =/.test(statement);

let gateway: TestGateway;
let statements: string[];
let picture: { upload: string };

beforeAll(async () => {
  gateway = await startTestGateway({
    databaseOf: (database) => {
      const counted = countedStatements(database);
      statements = counted.statements;
      return counted.database;
    },
  });
  picture = { upload: await gateway.caller.upload('picture.png', 'NON_ATTACHMENT_FILE', 'a picture') };
});
afterAll(() => gateway?.stop());

/** Issues one record as a partner does; returns the statements up to its end, and up to its storage. */
async function statementsOfOne(): Promise<{ all: string[]; untilStored: string[] }> {
  const sent = () => statements.filter((statement) => !isTimed(statement));
  let untilStored: string[] = [];
  const onCheckpoint = (message: unknown) => {
    if ((message as { name: Checkpoint }).name === 'stored') untilStored = sent();
  };
  checkpointChannel.subscribe(onCheckpoint);
  statements.length = 0;
  const entries = [entry(gateway.info, randomUUID(), picture)];
  const { issueSRRs } = await gateway.caller.data(issue, { input: { entries } });
  expect(issueSRRs.userErrors).toEqual([]);
  const { id } = issueSRRs.issuance;
  const seen: string[] = [];
  for await (const { data } of gateway.caller.subscribe(follow, { id }, AbortSignal.timeout(30_000)))
    seen.push(data.issuance.status);
  expect(seen.at(-1)).toBe('COMPLETED');
  checkpointChannel.unsubscribe(onCheckpoint);
  return { all: sent(), untilStored };
}

it('an issuance is stored in 3 database statements and completed in at most 50', async () => {
  // The first issuance also waits for the hash of the picture and begins the event log.
  await statementsOfOne();
  const { all, untilStored } = await statementsOfOne();
  // One statement looks up the requestId, one the files, and one stores everything.
  expect(untilStored, untilStored.join('\n')).toHaveLength(3);
  // 48 to 50, because a subscriber may read two changes at once. Each statement is a round trip.
  expect(all.length, all.join('\n')).toBeLessThanOrEqual(50);
});
