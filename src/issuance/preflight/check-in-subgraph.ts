import type { Address } from '@srr-gateway/common/address';
import type { Fault } from '../../model/errors.ts';
import type { EntryInput } from '../input.ts';
import { type Findings, nothingFound, orNotChecked } from './findings.ts';
import type { PreflightSources } from './sources.ts';

type Sources = Pick<PreflightSources, 'licensedUsers' | 'collectionOwners'>;

/**
 * Asks the subgraph whether issuer and artists are licensed users and whether the collections are the
 * issuer's, with one request for each of the two.
 */
export async function checkInSubgraph(
  sources: Sources,
  issuer: Address,
  entries: EntryInput[],
  signal?: AbortSignal,
): Promise<Findings> {
  const people = [...new Set([issuer, ...entries.map(({ artistAddress }) => artistAddress)])];
  const collections = [...new Set(entries.flatMap(({ collectionAddress }) => collectionAddress ?? []))];
  const [users, owners] = await Promise.all([
    orNotChecked('The issuer and the artists', (live) => sources.licensedUsers(people, live), signal),
    collections.length > 0
      ? orNotChecked('The collections', (live) => sources.collectionOwners(collections, live), signal)
      : { answer: new Map<Address, Address | undefined>() },
  ]);
  const isUnknown = (address: Address) => 'answer' in users && !users.answer.has(address);
  return {
    ...nothingFound,
    faults: entries.map(({ artistAddress, collectionAddress }) => [
      ...(isUnknown(artistAddress) ? [unknownArtist(artistAddress)] : []),
      ...('answer' in owners && collectionAddress
        ? collectionFaults(collectionAddress, owners.answer, issuer)
        : []),
    ]),
    ofAll: {
      faults: isUnknown(issuer) ? [unknownIssuer(issuer)] : [],
      warnings: [users, owners].flatMap((result) => ('warning' in result ? [result.warning] : [])),
    },
  };
}

const unknownIssuer = (issuer: Address): Fault => ({
  code: 'ADDRESS_NOT_FOUND',
  message: `The subgraph has no licensed user ${issuer}, who would be the issuer. Check the issuer’s address, and that SUBGRAPH_URL is the right subgraph.`,
  path: ['input', 'entries'],
});

const unknownArtist = (artist: Address): Fault => ({
  code: 'UNKNOWN_ARTIST',
  message: `The subgraph has no licensed user ${artist}. Check the address, or have the artist registered first.`,
  path: ['artistAddress'],
});

function collectionFaults(
  collection: Address,
  owners: ReadonlyMap<Address, Address | undefined>,
  issuer: Address,
): Fault[] {
  const fault = (message: string): Fault[] => [{ code: 'NOT_FOUND', message, path: ['collectionAddress'] }];
  if (!owners.has(collection))
    return fault(
      `The subgraph has no collection ${collection}. Check the address; a new collection is there once it is deployed.`,
    );
  if (owners.get(collection) === issuer) return [];
  return fault(
    `Collection ${collection} belongs to another owner. Only its owner can issue into it; give a collection of yours, or leave it out for the registry.`,
  );
}
