const required = ['$schema', 'name', 'title', 'thumbnailURL', 'image', 'medium', 'yearOfCreation'];
const optional = [
  '$schemaIntegrity',
  'description',
  'external_url',
  'size',
  'edition',
  'contractTerms',
  'note',
  'isDigital',
  'digitalComponents',
  'attachmentFiles',
  'chipUIDs',
];
// Version 2.2 also has a public ipfs address.
const ipfsSchema = 'ipfs://bafkreibebzcktpolubbklh73mxkxswkf3nagmvgq3tsnp33xsi6bbye5ay';
const httpSchema = /\/api\/v1\/schema\/registry-record-metadata\.v2\.(\d+)\.schema\.json$/;

export type Metadata = Record<string, unknown>;

/** The schema errors of a document in the words of the service; empty if it is valid. */
export function metadataFaults(
  metadata: Metadata,
  chipAlias: string,
  isDigitalCovered: boolean,
  newerSchema: boolean,
): string[] {
  const { $schema } = metadata;
  const minor = typeof $schema === 'string' ? httpSchema.exec($schema)?.[1] : undefined;
  if ($schema !== undefined && $schema !== ipfsSchema && !versions(newerSchema).includes(minor ?? ''))
    return ['$schema path is invalid, file is not found'];
  const isCurrent = $schema === ipfsSchema || Number(minor) >= 2;
  const has = (name: string) => metadata[name] !== undefined;
  const missing = required.filter((name) => !has(name));
  if (isCurrent && has('chipUIDs') !== has(chipAlias)) missing.push(has('chipUIDs') ? chipAlias : 'chipUIDs');
  if (isCurrent && metadata.isDigital === true && !isDigitalCovered) missing.push('digitalComponents');
  const unknown = Object.keys(metadata).filter(
    (name) => ![...required, ...optional, chipAlias, ...(minor === '3' ? ['material'] : [])].includes(name),
  );
  const rate = (metadata.contractTerms as Metadata | undefined)?.royaltyRate;
  return [
    ...missing.map((name) => `should have required property '${name}'`),
    ...unknown.map(() => 'should NOT have additional properties'),
    ...(typeof rate === 'number' && (rate < 0 || rate > 100)
      ? ['royalty rate is out of the acceptable range of 0 to 100']
      : []),
  ];
}

const versions = (newer: boolean) => ['0', '1', '2', ...(newer ? ['3'] : [])];

/** The schema at a `$schema` address; undefined if there is no such version. */
export function schemaAt(path: string, chipAlias: string, newer: boolean): object | undefined {
  const minor = httpSchema.exec(path)?.[1];
  if (minor === undefined || !versions(newer).includes(minor)) return undefined;
  const own = [...required, ...optional, chipAlias, ...(minor === '3' ? ['material'] : [])];
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: Object.fromEntries(own.map((name) => [name, {}])),
    required,
    additionalProperties: false,
  };
}

/** The files in a document, by their field names. */
export function namedFiles(metadata: Metadata): { field: string; url: unknown }[] {
  const terms = metadata.contractTerms as Metadata | undefined;
  return [
    { field: 'thumbnailURL', url: metadata.thumbnailURL },
    { field: 'image', url: metadata.image },
    ...(terms?.fileURL === undefined ? [] : [{ field: 'contractTerms.fileURL', url: terms.fileURL }]),
  ];
}

export const chipsOf = (metadata: Metadata, chipAlias: string): string[] =>
  ((metadata.chipUIDs ?? metadata[chipAlias] ?? []) as string[]).map(String);

export const upgraded = ({ $schemaIntegrity: _, ...metadata }: Metadata): Metadata => ({
  ...metadata,
  $schema: ipfsSchema,
});
