import { ServiceError } from '../../http/service-error.ts';
import type { IssueEntry } from '../body/issue-request.ts';
import { Problems } from '../body/problems.ts';
import { requestMessages } from '../messages.ts';
import type { MetadataCheck } from '../metadata/check.ts';
import { conversionMessage, NotConvertible, upgraded } from '../metadata/upgrade.ts';
import type { SchemaVersion } from '../metadata/versions.ts';

/** What the check of metadata uses. */
export interface Screening {
  check: MetadataCheck;
  vendorPrefix: string;
  /** `{base_url}`. */
  base: string;
}

/**
 * Returns the entries with their metadata upgraded to the current version. Throws the service's 400 when any
 * metadata is invalid or cannot be upgraded.
 */
export function screenMetadata(entries: IssueEntry[], screening: Screening): IssueEntry[] {
  const versions = versionsOf(entries, screening.check);
  const refused: { externalId: string; reason: string }[] = [];
  const screened = entries.map((entry, index) => {
    try {
      const context = { ...screening, artworkAttached: hasArtwork(entry) };
      return { ...entry, metadata: upgraded(entry.metadata, versions[index] ?? '2.2', context) };
    } catch (error) {
      if (!(error instanceof NotConvertible)) throw error;
      refused.push({ externalId: entry.externalId, reason: error.message });
      return entry;
    }
  });
  if (refused.length > 0) throw new ServiceError(400, conversionMessage(refused));
  return screened;
}

/** The versions of the entries' metadata; throws one 400 with the faults of all entries. */
function versionsOf(entries: IssueEntry[], check: MetadataCheck): SchemaVersion[] {
  const problems = new Problems();
  const versions = entries.flatMap((entry, index) => {
    const verdict = check.judge(entry.metadata, { artworkAttached: hasArtwork(entry) });
    if ('version' in verdict) return [verdict.version];
    problems.add(requestMessages.metadataInvalid(index, verdict.faults));
    return [];
  });
  problems.throwIfAny();
  return versions;
}

function hasArtwork({ attachmentFiles }: IssueEntry): boolean {
  return attachmentFiles.some(({ category }) => category === 'artwork');
}
