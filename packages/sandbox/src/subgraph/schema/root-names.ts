/** The names under which an entity is found at the root: one by its id, many as a list. */
export function rootNames(entity: string): { one: string; many: string } {
  const one = camelCase(entity);
  const many = camelCase(plural(entity));
  // A word that is its own plural would give two fields of one name.
  return { one, many: many === one ? `${many}_collection` : many };
}

/**
 * graph-node's idea of camel case: a capital letter stays one only after a small letter, so `SRRProvenance`
 * becomes `srrprovenance` and `BulkSRR` becomes `bulkSrr`.
 */
function camelCase(name: string): string {
  return name.replace(/./g, (letter, at: number) =>
    at > 0 && /[a-z]/.test(name[at - 1] ?? '') ? letter : letter.toLowerCase(),
  );
}

/** English plurals as far as entity names need them. */
function plural(name: string): string {
  if (/[^aeiou]y$/.test(name)) return `${name.slice(0, -1)}ies`;
  return /(s|x|z|ch|sh)$/i.test(name) ? `${name}es` : `${name}s`;
}
