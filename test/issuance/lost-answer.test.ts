import { randomUUID } from 'node:crypto';
import { control } from '@srr-gateway/sandbox/testing/control';
import { mintsOf } from '@srr-gateway/sandbox/testing/mints';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { entry } from '../_util/entries.ts';
import type { TestGateway } from '../_util/gateway.ts';
import { finalOutcome, issue, type Outcome, outcomeOf } from '../_util/issuances.ts';
import { type RecordedGateway, startRecordedGateway } from '../_util/recorded-gateway.ts';
import type { RecordingProxy } from '../_util/recording-proxy.ts';

describe('a request whose answer is lost', () => {
  let recorded: RecordedGateway;
  let gateway: TestGateway;
  let service: RecordingProxy;
  let picture: { upload: string };

  beforeAll(async () => {
    // Short, so that the gateway soon searches the chain for an outcome that no webhook reports.
    recorded = await startRecordedGateway({ env: { ISSUE_TIMEOUT: '3', RECONCILE_AFTER: '2' } });
    ({ gateway, service } = recorded);
    picture = { upload: await gateway.caller.upload('picture.png', 'NON_ATTACHMENT_FILE', 'a picture') };
  });
  afterEach(async () => {
    await recorded.reset();
    await pauseWebhooks(false);
  });
  afterAll(() => recorded?.stop());

  const arm = (fault: object) => control(gateway.sandbox.sandbox, 'faults', fault);
  const pauseWebhooks = (webhooksPaused: boolean) =>
    control(gateway.sandbox.sandbox, 'settings', { webhooksPaused });

  /** Issues two records and waits for their outcome, which must match the chain. */
  async function issueAndWait(beforeWebhooks = async () => {}): Promise<Outcome> {
    // A webhook that came first would already show the result of the request.
    await pauseWebhooks(true);
    const entries = [randomUUID(), randomUUID()].map((one) => entry(gateway.info, one, picture));
    const id = await issue(gateway.caller, { entries });
    const states = async () => (await outcomeOf(gateway.caller, id)).history.map(({ status }) => status);
    await expect.poll(states, { timeout: 40_000, interval: 100 }).toContain('OUTCOME_UNKNOWN');
    await beforeWebhooks();
    await pauseWebhooks(false);
    const outcome = await finalOutcome(gateway.caller, id);
    expect(outcome.status).toBe('COMPLETED');
    expect(outcome.entries.map(({ status }) => status)).toEqual(['ISSUED', 'ISSUED']);
    const tokens = outcome.entries.map(({ srr }) => srr?.tokenId);
    expect(await mintsOf(gateway.info.rpcUrl, tokens)).toEqual([1, 1]);
    return outcome;
  }

  it.each([
    ['the connection is cut after the request was processed', { effect: 'drop', when: 'after' }],
    ['the connection is cut before the request was processed', { effect: 'drop', when: 'before' }],
    ['502 comes after the request was processed', { effect: '502', when: 'after' }],
    ['502 comes before the request was processed', { effect: '502', when: 'before' }],
    ['the answer is lost twice', { effect: 'drop', when: 'after', times: 2 }],
    ['the answer comes after the time-out', { effect: 'late', when: 'after', delayMs: 6_000 }],
  ])('is completed, and each record is minted once: %s', async (_, fault) => {
    await arm({ kind: 'response', route: 'srrs', ...fault });
    await issueAndWait();
  });

  it('is repeated, ever more rarely, while the service answers that it is still in progress', async () => {
    // The work ends long after the time-out; the gateway repeats the request about four times until then.
    await arm({ kind: 'publishing', delayMs: 15_000 });
    const answers = () =>
      service.calls.filter(({ call }) => call === 'srrs').map(({ answer }) => answer?.text ?? '');
    const saying = (text: string) => answers().filter((answer) => answer.includes(text)).length;
    await issueAndWait(() =>
      expect.poll(() => saying('in_progress'), { timeout: 20_000 }).toBeGreaterThanOrEqual(3),
    );
    expect(saying('"results"')).toBeLessThanOrEqual(1);
  });

  it('is completed from the subgraph when its webhooks are lost as well', async () => {
    await arm({ kind: 'response', route: 'srrs', effect: 'drop', when: 'after' });
    await arm({ kind: 'webhook', effect: 'drop', times: 10 });
    const { entries } = await issueAndWait();
    expect(entries.map(({ outcomeSource }) => outcomeSource)).toEqual(['SUBGRAPH', 'SUBGRAPH']);
  });

  it('that a proxy refuses is rejected after a bounded number of retries', async () => {
    service.answerInstead = ({ call }) =>
      call === 'srrs' ? { status: 413, text: '<html>Request Entity Too Large</html>' } : undefined;
    const id = await issue(gateway.caller, { entries: [entry(gateway.info, randomUUID(), picture)] });
    const { status, error } = await finalOutcome(gateway.caller, id, 55_000);
    service.answerInstead = undefined;
    expect(status).toBe('REJECTED');
    expect(error).toMatchObject({ code: 'UPSTREAM_BAD_RESPONSE', message: expect.stringContaining('413') });
    expect(service.counts().srrs).toBe(7);
  });
});
