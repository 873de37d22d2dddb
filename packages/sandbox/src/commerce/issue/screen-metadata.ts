import { requestMessages } from '../../http/messages.ts';
import { ServiceError } from '../../http/service-error.ts';
import type { IssueEntry, RequestedEntry } from '../body/issue-request.ts';
import { collectProblems } from '../body/problems.ts';
import type { MetadataCheck } from '../metadata/check.ts';
import { conversionMessage, NotConvertible, upgraded } from '../metadata/upgrade.ts';
import type { SchemaVersion } from '../metadata/versions.ts';

/** Dependencies of the check of metadata. */
interface Screening {
  check: MetadataCheck;
  vendorPrefix: string;
  /** `{base_url}`. */
  base: string;
}

/**
 * Returns the entries with their metadata upgraded to the current version. Throws the service's 400 when any
 * metadata is absent, invalid or cannot be upgraded.
 */
export function screenMetadata(requested: RequestedEntry[], screening: Screening): IssueEntry[] {
  const entries = requested.map(described);
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
  const { found, value: versions = [] } = collectProblems((problems) =>
    entries.flatMap((entry, index) => {
      const verdict = check.judge(entry.metadata, { artworkAttached: hasArtwork(entry) });
      if ('version' in verdict) return [verdict.version];
      problems.add(requestMessages.metadataInvalid(index, verdict.faults));
      return [];
    }),
  );
  if (found.length > 0) throw new ServiceError(400, found);
  return versions;
}

function described(entry: RequestedEntry): IssueEntry {
  const { metadata } = entry;
  if (metadata === undefined) throw new ServiceError(400, requestMessages.metadataMissing);
  return { ...entry, metadata };
}

function hasArtwork({ attachmentFiles }: IssueEntry): boolean {
  return attachmentFiles.some(({ category }) => category === 'artwork');
}
