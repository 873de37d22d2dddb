import { requestMessages } from '../messages.ts';
import type { Metadata, MetadataCheck } from './check.ts';
import { chipAlias } from './names.ts';
import { currentVersion, type SchemaVersion, schemaUrl } from './versions.ts';

export interface UpgradeContext {
  check: MetadataCheck;
  vendorPrefix: string;
  /** `{base_url}`: where the current schema is. */
  base: string;
  artworkAttached: boolean;
}

/** Metadata that cannot be brought to the current version; its message is the reason. */
export class NotConvertible extends Error {}

/**
 * Brings sound metadata of an older version to the current one; metadata of the current one stays as it
 * is. Throws `NotConvertible` when the outcome breaks the current version's rules.
 */
export function upgraded(metadata: Metadata, version: SchemaVersion, context: UpgradeContext): Metadata {
  if (version === currentVersion) return metadata;
  const { $schemaIntegrity: _ofTheOldVersion, digitalDataHash, ...kept } = metadata;
  const converted: Metadata = {
    ...kept,
    $schema: schemaUrl(context.base, currentVersion),
    ...chipNames(metadata, context.vendorPrefix),
    ...(digitalDataHash !== undefined && components(kept.digitalComponents, digitalDataHash)),
  };
  const verdict = context.check.judge(converted, context);
  if ('faults' in verdict) throw new NotConvertible(verdict.faults.join(', '));
  return converted;
}

/** What was known by one of the names is known by both. */
function chipNames(metadata: Metadata, vendorPrefix: string): Metadata {
  const alias = chipAlias(vendorPrefix);
  const chips = metadata.chipUIDs ?? metadata[alias];
  return chips === undefined ? {} : { chipUIDs: chips, [alias]: chips };
}

/** Version 2.0 knew one hash of the digital work; later ones list it with the components. */
function components(present: unknown, hash: unknown): Metadata {
  const listed = Array.isArray(present) ? present : [];
  const known = listed.some((component) => component.hash === hash);
  return { digitalComponents: known ? listed : [...listed, { category: 'artwork', hash }] };
}

/** The service's one message for all entries that could not be converted. */
export function conversionMessage(reasons: { externalId: string; reason: string }[]): string {
  return requestMessages.conversionFailed(
    reasons.map(({ externalId, reason }) => `[${externalId}] ${reason}`).join('; '),
  );
}
