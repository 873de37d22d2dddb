import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { finalOutcome, issue } from '../_util/issuances.ts';
import { type OtherGateway, otherEntry, startOtherGateway } from '../_util/other-gateway.ts';
import { tablesOf } from '../_util/tables.ts';

/** Longer than the test, so that it fails if the gateway waits for RECONCILE_AFTER. */
const reconcileAfter = '600';

let gateway: OtherGateway;
beforeAll(async () => {
  gateway = await startOtherGateway({ env: { RECONCILE_AFTER: reconcileAfter } });
});
afterAll(() => gateway?.stop());

it('an unrecognized delivery makes the gateway ask the subgraph before RECONCILE_AFTER', async () => {
  const { service, caller } = gateway;
  service.variants.deliveries.way = 'LOSE';
  const externalId = randomUUID();
  const entry = otherEntry(service, externalId, await gateway.picture());
  const id = await issue(caller, { entries: [entry] });
  // Wait until the next step of the issuance is more than a minute away.
  const db = tablesOf(gateway.database);
  await expect
    .poll(
      async () => {
        const { rows } = await sql<{ seconds: number }>`
          select extract(epoch from next_at - now())::float as seconds from gateway.issuance`.execute(db);
        return rows.some(({ seconds }) => seconds > 60);
      },
      { timeout: 20_000 },
    )
    .toBe(true);
  await service.deliveries.send(gateway.issuer.address, {
    type: 'issue_complete',
    data: [{ externalId, status: 'failed' }],
  });
  expect(await finalOutcome(caller, id)).toMatchObject({
    status: 'COMPLETED',
    entries: [{ status: 'ISSUED', outcomeSource: 'SUBGRAPH' }],
  });
}, 90_000);
