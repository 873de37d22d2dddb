import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Checkpoint, checkpoints } from '../../../src/issuance/checkpoint.ts';
import { entry } from '../entries.ts';
import { type RetryingClient, retryingClient } from './client.ts';
import type { Fleet } from './fleet.ts';
import { OutcomeChecks } from './outcome-checks.ts';
import { unreleasedIssuances } from './unreleased-issuances.ts';

const lostAnswer = { kind: 'response', route: 'srrs', effect: 'drop', when: 'after' };
const lostRequest = { ...lostAnswer, when: 'before' };
const lostWebhooks = { kind: 'webhook', effect: 'drop', times: 20 };

/** The faults of the service that lead an issuance through a checkpoint. */
const faultsBefore: Partial<Record<Checkpoint, object[]>> = {
  'marked-as-unknown': [lostAnswer],
  'asked-again': [lostRequest],
  'new-key-recorded': [lostAnswer, lostWebhooks],
  'subgraph-asked': [lostWebhooks],
  'subgraph-recorded': [lostAnswer, lostWebhooks],
};

/** Tests that an issuance ends correctly, and once, when a gateway dies at any checkpoint. */
export function checkpointSuite(
  who: string,
  options: {
    start(): Promise<Fleet>;
    /** When a dead gateway starts again: when a call fails, or only after another has finished the work. */
    revive: 'when-nobody-answers' | 'when-it-is-over';
  },
): void {
  describe(who, () => {
    let fleet: Fleet;
    let client: RetryingClient;
    let verdict: OutcomeChecks;
    let picture: { upload: string };
    let tries = 0;

    beforeAll(async () => {
      fleet = await options.start();
      client = retryingClient(
        fleet.caller,
        options.revive === 'when-nobody-answers' ? { beforeRetry: () => fleet.revive() } : {},
      );
      verdict = new OutcomeChecks(fleet.info);
      picture = await client.upload('picture.png');
    });
    afterEach(async () => {
      fleet.order.withdraw();
      await fleet.clearFaults();
      await fleet.revive();
    });
    afterAll(async () => {
      process.stdout.write(`${who}, at every checkpoint: ${verdict}\n`);
      await fleet?.stop();
    });

    async function dieAndFinish(
      checkpoint: Checkpoint,
      expected: { status: 'COMPLETED' | 'REJECTED'; entry: string },
      over: Record<string, unknown> = {},
    ): Promise<void> {
      const requestId = `${checkpoint}-${++tries}`;
      const names = ['a', 'b'].map((name) => `${requestId}-${name}`);
      const requested = {
        requestId,
        entries: names.map((name) => entry(fleet.info, name, picture, over)),
        expected: {
          status: expected.status,
          entries: names.map((externalId) => ({ externalId, status: expected.entry })),
        },
      };
      fleet.order.killAt(checkpoint);
      await client.issue(requested.requestId, requested.entries);
      const outcome = await client.finish(requested.requestId);
      // The lease may be released only after the end of the issuance.
      await expect.poll(() => fleet.order.killedAt(), { timeout: 5_000 }).toBe(checkpoint);
      await verdict.expectOutcomes([{ requested, outcome }]);
    }

    it.each(checkpoints.filter((name) => name !== 'refusal-recorded'))(
      'at "%s" ends every issuance correctly, with each record minted once',
      async (checkpoint) => {
        for (const fault of faultsBefore[checkpoint] ?? []) await fleet.arm(fault);
        await dieAndFinish(checkpoint, { status: 'COMPLETED', entry: 'ISSUED' });
      },
    );

    it('at "refusal-recorded" keeps the refusal, and mints nothing', async () => {
      const unknownArtist = { artistAddress: `0x${'0'.repeat(38)}aa` };
      await dieAndFinish('refusal-recorded', { status: 'REJECTED', entry: 'FAILED' }, unknownArtist);
    });

    it('leaves no lease behind', async () => {
      expect(await unreleasedIssuances(fleet)).toEqual([]);
    });
  });
}
