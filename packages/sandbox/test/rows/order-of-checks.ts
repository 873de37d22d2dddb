import { expect } from 'vitest';
import { type Bench, type Fields, newChip } from './bench.ts';

interface Check {
  /** The entry, or the request's field, that does not pass it. */
  breaks: Fields;
  /** How the refusal begins, as JSON. */
  told: string;
}

/**
 * One request breaks every rule at once and is mended from the first check to the last: each refusal tells
 * of the first check that is still broken. The order is that of docs/commerce.md.
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
      { breaks: at.entry({ externalId: '' }), told: '["payload.0.externalId should not be empty"' },
      { breaks: at.entry({ metadata: null }), told: '"Some of the metadata is not defined' },
      { breaks: at.withMetadata({ name: undefined }), told: '["payload.0.metadata is invalid' },
      { breaks: at.withMetadata({ $schema: old, isDigital: true }), told: '"Some metadata is failed' },
      { breaks: { requestId: 'known' }, told: '"Duplicate Request Error' },
      { breaks: at.entry({ artistAddress: at.info.withdrawn[0]?.address }), told: '"Address not found' },
      { breaks: picture('https://elsewhere.test/a.png'), told: '"File URLs must be' },
      { breaks: picture(at.files.certificate.finalUrl), told: '"Metadata file URLs' },
      { breaks: picture(never), told: '"Metadata file(s) not found' },
      { breaks: picture(unready), told: '"Metadata file(s) not ready' },
      { breaks: attached(never), told: '"One or more attachment files' },
      { breaks: attached(unready), told: '"Attachment hash not ready' },
      { breaks: at.withChips('none'), told: '{"results":[{"status":"failed"' },
      { breaks: at.entry({ collectionAddress: at.other.address }), told: '"SERVICE_ERROR: 0x' },
    ];
    await at.withAllowance({ srrs: 0, nfcTags: 0 }, async () => {
      while (checks.length > 0) {
        expect(await refusal(at, checks)).toMatch(startOf(checks[0]?.told ?? ''));
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
    checks.map(({ breaks }) => breaks).filter((breaks) => 'requestId' in breaks === ofRequest),
  );
  const payload = [...(entries ?? []), at.withChips(newChip())];
  const { body } = await at.issuer.post('srrs', { ...requests?.[0], payload });
  return JSON.stringify(body.message);
}

function startOf(text: string): RegExp {
  return new RegExp(`^${text.replaceAll(/[[\](){}.*+?^$|\\]/g, '\\$&')}`);
}
