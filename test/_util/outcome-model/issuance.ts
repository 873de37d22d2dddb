import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { parseRefusal } from '../../../src/clients/commerce/call.ts';
import { readRefusal } from '../../../src/clients/commerce/refusal.ts';
import { UpstreamError } from '../../../src/model/errors.ts';
import { type EventStore, issuerNumber } from '../event-store.ts';
import { ModelledIssuance } from './modelled-issuance.ts';
import { type Fate, ModelService, tokenOf } from './service.ts';

export const duplicate = 'DUPLICATE_EXTERNAL_ID';
export const successful = 'Request Content Error: Current request already logged with status successful';

let nextIssuer = 1;

/** An issuance of `count` records against a model of the service. */
export async function startIssuance(
  { store: { db } }: EventStore,
  count: number,
  fates: Fate[],
  says = duplicate,
) {
  const name = randomUUID().slice(0, 8);
  const entries = Array.from({ length: count }, (_, i) => {
    const externalId = `${name}-${i}`;
    return { externalId, tokenId: tokenOf(externalId), mintable: true, minted: false };
  });
  const service = new ModelService(entries, says);
  service.fates = fates;
  const issuer = issuerNumber(nextIssuer++);
  const world = new ModelledIssuance(db, issuer, service);
  await world.begin();
  const [first, second] = entries.map(({ externalId }) => externalId) as [string, string];
  return { world, service, issuer, first, second };
}

export const statuses = async (one: ModelledIssuance) => (await one.entries()).map(({ status }) => status);

/** The error that the commerce client makes of a response with status 400. */
export const refusal = (message: unknown, payload: Record<string, unknown>[]) => {
  const body = Buffer.from(JSON.stringify({ statusCode: 400, message }));
  const parsed = parseRefusal({ status: 400, headers: {}, body });
  return readRefusal(parsed as NonNullable<typeof parsed>, 400, payload);
};

/** Puts the second of two entries into a request of its own. */
export async function sendApart({ store: { db } }: EventStore, { id }: ModelledIssuance): Promise<void> {
  await db
    .insertInto('issuance_batch')
    .values({ issuance_id: id, index: 1, status: 'PENDING', request_id: `${id}-1` })
    .execute();
  await db
    .updateTable('issuance_entry')
    .set({ batch: 1 })
    .where('issuance_id', '=', id)
    .where('index', '=', 1)
    .execute();
}

/** Two records in two requests: the first is accepted, and `says` is the answer to every later one. */
export async function twoRequests(store: EventStore, says: () => never) {
  const all = await startIssuance(store, 2, []);
  const { world: one, service } = all;
  await sendApart(store, one);
  const answer = service.issue.bind(service);
  service.issue = (request) => (service.accepted ? says() : answer(request));
  await one.work();
  expect(await statuses(one)).toEqual(['WAITING_FOR_MINING', 'PENDING']);
  service.mint(0);
  service.catchUp();
  service.entries.pop();
  await one.hourPasses();
  return all;
}

export const unanswered = (maybeProcessed: boolean) => (): never => {
  throw new UpstreamError(
    { code: 'UPSTREAM_UNAVAILABLE', message: 'not there' },
    { upstream: 'COMMERCE', maybeProcessed },
  );
};

/** Postpones the issuance to later than any test, and returns whether a delivery makes it due. */
export async function becomesDueBy(
  { store: { db } }: EventStore,
  one: ModelledIssuance,
  report: object,
): Promise<boolean> {
  await db
    .updateTable('issuance')
    .set({ next_at: new Date(Date.now() + 3_600_000) })
    .where('id', '=', one.id)
    .execute();
  await one.deliver(report);
  return ((await one.row()).next_at as Date).getTime() <= Date.now();
}
