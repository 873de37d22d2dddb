import { isPublic } from './files.ts';
import { isAddress } from './ids.ts';
import { type Metadata, metadataFaults, namedFiles } from './metadata-rules.ts';
import { Refused, type World } from './world.ts';

export interface IssueEntry {
  externalId: string;
  metadata: Metadata;
  artistAddress: string;
  isPrimaryIssuer: boolean;
  lockExternalTransfer: boolean;
  to?: string;
  collectionAddress?: string;
  attachmentFiles?: { name: string; category: string; url: string }[];
  externalUrls?: string[];
}

export interface IssueBody {
  requestId?: string;
  payload: IssueEntry[];
}

/** The alias with the vendor's name in the default configuration of the gateway. */
export const chipAlias = 'vendorCertICTagUIDs';
const isContent = (world: World, url: string) =>
  url.startsWith('ipfs://') || url.startsWith(`${world.cdn()}/ipfs/`);

/** Checks that apply to a whole request. @throws Refused 400 */
export function checkRequest(world: World, body: IssueBody | undefined): void {
  if (!Array.isArray(body?.payload) || body.payload.length === 0)
    throw new Refused(400, ['payload should not be empty']);
  const { payload } = body;
  const faults = payload.flatMap(formFaults);
  if (faults.length > 0) throw new Refused(400, faults);
  if (payload.some(({ metadata }) => typeof metadata !== 'object' || metadata === null))
    throw new Refused(400, 'Some of the metadata is not defined');
  const invalid = payload.flatMap(({ metadata, attachmentFiles = [] }, i) => {
    const hasArtwork = attachmentFiles.some(({ category }) => category === 'artwork');
    const details = metadataFaults(metadata, chipAlias, hasArtwork, world.variants.newerSchema);
    const form = `payload.${i}.metadata is invalid. Check it against the metadata JSON schema. Details: `;
    return details.length > 0 ? [form + details.join(', ')] : [];
  });
  if (invalid.length > 0) throw new Refused(400, invalid);
  if (world.variants.unknownArtist === 'REQUEST') {
    const unknown = payload.filter(({ artistAddress }) => !world.wallets.has(artistAddress.toLowerCase()));
    if (unknown.length > 0)
      throw new Refused(400, `Address not found: ${unknown.map((one) => one.artistAddress).join(', ')}`);
  }
  checkFiles(world, payload);
}

function formFaults({ externalId, artistAddress, to }: IssueEntry, i: number): string[] {
  return [
    ...(typeof externalId === 'string' ? [] : [`payload.${i}.externalId must be a string`]),
    ...(externalId === '' ? [`payload.${i}.externalId should not be empty`] : []),
    ...(isAddress(artistAddress) ? [] : [`payload.${i}.artistAddress must be a valid Ethereum addresses`]),
    ...(to === undefined || isAddress(to) ? [] : [`payload.${i}.to must be a valid Ethereum addresses`]),
  ];
}

function checkFiles(world: World, payload: IssueEntry[]): void {
  const named = payload.flatMap(({ externalId, metadata }) =>
    namedFiles(metadata).map(({ field, url }) => ({ externalId, field, url: String(url) })),
  );
  const list = (some: typeof named) =>
    some.map((one) => `[${one.externalId}] ${one.field}: ${one.url}`).join(', ');
  const own = named.filter(({ url }) => !isContent(world, url));
  const foreign = own.filter(({ url }) => !world.files.byUrl(url));
  if (foreign.length > 0)
    throw new Refused(
      400,
      `File URLs must be service storage URLs (the finalUrl returned by the signed-URL endpoint) or ipfs:// URLs ${list(foreign)}`,
    );
  const hidden = own.filter(({ url }) => !isPublic(world.files.byUrl(url)?.category ?? ''));
  if (hidden.length > 0)
    throw new Refused(
      400,
      `Metadata file URLs (thumbnailURL, image, contractTerms.fileURL) must be publicly accessible ${list(hidden)}`,
    );
  const at = (url: string) => world.files.now(world.files.byUrl(url));
  const absent = own.filter(({ url }) => !at(url));
  if (absent.length > 0) throw new Refused(400, `Metadata file(s) not found in storage ${list(absent)}`);
  const unready = own.filter(({ url }) => !at(url)?.cid);
  if (unready.length > 0)
    throw new Refused(
      400,
      `Metadata file(s) not ready for IPFS publication (CID still being calculated) ${list(unready)}`,
    );
  for (const { url } of payload.flatMap(({ attachmentFiles = [] }) => attachmentFiles)) {
    const now = at(url);
    if (!now) throw new Refused(400, `One or more attachment files were not found in storage. ${url}`);
    if (!now.hash) throw new Refused(400, `Attachment hash not ready for ${url}. Try again later.`);
  }
}
