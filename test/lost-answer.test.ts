import { control } from '@srr-gateway/sandbox/testing/control';
import { mintsOf } from '@srr-gateway/sandbox/testing/mints';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { entry } from './_util/entries.ts';
import type { TestGateway } from './_util/gateway.ts';
import { finalOutcome, issue, type Outcome, outcomeOf } from './_util/issuances.ts';
import type { RecordingProxy } from './_util/recording-proxy.ts';
import { startWatchedGateway, type WatchedGateway } from './_util/watched-gateway.ts';

describe('a request whose answer is lost', () => {
  let watched: WatchedGateway;
  let gateway: TestGateway;
  let service: RecordingProxy;
  let picture: { upload: string };

  beforeAll(async () => {
    // Short, so that what no webhook tells is soon looked for on chain.
    watched = await startWatchedGateway({ env: { ISSUE_TIMEOUT: '3', RECONCILE_AFTER: '2' } });
    ({ gateway, service } = watched);
    picture = { upload: await gateway.caller.upload('picture.png', 'NON_ATTACHMENT_FILE', 'a picture') };
  });
  afterEach(() => watched.reset());
  afterAll(() => watched?.stop());

  const arm = (fault: object) => control(gateway.sandbox.sandbox, 'faults', fault);
  const pauseWebhooks = (webhooksPaused: boolean) =>
    control(gateway.sandbox.sandbox, 'settings', { webhooksPaused });

  /** Issues two records and waits for the end of it, which must be true on chain. */
  async function issueAndWait(name: string, beforeItIsTold = async () => {}): Promise<Outcome> {
    // An outcome that is told first would show by itself what became of the request.
    await pauseWebhooks(true);
    const entries = [`${name}-a`, `${name}-b`].map((one) => entry(gateway.info, one, picture));
    const id = await issue(gateway.caller, { entries });
    const states = async () => (await outcomeOf(gateway.caller, id)).history.map(({ status }) => status);
    await expect.poll(states, { timeout: 40_000, interval: 100 }).toContain('OUTCOME_UNKNOWN');
    await beforeItIsTold();
    await pauseWebhooks(false);
    const outcome = await finalOutcome(gateway.caller, id);
    expect(outcome.status).toBe('COMPLETED');
    expect(outcome.entries.map(({ status }) => status)).toEqual(['ISSUED', 'ISSUED']);
    const tokens = outcome.entries.map(({ srr }) => srr?.tokenId);
    expect(await mintsOf(gateway.info.rpcUrl, tokens)).toEqual([1, 1]);
    return outcome;
  }

  it.each([
    ['the connection is cut after it was processed', { effect: 'drop', when: 'after' }],
    ['the connection is cut before it was processed', { effect: 'drop', when: 'before' }],
    ['502 comes after it was processed', { effect: '502', when: 'after' }],
    ['502 comes before it was processed', { effect: '502', when: 'before' }],
    ['the answer is lost twice', { effect: 'drop', when: 'after', times: 2 }],
    ['the answer comes after the time-out', { effect: 'late', when: 'after', delayMs: 6_000 }],
  ])('ends final and true with one issuance: %s', async (name, fault) => {
    await arm({ kind: 'response', route: 'srrs', ...fault });
    await issueAndWait(name.replaceAll(' ', '-'));
  });

  it('waits while the service says again and again that the work is in progress', async () => {
    // Ended long after the time-out: the gateway asks some four times, ever more rarely, before that.
    await arm({ kind: 'publishing', delayMs: 15_000 });
    const answers = () =>
      service.calls.filter(({ call }) => call === 'srrs').map(({ answer }) => answer?.text ?? '');
    const saying = (text: string) => answers().filter((answer) => answer.includes(text)).length;
    await issueAndWait('still-working', () =>
      expect.poll(() => saying('in_progress'), { timeout: 20_000 }).toBeGreaterThanOrEqual(3),
    );
    expect(saying('"results"')).toBeLessThanOrEqual(1);
  });

  it('is found on chain when its webhooks are lost as well', async () => {
    await arm({ kind: 'response', route: 'srrs', effect: 'drop', when: 'after' });
    await arm({ kind: 'webhook', effect: 'drop', times: 10 });
    const { entries } = await issueAndWait('all-lost');
    expect(entries.map(({ outcomeSource }) => outcomeSource)).toEqual(['SUBGRAPH', 'SUBGRAPH']);
  });

  it('that a proxy on the way refuses ends as refused, and not in an endless repetition', async () => {
    service.answerInstead = ({ call }) =>
      call === 'srrs' ? { status: 413, text: '<html>Request Entity Too Large</html>' } : undefined;
    const id = await issue(gateway.caller, { entries: [entry(gateway.info, 'too-large', picture)] });
    const { status, error } = await finalOutcome(gateway.caller, id, 55_000);
    service.answerInstead = undefined;
    expect(status).toBe('REJECTED');
    expect(error).toMatchObject({ code: 'UPSTREAM_BAD_RESPONSE', message: expect.stringContaining('413') });
    expect(service.counts().srrs).toBe(7);
  });
});
