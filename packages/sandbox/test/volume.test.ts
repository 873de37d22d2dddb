import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { query } from '../testing/control.ts';
import { type Answer, TestIssuer } from '../testing/issuer.ts';
import { startTestSandbox, type TestSandbox } from '../testing/sandbox.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../testing/webhook-receiver.ts';

let test: TestSandbox;
let receiver: WebhookReceiver;
let issuer: TestIssuer;

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  test = await startTestSandbox({ webhooks: [{ url: receiver.url, key: 'k' }] });
  issuer = new TestIssuer(test.sandbox.info);
});
afterAll(async () => {
  await test?.stop();
  await receiver?.stop();
});

/** Prints how long something took. */
async function timed<T>(what: string, work: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const began = performance.now();
  const result = await work();
  const ms = Math.round(performance.now() - began);
  console.info(`${what}: ${ms} ms`);
  return { result, ms };
}

async function allTold(externalIds: string[]): Promise<void> {
  const waiting = new Set(externalIds);
  await expect
    .poll(
      () => {
        for (const { externalId } of receiver.entries('issue_complete')) waiting.delete(externalId as string);
        return waiting.size;
      },
      { timeout: 150_000, interval: 250 },
    )
    .toBe(0);
}

describe('one request', () => {
  it('of 250 entries with 500 files', async () => {
    const run = randomUUID();
    const names = Array.from({ length: 500 }, (_, n) => `${run}-${n}.png`);
    const payload = names.map((filename) => ({ filename, category: 'non_attachment_file' }));
    const { result: signed } = await timed('500 signed URLs in one call', () =>
      issuer.post('signedUrls', { action: 'write', payload }),
    );
    expect([signed.status, signed.body.results.length]).toEqual([201, 500]);
    await timed('500 uploads', async () => {
      for (let from = 0; from < 500; from += 20)
        await Promise.all(
          signed.body.results
            .slice(from, from + 20)
            .map(
              async ({
                url,
                contentType,
                filename,
              }: {
                url: string;
                contentType: string;
                filename: string;
              }) => {
                const headers = { 'content-type': contentType };
                const { status } = await fetch(url, { method: 'PUT', headers, body: `bytes of ${filename}` });
                expect(status).toBe(200);
              },
            ),
        );
    });
    await timed('500 hashes and CIDs', () =>
      expect
        .poll(
          async () => {
            const { body } = await issuer.post('fileMetadata', { payload });
            return body.results.filter(({ cid }: { cid?: string }) => cid !== undefined).length;
          },
          { timeout: 30_000 },
        )
        .toBe(500),
    );
    const urls = signed.body.results.map(({ finalUrl }: { finalUrl: string }) => finalUrl) as string[];
    const entries = Array.from({ length: 250 }, (_, n) =>
      issuer.entry(urls[2 * n] as string, {
        metadata: issuer.metadata(urls[2 * n] as string, { image: urls[2 * n + 1] }),
      }),
    );
    const { result: issued, ms } = await timed('250 entries with 500 files accepted', () =>
      issuer.post('srrs', { payload: entries }),
    );
    expect(issued.status, JSON.stringify(issued.body).slice(0, 500)).toBe(201);
    expect(ms).toBeLessThan(30_000);
    const ids = entries.map(({ externalId }) => externalId as string);
    expect(issued.body.results.map(({ externalId }: { externalId: string }) => externalId)).toEqual(ids);
    await timed('and all 250 told', () => allTold(ids));
  }, 120_000);

  it('of 5,000 entries', async () => {
    const { finalUrl } = await issuer.uploadReady('many.png', 'non_attachment_file', 'one picture for all');
    const entries = Array.from({ length: 5_000 }, () => issuer.entry(finalUrl));
    const { result: issued, ms } = await timed('5,000 entries accepted', () =>
      issuer.post('srrs', { payload: entries }),
    );
    expect(issued.status, JSON.stringify(issued.body).slice(0, 500)).toBe(201);
    expect(issued.body.results).toHaveLength(5_000);
    // A caller's time-out for one request; an idle machine needs a fraction of it.
    expect(ms).toBeLessThan(60_000);
    await timed('and all 5,000 told', () => allTold(entries.map(({ externalId }) => externalId as string)));
    const last = issued.body.results.at(-1).srr.tokenId as string;
    await expect
      .poll(
        async () =>
          (await query(test.sandbox.info, `{ srrs(where: { tokenId: "${last}" }) { id } }`)).data.srrs.length,
        { timeout: 30_000 },
      )
      .toBe(1);
  }, 300_000);
});

