import { expect } from 'vitest';
import { type Bench, type Fields, newChip } from './bench.ts';

interface Check {
  /** The entry, or the request's field, that fails the check. */
  fails: Fields;
  /** The beginning of the refusal, as JSON. */
  refusalStart: string;
}

/**
 * One request fails every check at first, and is corrected from the first check to the last. Each refusal is
 * that of the first failing check. The order is that of docs/commerce.md.
 */
export async function checksInOrder(at: Bench): Promise<void> {
  const { commerceUrl } = at.info;
  const old = `${commerceUrl}/api/v1/schema/registry-record-metadata.v2.1.schema.json`;
  const picture = (image: string) => at.withMetadata({ image });
  const attached = (url: string) => at.entry({ attachmentFiles: [{ name: 'a', category: 'artwork', url }] });
  const never = (await at.issuer.sign('order-never.png', 'artwork')).finalUrl;
  const known = { requestId: 'known', payload: [at.entry()] };
  expect((await at.issuer.post('srrs', known)).status).toBe(201);

  await at.unready('artwork', async (unready) => {
    const checks: Check[] = [
      { fails: at.entry({ externalId: '' }), refusalStart: '["payload.0.externalId should not be empty"' },
      { fails: at.entry({ metadata: null }), refusalStart: '"Some of the metadata is not defined' },
      { fails: at.withMetadata({ name: undefined }), refusalStart: '["payload.0.metadata is invalid' },
      { fails: at.withMetadata({ $schema: old, isDigital: true }), refusalStart: '"Some metadata is failed' },
      { fails: { requestId: 'known' }, refusalStart: '"Duplicate Request Error' },
      {
        fails: at.entry({ artistAddress: at.info.withdrawn[0]?.address }),
        refusalStart: '"Address not found',
      },
      { fails: picture('https://elsewhere.test/a.png'), refusalStart: '"File URLs must be' },
      { fails: picture(at.files.certificate.finalUrl), refusalStart: '"Metadata file URLs' },
      { fails: picture(never), refusalStart: '"Metadata file(s) not found' },
      { fails: picture(unready), refusalStart: '"Metadata file(s) not ready' },
      { fails: attached(never), refusalStart: '"One or more attachment files' },
      { fails: attached(unready), refusalStart: '"Attachment hash not ready' },
      { fails: at.withChips('none'), refusalStart: '{"results":[{"status":"failed"' },
      { fails: at.entry({ collectionAddress: at.other.address }), refusalStart: '"SERVICE_ERROR: 0x' },
    ];
    await at.withAllowance({ srrs: 0, nfcTags: 0 }, async () => {
      while (checks.length > 0) {
        expect(await refusal(at, checks)).toMatch(startOf(checks[0]?.refusalStart ?? ''));
        checks.shift();
      }
      const payload = [at.withChips(newChip())];
      await at.refusesEntries(payload, 'SERVICE_ERROR: Quota limit exceeded!', 500);
      await at.turn({ quotas: [{ address: at.issuer.address, srrs: 100_000 }] });
      await at.refusesEntries(payload, 'SERVICE_ERROR: LUW missing NFC tag!', 500);
    });
  });
  // Of the two ways to repeat a request, its id is named first.
  await at.refuses('srrs', known, 'Duplicate Request Error: Same requestId already logged');
}

async function refusal(at: Bench, checks: Check[]): Promise<string> {
  const [requests, entries] = [true, false].map((ofRequest) =>
    checks.map(({ fails }) => fails).filter((fails) => 'requestId' in fails === ofRequest),
  );
  const payload = [...(entries ?? []), at.withChips(newChip())];
  const { body } = await at.issuer.post('srrs', { ...requests?.[0], payload });
  return JSON.stringify(body.message);
}

function startOf(text: string): RegExp {
  return new RegExp(`^${text.replaceAll(/[[\](){}.*+?^$|\\]/g, '\\$&')}`);
}
