/** Paths of the metadata document and their names in `SRRMetadataInput`. All others are the same in both. */
const typedPlaces: readonly (readonly [document: RegExp, typed: readonly string[]])[] = [
  [/^\$schema(?:Integrity)?$/, ['schemaVersion']],
  [/^thumbnailURL$/, ['thumbnail']],
  [/^external_url$/, ['externalUrl']],
  [/^contractTerms\.fileURL$/, ['contractTerms', 'file']],
  [/^\w*CertICTagUIDs$/, ['chipUIDs']],
];

/** Translates a path of the metadata document into the names of `SRRMetadataInput`. */
export function typedPath(path: readonly string[]): string[] {
  for (const length of [2, 1]) {
    const start = path.slice(0, length).join('.');
    const [, typed] = typedPlaces.find(([document]) => document.test(start)) ?? [];
    if (typed) return [...typed, ...path.slice(length)];
  }
  return [...path];
}

/**
 * Translates a path below an element of the service's `payload[]` into the names of the mutation's entry.
 * `input` is the entry as the caller sent it. Without it the form of the metadata is unknown, and a path in
 * the metadata stays as it is.
 */
export function mutationPath(path: readonly string[], input?: Record<string, unknown> | null): string[] {
  const [first, ...rest] = path;
  if (first === 'metadata') return metadataPath(rest, input ?? {});
  if (first !== 'attachmentFiles') return [...path];
  const [position, field, ...deeper] = rest;
  if (position === undefined) return ['attachments'];
  return [
    'attachments',
    position,
    ...(field === undefined ? [] : [field === 'url' ? 'file' : field]),
    ...deeper,
  ];
}

function metadataPath(path: string[], { metadata, metadataJson }: Record<string, unknown>): string[] {
  if (metadata) return ['metadata', ...typedPath(path)];
  if (metadataJson === undefined || metadataJson === null) return ['metadata', ...path];
  return ['metadataJson', ...chipsAsSent(path, metadataJson as Record<string, unknown>)];
}

const isChipName = (name: string) => name === 'chipUIDs' || /^\w*CertICTagUIDs$/.test(name);

/**
 * Chips have two names, and the gateway adds the one that the caller's document lacks. The path must have the
 * caller's name.
 */
function chipsAsSent([name = '', ...rest]: string[], document: Record<string, unknown>): string[] {
  if (name === '') return rest;
  if (!isChipName(name) || name in document) return [name, ...rest];
  return [Object.keys(document).find(isChipName) ?? name, ...rest];
}
