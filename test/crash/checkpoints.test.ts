import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Checkpoint, checkpoints } from '../../src/issuance/checkpoint.ts';
import { type CrashingGateway, crashingGateway } from '../_util/crashing-gateway.ts';

const lostAnswer = { kind: 'response', route: 'srrs', effect: 'drop', when: 'after' };
const lostRequest = { ...lostAnswer, when: 'before' };
const lostWebhooks = { kind: 'webhook', effect: 'drop', times: 20 };

/** Faults without which a checkpoint is not passed. */
const faultsBefore: Partial<Record<Checkpoint, object[]>> = {
  'marked-as-unknown': [lostAnswer],
  'asked-again': [lostRequest],
  'new-key-recorded': [lostAnswer, lostWebhooks],
  'index-asked': [lostWebhooks],
  'index-recorded': [lostAnswer, lostWebhooks],
};

describe('a gateway that is killed', () => {
  let gateway: CrashingGateway;
  beforeAll(async () => {
    gateway = await crashingGateway();
  });
  afterEach(() => gateway.clearFaults());
  afterAll(() => gateway.stop());

  it.each(checkpoints.filter((name) => name !== 'refusal-recorded'))(
    'at "%s" ends every issuance true, each record minted once',
    async (checkpoint) => {
      for (const fault of faultsBefore[checkpoint] ?? []) await gateway.arm(fault);
      gateway.dieAt(checkpoint);
      await gateway.issue(checkpoint);
      const { status, entries } = await gateway.finish(checkpoint);
      expect(gateway.died()).toBe(true);
      expect(status).toBe('COMPLETED');
      expect(entries.map((one) => one.status)).toEqual(['ISSUED', 'ISSUED']);
      expect(await gateway.mints(entries.map(({ tokenId }) => tokenId))).toEqual([1, 1]);
    },
  );

  it('at "refusal-recorded" keeps the refusal, and nothing is minted', async () => {
    gateway.dieAt('refusal-recorded');
    await gateway.issue('refused', { artistAddress: `0x${'0'.repeat(38)}aa` });
    const { status, entries } = await gateway.finish('refused');
    expect(gateway.died()).toBe(true);
    expect(status).toBe('REJECTED');
    expect(entries.map((one) => one.status)).toEqual(['FAILED', 'FAILED']);
  });
});
