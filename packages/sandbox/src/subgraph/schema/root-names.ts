/** The names of an entity's two root fields: `one` takes an id, `many` is a list. */
export function rootNames(entity: string): { one: string; many: string } {
  const one = camelCase(entity);
  const many = camelCase(plural(entity));
  // Without the suffix, a word that is its own plural would give two fields the same name.
  return { one, many: many === one ? `${many}_collection` : many };
}

/**
 * graph-node's camel case: a letter stays a capital only after a lower-case letter, so `SRRProvenance`
 * becomes `srrprovenance` and `BulkSRR` becomes `bulkSrr`.
 */
function camelCase(name: string): string {
  return name.replace(/./g, (letter, at: number) =>
    at > 0 && /[a-z]/.test(name[at - 1] ?? '') ? letter : letter.toLowerCase(),
  );
}

/** English plural, for the endings that entity names have. */
function plural(name: string): string {
  if (/[^aeiou]y$/.test(name)) return `${name.slice(0, -1)}ies`;
  return /(s|x|z|ch|sh)$/i.test(name) ? `${name}es` : `${name}s`;
}
