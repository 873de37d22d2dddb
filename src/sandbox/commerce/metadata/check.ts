import { isRecord } from '../body/problems.ts';
import { metadataMessages } from '../messages.ts';
import { chipAlias, type Kind, type Properties, propertiesOf, required } from './properties.ts';
import { integrityHolds, type SchemaVersion, versionOf } from './versions.ts';

export type Metadata = Record<string, unknown>;

export interface MetadataRules {
  /** Where `$schema` addresses may point: `{base_url}` and the vendor's own host. */
  schemaBases: readonly string[];
  vendorPrefix: string;
}

/** Everything that is wrong with metadata, in the service's words; empty when it holds. */
export function checkMetadata(
  metadata: Metadata,
  { artworkAttached, ...rules }: MetadataRules & { artworkAttached: boolean },
): string[] {
  const version = versionOf(metadata.$schema, rules.schemaBases);
  const missing = required.filter((name) => metadata[name] === undefined).map(metadataMessages.required);
  if (version === undefined)
    return metadata.$schema === undefined ? missing : [metadataMessages.schemaUnknown, ...missing];
  return [
    ...missing,
    ...checkProperties(metadata, propertiesOf(version, rules.vendorPrefix), ''),
    ...(integrityHolds(metadata.$schemaIntegrity, version) ? [] : [metadataMessages.integrityMismatch]),
    ...checkRoyalty(metadata.contractTerms),
    ...checkChips(metadata, version, chipAlias(rules.vendorPrefix)),
    ...(version === '2.2' && metadata.isDigital === true && !artworkAttached && !metadata.digitalComponents
      ? [metadataMessages.required('digitalComponents')]
      : []),
  ];
}

function checkProperties(value: Metadata, properties: Properties, at: string): string[] {
  return Object.entries(value).flatMap(([name, inner]) => {
    const kind = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (kind === undefined) return [`${at && `${at} `}${metadataMessages.additional}`];
    return inner === undefined ? [] : checkKind(inner, kind, at ? `${at}.${name}` : name);
  });
}

function checkKind(value: unknown, kind: Kind, at: string): string[] {
  if (kind === 'language map') {
    if (!isRecord(value)) return [`${at} must be object`];
    return Object.entries(value).flatMap(([language, text]) => {
      if (!languageTag.test(language)) return [`${at} ${metadataMessages.additional}`];
      return typeof text === 'string' ? [] : [`${at}.${language} must be string`];
    });
  }
  if (kind === 'hashed files' || kind === 'texts') {
    if (!Array.isArray(value)) return [`${at} must be array`];
    const fits = kind === 'texts' ? isText : isHashedFile;
    return value.every(fits) ? [] : [`${at} must hold ${kind} only`];
  }
  if (typeof kind === 'string') return plain[kind](value) ? [] : [`${at} must be ${typeNames[kind]}`];
  if ('oneOf' in kind)
    return kind.oneOf.includes(value as string) ? [] : [`${at} ${metadataMessages.notAllowed}`];
  return isRecord(value) ? checkProperties(value, kind.properties, at) : [`${at} must be object`];
}

/** BCP-47 as far as it is used: a language, perhaps with script or region. */
const languageTag = /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/;

const plain = {
  text: isText,
  number: (value: unknown) => Number.isFinite(value),
  integer: (value: unknown) => Number.isInteger(value),
  flag: (value: unknown) => typeof value === 'boolean',
};

const typeNames = { text: 'string', number: 'number', integer: 'integer', flag: 'boolean' };

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isHashedFile(value: unknown): boolean {
  return isRecord(value) && isText(value.hash) && isText(value.category);
}

function checkRoyalty(contractTerms: unknown): string[] {
  const rate = isRecord(contractTerms) ? contractTerms.royaltyRate : undefined;
  const outOfRange = typeof rate === 'number' && !(rate >= 0 && rate <= 100);
  return outOfRange ? [metadataMessages.royaltyOutOfRange] : [];
}

/** Version 2.2 wants both names or none; wherever both stand, they hold the same. */
function checkChips(metadata: Metadata, version: SchemaVersion, alias: string): string[] {
  const { chipUIDs: chips, [alias]: aliased } = metadata;
  if (chips !== undefined && aliased !== undefined)
    return JSON.stringify(chips) === JSON.stringify(aliased)
      ? []
      : [`${alias} must hold the same values as chipUIDs`];
  if (version !== '2.2' || chips === aliased) return [];
  return [metadataMessages.required(chips === undefined ? 'chipUIDs' : alias)];
}
