import type { FileRef, MetadataInput } from './input.ts';

/** Names of the issuance service that occur in its metadata documents. */
export interface DocumentNames {
  /** `{base_url}` of the service, where its schemas are served. */
  baseUrl: string;
  /** Prefix of the chip alias field, `<prefix>CertICTagUIDs`. */
  vendorPrefix: string;
}

/** Builds the SRR metadata document of typed input. `urlOf` gives a file's permanent address. */
export function metadataDocument(
  input: MetadataInput,
  names: DocumentNames,
  urlOf: (ref: FileRef) => string,
): Record<string, unknown> {
  const { contractTerms, schemaVersion, thumbnail, image, externalUrl, ...same } = input;
  return withChipAlias(
    withoutAbsent({
      $schema: `${names.baseUrl}/api/v1/schema/registry-record-metadata.v${schemaVersion}.schema.json`,
      ...same,
      thumbnailURL: urlOf(thumbnail),
      image: urlOf(image),
      external_url: externalUrl,
      contractTerms: contractTerms && {
        royaltyRate: contractTerms.royaltyRate,
        fileURL: contractTerms.file && urlOf(contractTerms.file),
      },
    }),
    names.vendorPrefix,
  );
}

/**
 * Gives a document both `chipUIDs` and its deprecated alias, as the service requires. Version 2.0 knows the
 * alias alone and refuses the other name.
 */
export function withChipAlias(
  document: Record<string, unknown>,
  vendorPrefix: string,
): Record<string, unknown> {
  const alias = chipAlias(vendorPrefix);
  const { chipUIDs, [alias]: aliased, ...rest } = document;
  const chips = chipUIDs ?? aliased;
  if (chips === undefined) return document;
  const aliasOnly = /\.v2\.0\.schema\.json$/.test(String(document.$schema));
  // The preflight refuses a document in which the two differ, so either value is right here.
  return { ...rest, ...(!aliasOnly && { chipUIDs: chips }), [alias]: aliased ?? chips };
}

/** The deprecated name of `chipUIDs`. */
export const chipAlias = (vendorPrefix: string): string => `${vendorPrefix}CertICTagUIDs`;

/** The places where a document names files, with the addresses there. */
export function fileUrls(document: Record<string, unknown>): { path: string[]; url: string }[] {
  const terms = document.contractTerms as Record<string, unknown> | undefined;
  return [
    { path: ['thumbnailURL'], url: document.thumbnailURL },
    { path: ['image'], url: document.image },
    { path: ['contractTerms', 'fileURL'], url: terms?.fileURL },
  ].filter((file): file is { path: string[]; url: string } => typeof file.url === 'string');
}

/** Drops properties without a value, which the service refuses. */
function withoutAbsent(value: Record<string, unknown>): Record<string, unknown> {
  const present = Object.entries(value).filter(([, inner]) => inner !== undefined && inner !== null);
  return Object.fromEntries(
    present.map(([key, inner]) => [
      key,
      typeof inner === 'object' && !Array.isArray(inner)
        ? withoutAbsent(inner as Record<string, unknown>)
        : inner,
    ]),
  );
}
