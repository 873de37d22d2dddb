import { randomUUID } from 'node:crypto';
import { control } from '@srr-gateway/sandbox/testing/control';
import { mintsOf } from '@srr-gateway/sandbox/testing/mints';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { entry } from '../_util/entries.ts';
import { startTestGateway, type TestGateway } from '../_util/gateway.ts';
import { finalOutcome, issue, type Outcome } from '../_util/issuances.ts';

/** An address that no licensed user has, which only the service can know. */
const unknownArtist = `0x${'0'.repeat(38)}aa`;

describe('a large batch', () => {
  let gateway: TestGateway;
  let picture: { upload: string };

  beforeAll(async () => {
    gateway = await startTestGateway({ env: { RECONCILE_AFTER: '2' } });
    picture = { upload: await gateway.caller.upload('picture.png', 'NON_ATTACHMENT_FILE', 'a picture') };
  });
  afterEach(async () => {
    await fetch(`${gateway.info.commerceUrl}/sandbox/faults`, { method: 'DELETE' });
  });
  afterAll(() => gateway?.stop());

  const records = (count: number) => {
    const run = randomUUID();
    return Array.from({ length: count }, (_, i) => entry(gateway.info, `${run}-${i}`, picture));
  };

  const issueAndWait = async (input: object) =>
    finalOutcome(gateway.caller, await issue(gateway.caller, input), 90_000);

  const mints = ({ entries }: Outcome) =>
    mintsOf(
      gateway.info.rpcUrl,
      entries.map(({ srr }) => srr?.tokenId),
    );

  /** Counts the entries by their description. */
  function counts(entries: Outcome['entries'], describeEntry: (one: Outcome['entries'][number]) => string) {
    const groups = Map.groupBy(entries, describeEntry);
    return Object.fromEntries([...groups].map(([description, those]) => [description, those.length]));
  }

  it('is completed from the subgraph when all its webhooks are lost', {
    timeout: 120_000,
  }, async () => {
    await control(gateway.sandbox.sandbox, 'faults', { kind: 'webhook', effect: 'drop', times: 1_000 });
    const outcome = await issueAndWait({ entries: records(250) });
    expect(outcome.status).toBe('COMPLETED');
    expect(counts(outcome.entries, (one) => `${one.status} ${one.outcomeSource}`)).toEqual({
      'ISSUED SUBGRAPH': 250,
    });
    expect(await mints(outcome)).toEqual(Array(250).fill(1));
  });

  it('with one bad entry is rejected with an error at that entry, and is issued once it is corrected', {
    timeout: 120_000,
  }, async () => {
    const entries = records(250);
    const bad = entries.with(137, { ...entries[137], artistAddress: unknownArtist });
    const refused = await issueAndWait({ entries: bad });
    expect(refused.status).toBe('REJECTED');
    expect(refused.error).toMatchObject({ code: 'UNKNOWN_ARTIST' });
    expect(counts(refused.entries, (one) => `${one.status} ${one.error?.code}`)).toEqual({
      'FAILED UNKNOWN_ARTIST': 1,
      'FAILED SRR_NOT_CREATED': 249,
    });
    expect(refused.entries[137]?.error).toMatchObject({
      code: 'UNKNOWN_ARTIST',
      path: ['input', 'entries', '137', 'artistAddress'],
    });
    expect(refused.entries[0]?.error?.message).toContain('another entry of the same request failed');
    expect(refused.entries.filter(({ srr }) => srr)).toEqual([]);

    const issued = await issueAndWait({ entries });
    expect(issued.status).toBe('COMPLETED');
    expect(counts(issued.entries, (one) => one.status)).toEqual({ ISSUED: 250 });
    expect(await mints(issued)).toEqual(Array(250).fill(1));
  });

  it('split into requests of 250 fails only in the request with the bad entry', {
    timeout: 120_000,
  }, async () => {
    const entries = records(600);
    const bad = entries.with(300, { ...entries[300], artistAddress: unknownArtist });
    const outcome = await issueAndWait({ entries: bad, batching: 'BATCHES_OF_250' });
    expect(outcome.status).toBe('COMPLETED');
    const result = (one: Outcome['entries'][number]) => `${one.status} ${one.error?.code ?? ''}`.trim();
    expect(counts(outcome.entries.slice(0, 250), result)).toEqual({ ISSUED: 250 });
    expect(counts(outcome.entries.slice(250, 500), result)).toEqual({
      'FAILED UNKNOWN_ARTIST': 1,
      'FAILED SRR_NOT_CREATED': 249,
    });
    expect(counts(outcome.entries.slice(500), result)).toEqual({ ISSUED: 100 });
    expect(result(outcome.entries[300] as Outcome['entries'][number])).toBe('FAILED UNKNOWN_ARTIST');
    // The service refused one of the three requests.
    expect(outcome.history.map(({ reason }) => reason)).not.toContain('the service accepted it');
  });
});
