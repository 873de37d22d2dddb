import { setTimeout as sleep } from 'node:timers/promises';
import { DemoError, type Gateway, refuse, retrying } from './client.ts';
import { attachments, type Work } from './records.ts';
import { type Category, upload } from './uploads.ts';

const createCollection = `mutation ($input: CreateCollectionInput!) {
  createCollection(input: $input) { collection { address status } userErrors { code message path } }
}`;

/** Creates a collection and waits until the subgraph knows it, so that records can be minted into it. */
export async function openCollection(gateway: Gateway, run: string): Promise<string> {
  const input = {
    name: `Demo ${run}`,
    symbol: 'DEMO',
    // The address follows from the salt, so a repeated call means the same contract.
    salt: `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')}`,
  };
  const address = await retrying('creating the collection', async () => {
    const { createCollection: payload } = await gateway.request<{
      createCollection: { collection: { address: string } | null; userErrors: [] };
    }>(createCollection, { input });
    refuse('the collection', payload.userErrors);
    if (!payload.collection) throw new DemoError('The gateway returned no collection.');
    return payload.collection.address;
  });
  // A block and the subgraph take seconds; a minute also covers a restart in between.
  for (const giveUpAt = Date.now() + 60_000; Date.now() < giveUpAt; await sleep(300)) {
    const { collection } = await retrying('looking for the collection', () =>
      gateway.request<{ collection: { name: string } | null }>(
        'query ($address: Address!) { collection(address: $address) { name } }',
        { address },
      ),
    );
    if (collection) return address;
  }
  throw new DemoError(`The collection ${address} did not appear in the subgraph within a minute.`);
}

/** Uploads the work's files and returns its entry for `issueSRRs`. */
export async function prepareEntry(gateway: Gateway, work: Work, run: string, collection: string) {
  const send = async (file: string, category: Category, suffix: string) => ({
    upload: await upload(gateway, { file, category, way: work.way, run: `${run}${suffix}` }),
  });
  const suffix = `-${work.externalId.at(-1)}`;
  const image = await send(work.picture, 'NON_ATTACHMENT_FILE', suffix);
  const terms = await send('contract-terms.pdf', 'NON_ATTACHMENT_FILE', suffix);
  const attached = [];
  for (const { name, category, file } of attachments)
    attached.push({ name, category, file: await send(file ?? work.picture, category, suffix) });
  return {
    externalId: work.externalId,
    artistAddress: work.artist,
    isPrimaryIssuer: true,
    lockExternalTransfer: false,
    to: work.to,
    collectionAddress: work.intoCollection ? collection : undefined,
    attachments: attached,
    metadata: {
      name: work.title.en,
      title: work.title,
      medium: { en: 'Generative drawing', ja: 'ジェネラティブ・ドローイング' },
      yearOfCreation: { en: '2026' },
      description: 'Issued by the demo of srr-gateway.',
      thumbnail: image,
      image,
      size: { width: 40, height: 50, unit: 'cm' },
      contractTerms: { royaltyRate: work.royaltyRate, file: terms },
    },
  };
}

const issueSRRs = `mutation ($input: IssueSRRsInput!) {
  issueSRRs(input: $input) { issuance { id } userErrors { code message path } }
}`;

/** Hands the records over. The same requestId is the same issuance, however often it is sent. */
export async function issue(gateway: Gateway, requestId: string, entries: object[]): Promise<string> {
  return await retrying('handing over the records', async () => {
    const { issueSRRs: payload } = await gateway.request<{
      issueSRRs: { issuance: { id: string } | null; userErrors: [] };
    }>(issueSRRs, { input: { requestId, entries } });
    refuse('the records', payload.userErrors);
    if (!payload.issuance) throw new DemoError('The gateway returned no issuance.');
    return payload.issuance.id;
  });
}
