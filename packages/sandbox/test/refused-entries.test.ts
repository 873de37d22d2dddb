import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type IssueBench, startIssueBench } from './issue-bench.ts';

const cancelled = 'SRR_NOT_CREATED: Not created because there is SRR in the same batch that error';
const stranger = '0x00000000000000000000000000000000000000aa';

let at: IssueBench;
beforeAll(async () => {
  at = await startIssueBench();
});
afterAll(() => at?.stop());

describe('an entry fails, and cancels the rest of its batch, for', () => {
  async function expectFailure(bad: Record<string, unknown>, message: string): Promise<void> {
    const good = at.entry();
    const answer = await at.issuer.post('srrs', { payload: [good, bad] });
    expect(answer).toEqual({
      status: 400,
      body: {
        statusCode: 400,
        message: {
          results: [
            { status: 'failed', externalId: good.externalId, message: cancelled },
            { status: 'failed', externalId: bad.externalId, message },
          ],
        },
      },
    });
    // Nothing of the batch was issued, so the valid entry can be sent again.
    expect((await at.issuer.post('srrs', { payload: [good] })).status).toBe(201);
  }

  it('an unknown artist', () => expectFailure(at.entry({ artistAddress: stranger }), 'UNKNOWN_ARTIST'));

  it('an externalId that was used, also by another case of failure', async () => {
    const externalId = randomUUID();
    expect((await at.issuer.post('srrs', { payload: [at.entry({ externalId })] })).status).toBe(201);
    await expectFailure(at.entry({ externalId }), 'DUPLICATE_EXTERNAL_ID');
    // Each issuer has its own externalIds.
    const theirs = (await at.other.uploadReady('own.png', 'artwork', 'own')).finalUrl;
    expect((await at.other.post('srrs', { payload: [at.other.entry(theirs, { externalId })] })).status).toBe(
      201,
    );
  });

  it('metadata that was issued, however its keys are ordered', async () => {
    const metadata = at.issuer.metadata(at.image);
    expect((await at.issuer.post('srrs', { payload: [at.entry({ metadata })] })).status).toBe(201);
    const reordered = Object.fromEntries(Object.entries(metadata).reverse());
    await expectFailure(at.entry({ metadata: reordered }), 'DUPLICATE_METADATA');
    const artistAddress = at.test.sandbox.info.artists[1]?.address;
    expect((await at.issuer.post('srrs', { payload: [at.entry({ metadata, artistAddress })] })).status).toBe(
      201,
    );
  });

  it('chips that are malformed or taken', async () => {
    const chipped = (...chips: string[]) => at.withMetadata({ chipUIDs: chips, vendorCertICTagUIDs: chips });
    const chip = randomBytes(7).toString('hex');
    await expectFailure(chipped('not a chip'), 'INVALID_CHIP');
    expect((await at.issuer.post('srrs', { payload: [chipped(chip.toUpperCase())] })).status).toBe(201);
    await expectFailure(chipped(chip), 'DUPLICATE_CHIP');
    await expectFailure(chipped('04a2b3c4d5e6f8', '04a2b3c4d5e6f8'), 'DUPLICATE_CHIP');
  });

  it('a value that an earlier entry of the same request uses', async () => {
    const externalId = randomUUID();
    const { body } = await at.issuer.post('srrs', {
      payload: [at.entry({ externalId }), at.entry({ externalId })],
    });
    expect(body.message.results.map((result: { message: string }) => result.message)).toEqual([
      cancelled,
      'DUPLICATE_EXTERNAL_ID',
    ]);
  });

  it('a value that a concurrent request uses', async () => {
    const externalId = randomUUID();
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => at.issuer.post('srrs', { payload: [at.entry({ externalId })] })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400]);
  });
});

describe('a step behind the service refuses', () => {
  it('a collection that is not the issuer’s', async () => {
    const answer = await at.issuer.post('srrs', { payload: [at.entry({ collectionAddress: stranger })] });
    expect(answer).toMatchObject({ status: 500, body: { statusCode: 500 } });
    expect(answer.body.message).toMatch(/^SERVICE_ERROR: /);
  });

  it('more records or tags than the wallet may use, over the whole request', async () => {
    const image = (await at.other.uploadReady('quota.png', 'artwork', 'quota')).finalUrl;
    const chipped = (chip: string) => {
      const chips = [chip];
      return at.other.entry(image, {
        metadata: at.other.metadata(image, { chipUIDs: chips, vendorCertICTagUIDs: chips }),
      });
    };
    await at.turn({ quotas: [{ address: at.other.address, srrs: 100, nfcTags: 1 }] });
    const both = [chipped('0011223344556677'), chipped('0011223344556688')];
    expect((await at.other.post('srrs', { payload: both })).body).toEqual({
      statusCode: 500,
      message: 'SERVICE_ERROR: LUW missing NFC tag!',
    });
    await at.turn({ quotas: [{ address: at.other.address, srrs: 0 }] });
    expect((await at.other.post('srrs', { payload: [at.other.entry(image)] })).body).toEqual({
      statusCode: 500,
      message: 'SERVICE_ERROR: Quota limit exceeded!',
    });
  });
});
