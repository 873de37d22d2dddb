import type { SchemaVersion } from './versions.ts';

/** What a property's value may be. */
export type Kind =
  | 'text'
  | 'number'
  | 'integer'
  | 'flag'
  | 'texts'
  | 'language map'
  | 'hashed files'
  | { oneOf: readonly string[] }
  | { properties: Properties };

export type Properties = Readonly<Record<string, Kind>>;

/** Required in every version; the chip and digital rules of 2.2 come on top. */
export const required = [
  '$schema',
  'name',
  'title',
  'thumbnailURL',
  'image',
  'medium',
  'yearOfCreation',
] as const;

const common: Properties = {
  $schema: 'text',
  $schemaIntegrity: 'text',
  name: 'text',
  title: 'language map',
  medium: 'language map',
  yearOfCreation: 'language map',
  thumbnailURL: 'text',
  image: 'text',
  description: 'text',
  external_url: 'text',
  size: {
    properties: {
      width: 'number',
      height: 'number',
      depth: 'number',
      unit: { oneOf: ['mm', 'cm', 'm', 'in', 'ft', 'pixel'] },
      flexibleDescription: 'language map',
    },
  },
  edition: {
    properties: {
      // The enumerations of uniqueness and proofType are not known, so any text passes.
      uniqueness: 'text',
      proofType: 'text',
      number: 'integer',
      totalNumber: 'integer',
      note: 'language map',
    },
  },
  contractTerms: { properties: { royaltyRate: 'number', fileURL: 'text' } },
  note: 'language map',
  isDigital: 'flag',
  digitalComponents: 'hashed files',
  attachmentFiles: 'hashed files',
  chipUIDs: 'texts',
};

/** The chip alias carries the vendor's name at the place of `vendor`. */
export function chipAlias(vendorPrefix: string): string {
  return `${vendorPrefix}CertICTagUIDs`;
}

/** Everything that a version defines; anything else is refused. */
export function propertiesOf(version: SchemaVersion, vendorPrefix: string): Properties {
  return {
    ...common,
    [chipAlias(vendorPrefix)]: 'texts',
    ...(version === '2.0' && { digitalDataHash: 'text' as const }),
  };
}
