import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EventStore, eventStore, issuerNumber } from '../_util/event-store.ts';
import { ModelledIssuance } from '../_util/outcome-model/modelled-issuance.ts';
import { type Fate, fates, ModelService, tokenOf } from '../_util/outcome-model/service.ts';

/** A sequence takes a third of a second on the embedded database. `npm run test:outcomes` runs 2,000. */
const sequences = Number(process.env.OUTCOME_SEQUENCES ?? 100);
const seed = Number(process.env.OUTCOME_SEED ?? 20_261_122);

let store: EventStore;
beforeAll(async () => {
  store = await eventStore();
});
afterAll(() => store?.stop());

/** An event in the gateway, in the service, on chain, or between them. */
type Action =
  | { does: 'work' | 'watch' | 'hour' | 'index' }
  | {
      does: 'mint' | 'issued' | 'failed' | 'contradiction' | 'unknown kind';
      entry: number;
      shape: number;
      /** Whether a delivery is stored in one transaction with the next one. */
      joinsNext: boolean;
    };

const simple = fc.constantFrom('work', 'work', 'work', 'watch', 'hour', 'index' as const);
const aboutEntry = fc.constantFrom('mint', 'issued', 'failed', 'contradiction', 'unknown kind' as const);
const action: fc.Arbitrary<Action> = fc.oneof(
  simple.map((does) => ({ does }) as Action),
  fc.record({
    does: aboutEntry,
    entry: fc.nat(2),
    shape: fc.nat(3),
    joinsNext: fc.boolean(),
  }) as fc.Arbitrary<Action>,
);

const sequence = fc.record({
  mintable: fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }),
  fates: fc.array(fc.constantFrom<Fate>(...fates), { maxLength: 5 }),
  saysDuplicate: fc.constantFrom(
    'Request Content Error: Current request already logged with status successful',
    'Request Content Error: Current request already logged with status in_progress',
    'DUPLICATE_EXTERNAL_ID',
  ),
  actions: fc.array(action, { maxLength: 14 }),
});

let nextIssuer = 1;

it(`outcomes match the chain after ${sequences} random sequences of faults and deliveries`, async () => {
  await fc.assert(
    fc.asyncProperty(sequence, async ({ mintable, fates: planned, saysDuplicate, actions }) => {
      const name = randomUUID().slice(0, 8);
      const entries = mintable.map((one, i) => {
        const externalId = `${name}-${i}`;
        return { externalId, tokenId: tokenOf(externalId), mintable: one, minted: false };
      });
      const service = new ModelService(entries, saysDuplicate);
      service.fates = [...planned];
      const world = new ModelledIssuance(store.store.db, issuerNumber(nextIssuer++), service);
      await world.begin();
      const failuresSent = new Set<number>();
      let before = await world.progress();
      for (const one of actions) {
        const isDelivery = 'entry' in one && one.does !== 'mint';
        if (!isDelivery) await world.storeDeliveries();
        await perform(one, world, service, failuresSent);
        if (isDelivery && !one.joinsNext) await world.storeDeliveries();
        const after = await world.progress();
        expect(after.accepted).toBeGreaterThanOrEqual(before.accepted);
        expect(after.issued).toBeGreaterThanOrEqual(before.issued);
        expect(after.issued + after.failed).toBeGreaterThanOrEqual(before.issued + before.failed);
        before = after;
      }
      await world.storeDeliveries();
      await comeToRest(world, service);
      await judgeEnd(world, service, failuresSent);
      await world.end();
    }),
    { numRuns: sequences, seed, endOnFailure: false },
  );
}, 3_600_000);

async function perform(one: Action, world: ModelledIssuance, service: ModelService, failures: Set<number>) {
  switch (one.does) {
    case 'work':
      return world.work();
    case 'watch':
      return world.watch();
    case 'hour':
      return world.hourPasses();
    case 'index':
      return service.catchUp();
    case 'mint':
      service.indexIsCurrent = false;
      return service.mint(one.entry);
    default:
      return deliver(one, world, service, failures);
  }
}

