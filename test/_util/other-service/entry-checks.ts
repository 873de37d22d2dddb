import type { IssueLog } from './issue-log.ts';
import { chipsOf } from './metadata-rules.ts';
import type { Accepted } from './mint.ts';
import { chipAlias, type IssueEntry } from './request-checks.ts';
import { ordered, Refused, same, type World } from './world.ts';

/** Checks each entry; one failing entry cancels the others. @throws Refused 400 */
export function checkEntries(world: World, log: IssueLog, accepted: Accepted[]): void {
  const codes = accepted.map((one, i) => codeOf(world, log, one, accepted.slice(0, i)));
  if (codes.every((code) => code === undefined)) return;
  const cancelled = 'SRR_NOT_CREATED: Not created because there is SRR in the same batch that error';
  const results = accepted.map(({ entry }, i) => ({
    status: 'failed',
    externalId: entry.externalId,
    message: codes[i] ?? cancelled,
  }));
  throw new Refused(400, { results: ordered(world.variants, results) });
}

function codeOf(world: World, log: IssueLog, one: Accepted, before: Accepted[]): string | undefined {
  const { entry } = one;
  const chips = chipsIn(one);
  if (
    log.externalIds.has(externalKey(one)) ||
    before.some((other) => externalKey(other) === externalKey(one))
  )
    return 'DUPLICATE_EXTERNAL_ID';
  if (!world.wallets.has(entry.artistAddress.toLowerCase())) return 'UNKNOWN_ARTIST';
  if (log.metadata.has(metadataKey(one)) || before.some((other) => metadataKey(other) === metadataKey(one)))
    return 'DUPLICATE_METADATA';
  if (chips.some((chip) => !/^[0-9a-fA-F]{14,16}$/.test(chip))) return 'INVALID_CHIP';
  const taken = (chip: string) =>
    log.chips.has(chip) || before.some((other) => chipsIn(other).includes(chip));
  return chips.some(taken) ? 'DUPLICATE_CHIP' : undefined;
}

/** @throws Refused 500 */
export function checkOwnedCollections({ chain }: World, issuer: string, payload: IssueEntry[]): void {
  for (const { collectionAddress } of payload) {
    if (collectionAddress === undefined) continue;
    const row = chain.ledger.get('Collection', collectionAddress.toLowerCase(), chain.head.number);
    if (!row || !same(String(row.ownerAddress), issuer))
      throw new Refused(500, 'SERVICE_ERROR: The collection is not owned by the issuer');
  }
}

export const chipsIn = ({ entry }: Accepted) => chipsOf(entry.metadata, chipAlias);
const externalKey = ({ issuer, entry }: Accepted) => `${issuer} ${entry.externalId}`;
const metadataKey = ({ entry, publication }: Accepted) =>
  `${entry.artistAddress.toLowerCase()} ${publication.metadataCID}`;

/** Reserves the identifiers of an accepted record. */
export function occupy(log: IssueLog, one: Accepted): void {
  log.externalIds.add(externalKey(one));
  log.metadata.add(metadataKey(one));
  for (const chip of chipsIn(one)) log.chips.add(chip);
}

/** Frees the identifiers of a record whose mining failed, so that it can be issued again. */
export function release({ variants }: World, log: IssueLog, one: Accepted): void {
  if (variants.freesFailedExternalIds) log.externalIds.delete(externalKey(one));
  log.metadata.delete(metadataKey(one));
  for (const chip of chipsIn(one)) log.chips.delete(chip);
}
