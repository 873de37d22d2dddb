import type { FileRef, MetadataInput } from './input.ts';

/** The parts of the service's address scheme that a document carries. */
export interface DocumentNames {
  /** `{base_url}` of the service: where its schemas live. */
  baseUrl: string;
  /** Prefix of the chip alias field, `<prefix>CertICTagUIDs`. */
  vendorPrefix: string;
}

/** The SRR metadata document of typed input. `urlOf` gives a file's permanent address. */
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
 * Keeps `chipUIDs` and its deprecated alias the same, as the service wants. Version 2.0 knows the alias
 * alone and refuses the other name.
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
  // Where the two differ the caller is told so beforehand; nothing is chosen here.
  return { ...rest, ...(!aliasOnly && { chipUIDs: chips }), [alias]: aliased ?? chips };
}

export const chipAlias = (vendorPrefix: string): string => `${vendorPrefix}CertICTagUIDs`;

/** Where a document names files; the values are addresses. */
export function fileUrls(document: Record<string, unknown>): { path: string[]; url: string }[] {
  const terms = document.contractTerms as Record<string, unknown> | undefined;
  return [
    { path: ['thumbnailURL'], url: document.thumbnailURL },
    { path: ['image'], url: document.image },
    { path: ['contractTerms', 'fileURL'], url: terms?.fileURL },
  ].filter((file): file is { path: string[]; url: string } => typeof file.url === 'string');
}

/** The service refuses properties that are present without a value. */
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
