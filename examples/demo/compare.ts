import { setTimeout as sleep } from 'node:timers/promises';
import type { Srr } from './joined.ts';
import type { People } from './people.ts';
import type { Work } from './records.ts';

/** What differs between an order and the record that came of it, in words. */
export function compare(
  work: Work,
  srr: Srr | null,
  order: { people: People; collection: string },
): string[] {
  const { issuer } = order.people;
  const owner = work.to ?? issuer;
  const last = srr?.provenance?.edges.map(({ node }) => node).find(({ to }) => same(to, owner));
  const checks: [string, boolean][] = [
    ['not in the subgraph', srr?.indexing === 'INDEXED'],
    [`owner is ${srr?.owner}, not ${owner}`, same(srr?.owner, owner)],
    [`issuer is ${srr?.issuer?.address}, not ${issuer}`, same(srr?.issuer?.address, issuer)],
    [`artist is ${srr?.artist?.address}, not ${work.artist}`, same(srr?.artist?.address, work.artist)],
    [
      `collection is ${srr?.collection?.address}`,
      work.intoCollection ? same(srr?.collection?.address, order.collection) : srr?.collection === null,
    ],
    [
      `royalty is ${srr?.royalty?.percent} %, not ${work.royaltyRate} %`,
      srr?.royalty?.percent === work.royaltyRate,
    ],
    ['the transfer to the buyer is missing', work.to === undefined || same(last?.from, issuer)],
    [`metadata is ${srr?.metadataStatus}, not VERIFIED`, srr?.metadataStatus === 'VERIFIED'],
    ['title differs', srr?.metadata?.title?.text === work.title.en],
    ['attachments are missing', srr?.metadata?.attachmentFiles?.length === 3],
    ['the digital component is missing', srr?.metadata?.digitalComponents?.length === 1],
  ];
  return checks.filter(([, ok]) => !ok).map(([what]) => `${work.externalId}: ${what}`);
}

const same = (a: string | null | undefined, b: string) => a?.toLowerCase() === b.toLowerCase();

/** A browser must be able to load what the record shows. */
export async function checkPicture(srr: Srr | null): Promise<string[]> {
  const url = srr?.metadata?.image?.url;
  if (!url) return ['a record has no picture address'];
  const load = () => fetch(url).catch(() => undefined);
  // Any answer ends the wait; a sandbox that is just being started again gives one within this.
  const giveUpAt = Date.now() + 30_000;
  let response = await load();
  while (!response && Date.now() < giveUpAt) {
    await sleep(500);
    response = await load();
  }
  const type = response?.headers.get('content-type') ?? '';
  await response?.body?.cancel();
  return response?.ok && type.startsWith('image/') ? [] : [`the picture ${url} does not load as an image`];
}