/** Sends all at once. Returns how many were accepted, and the messages of the others. */
async function race(requests: Promise<Answer>[]): Promise<{ won: Answer[]; lost: string[] }> {
  const answers = await Promise.all(requests);
  const won = answers.filter(({ status }) => status === 201);
  const refused = answers.filter(({ status }) => status !== 201);
  return {
    won,
    lost: refused.map(({ status, body }) => {
      expect(status).toBe(400);
      return body.message.results?.[0].message ?? body.message;
    }),
  };
}

describe('at the same moment', () => {
  let image: string;
  beforeAll(async () => {
    image = (await issuer.uploadReady('race.png', 'non_attachment_file', 'race')).finalUrl;
  });
  const eight = Array.from({ length: 8 }, (_, n) => n);

  it('identical requests: one is accepted, the others are duplicates', async () => {
    const payload = [issuer.entry(image)];
    const { won, lost } = await race(eight.map(() => issuer.post('srrs', { payload })));
    expect(won).toHaveLength(1);
    for (const message of lost)
      expect(message).toMatch(
        /^Request Content Error: Current request already logged with status (in_progress|successful)$/,
      );
    await allTold([payload[0]?.externalId as string]);
  });

  it('other content under one requestId: one wins', async () => {
    const requestId = randomUUID();
    const { won, lost } = await race(
      eight.map(() => issuer.post('srrs', { requestId, payload: [issuer.entry(image)] })),
    );
    expect(won).toHaveLength(1);
    expect(new Set(lost)).toEqual(new Set(['Duplicate Request Error: Same requestId already logged']));
  });

  it('one externalId: one wins', async () => {
    const externalId = randomUUID();
    const { won, lost } = await race(
      eight.map(() => issuer.post('srrs', { payload: [issuer.entry(image, { externalId })] })),
    );
    expect(won).toHaveLength(1);
    expect(new Set(lost)).toEqual(new Set(['DUPLICATE_EXTERNAL_ID']));
  });

  it('one chip: one wins, whoever the issuers are', async () => {
    const other = new TestIssuer(test.sandbox.info, 1);
    const theirs = (await other.uploadReady('race.png', 'non_attachment_file', 'race')).finalUrl;
    const chip = randomBytes(8).toString('hex').toUpperCase();
    const chips = { chipUIDs: [chip], vendorCertICTagUIDs: [chip] };
    const { won, lost } = await race(
      eight.map((n) => {
        const [caller, picture] = n % 2 === 0 ? ([issuer, image] as const) : ([other, theirs] as const);
        const metadata = caller.metadata(picture, chips);
        return caller.post('srrs', { payload: [caller.entry(picture, { metadata })] });
      }),
    );
    expect(won).toHaveLength(1);
    expect(new Set(lost)).toEqual(new Set(['DUPLICATE_CHIP']));
  });

  it('one metadata of one artist: one wins', async () => {
    const metadata = issuer.metadata(image);
    const { won, lost } = await race(
      eight.map(() => issuer.post('srrs', { payload: [issuer.entry(image, { metadata })] })),
    );
    expect(won).toHaveLength(1);
    expect(new Set(lost)).toEqual(new Set(['DUPLICATE_METADATA']));
  });

  it('one filename: one upload wins, and its bytes stay', async () => {
    const { url, contentType, finalUrl } = await issuer.sign(`${randomUUID()}.txt`, 'artwork');
    const uploads = await Promise.all(
      eight.map(async (n) => {
        const headers = { 'content-type': contentType };
        return { n, status: (await fetch(url, { method: 'PUT', headers, body: `upload ${n}` })).status };
      }),
    );
    const won = uploads.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(new Set(uploads.filter(({ status }) => status !== 200).map(({ status }) => status))).toEqual(
      new Set([412]),
    );
    expect(await (await fetch(finalUrl)).text()).toBe(`upload ${won[0]?.n}`);
  });
});
