import { requestMessages } from '../../http/messages.ts';
import { chipAlias, type Metadata, type MetadataCheck } from './check.ts';
import { currentVersion, type SchemaVersion, schemaUrl } from './versions.ts';

/** What an upgrade needs to know beside the metadata. */
interface UpgradeContext {
  check: MetadataCheck;
  vendorPrefix: string;
  /** `{base_url}`, below which the current schema is served. */
  base: string;
  artworkAttached: boolean;
}

/** Thrown for metadata that cannot be upgraded to the current version. Its message is the reason. */
export class NotConvertible extends Error {}

/**
 * Upgrades valid metadata of an older version to the current one; metadata of the current version is
 * returned unchanged. Throws `NotConvertible` when the result breaks the rules of the current version.
 */
export function upgraded(metadata: Metadata, version: SchemaVersion, context: UpgradeContext): Metadata {
  if (version === currentVersion) return metadata;
  const { $schemaIntegrity: _ofTheOldVersion, digitalDataHash, ...rest } = metadata;
  const converted: Metadata = {
    ...rest,
    $schema: schemaUrl(context.base, currentVersion),
    ...chipNames(metadata, context.vendorPrefix),
    ...(digitalDataHash !== undefined && components(rest.digitalComponents, digitalDataHash)),
  };
  const verdict = context.check.judge(converted, context);
  if ('faults' in verdict) throw new NotConvertible(verdict.faults.join(', '));
  return converted;
}

/** Sets both names of the chips, from whichever the metadata has. */
function chipNames(metadata: Metadata, vendorPrefix: string): Metadata {
  const alias = chipAlias(vendorPrefix);
  const chips = metadata.chipUIDs ?? metadata[alias];
  return chips === undefined ? {} : { chipUIDs: chips, [alias]: chips };
}

/** Version 2.0 has a single hash of the digital work; later versions list it among the components. */
function components(present: unknown, hash: unknown): Metadata {
  const listed = Array.isArray(present) ? present : [];
  const known = listed.some((component) => component.hash === hash);
  return { digitalComponents: known ? listed : [...listed, { category: 'artwork', hash }] };
}

/** One message for all entries that could not be converted, as the service words it. */
export function conversionMessage(reasons: { externalId: string; reason: string }[]): string {
  return requestMessages.conversionFailed(
    reasons.map(({ externalId, reason }) => `[${externalId}] ${reason}`).join('; '),
  );
}