/** Sends a delivery that a correct service may send in its current state. */
function deliver(
  { does, entry: index, shape }: Extract<Action, { entry: number }>,
  world: ModelledIssuance,
  service: ModelService,
  failures: Set<number>,
) {
  const entry = service.entries[index];
  if (!entry || !service.reached) return;
  const { externalId, tokenId } = entry;
  const ids = [
    { externalId, tokenId },
    { externalId, srr: { tokenId, collectionContractAddress: null } },
    { externalId },
    { srrId: tokenId },
  ][shape];
  const nonce = { nonce: randomUUID() };
  switch (does) {
    case 'issued':
      if (entry.minted) world.arrive({ type: 'issue_complete', data: [{ ...ids, ...nonce }] });
      return;
    case 'failed': {
      // The failure may be true, premature (the service retries), late, or about an earlier request.
      if (!service.accepted && shape === 3) return;
      failures.add(index);
      // Without a nonce, a repeated delivery and a second failure for the same reason have the same bytes.
      const own = shape === 0 ? {} : nonce;
      const message = shape === 1 || index === 1 ? 'DUPLICATE_EXTERNAL_ID' : 'out of gas';
      const named = shape === 3 ? ids : { externalId };
      return world.arrive({ type: 'issue_failed', data: [{ ...named, message, ...own }] });
    }
    case 'contradiction':
      return world.arrive({ type: 'issue_complete', data: { ...ids, status: 'failed', ...nonce } });
    default:
      return world.arrive({ type: 'something_new', ...ids, ...nonce });
  }
}

/** Ends all faults, mints what can be minted, and runs the gateway until it has nothing left to do. */
async function comeToRest(world: ModelledIssuance, service: ModelService): Promise<void> {
  service.fates = [];
  for (let rounds = 0; rounds < 6; rounds++) {
    await world.work();
    for (const index of service.entries.keys()) service.mint(index);
    service.catchUp();
    await world.hourPasses();
    await world.watch();
  }
}

async function judgeEnd(
  world: ModelledIssuance,
  service: ModelService,
  failures: Set<number>,
): Promise<void> {
  const row = await world.row();
  const entries = await world.entries();
  const waits = entries.some(({ status }) => status === 'WAITING_FOR_MINING');
  const all = await world.visibleOutcomes();
  // All events are about this issuance, except a failure by a token id that the service never reported.
  const named = all.filter(({ externalId, type }) => externalId !== null || type !== 'SRR_FAILED');
  expect(
    named.filter(({ externalId }) => !service.entries.some((one) => one.externalId === externalId)),
  ).toEqual([]);
  for (const entry of entries) {
    const { minted, externalId } = service.entries[entry.index] as ModelService['entries'][number];
    const reported = all.filter((one) => one.externalId === externalId).map(({ type }) => type);
    const seen = { status: row.status, minted, entry: entry.status, reported };
    if (minted) {
      expect(seen).toMatchObject({ status: waits ? 'WAITING_FOR_MINING' : 'COMPLETED', entry: 'ISSUED' });
      expect(
        reported.filter((type) => type === 'SRR_ISSUED'),
        JSON.stringify(seen),
      ).toHaveLength(1);
      expect(reported.at(-1), JSON.stringify(seen)).toBe('SRR_ISSUED');
      expect(reported.length, JSON.stringify(seen)).toBeLessThanOrEqual(2);
    } else {
      // Without a reported failure the entry goes on waiting.
      expect(['FAILED', 'WAITING_FOR_MINING'], JSON.stringify(seen)).toContain(entry.status);
      expect(reported, JSON.stringify(seen)).toEqual(entry.status === 'FAILED' ? ['SRR_FAILED'] : []);
      if (entry.outcome_source === 'WEBHOOK') expect(failures).toContain(entry.index);
    }
  }
}
