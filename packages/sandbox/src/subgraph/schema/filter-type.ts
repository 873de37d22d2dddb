import type { Entity, EntityField } from './entity-model.ts';

const equality = ['', 'not', 'in', 'not_in'];
const comparison = ['', 'not', 'gt', 'lt', 'gte', 'lte', 'in', 'not_in'];
const text = [
  ...comparison,
  'contains',
  'contains_nocase',
  'not_contains',
  'not_contains_nocase',
  'starts_with',
  'starts_with_nocase',
  'not_starts_with',
  'not_starts_with_nocase',
  'ends_with',
  'ends_with_nocase',
  'not_ends_with',
  'not_ends_with_nocase',
];
const membership = ['', 'not', 'contains', 'not_contains'];
const textMembership = ['', 'not', 'contains', 'contains_nocase', 'not_contains', 'not_contains_nocase'];

/** The filter operators of a field, as suffixes of its name; '' is equality. */
function operators(field: EntityField): readonly string[] {
  if (field.kind === 'derived') return [];
  if (field.list) return field.type === 'String' ? textMembership : membership;
  if (field.kind === 'reference') return text;
  if (field.kind === 'enum') return equality;
  switch (field.type) {
    case 'String':
      return text;
    case 'Boolean':
      return equality;
    case 'Bytes':
      return [...comparison, 'contains', 'not_contains'];
    default:
      return comparison;
  }
}

/** SDL of the `where` input of an entity. */
export function filterType(entity: Entity): string {
  const name = `${entity.name}_filter`;
  return `input ${name} {
${entity.fields.flatMap(fieldFilters).join('\n')}
  "Filter for the block changed event."
  _change_block: BlockChangedFilter
  and: [${name}]
  or: [${name}]
}`;
}

function fieldFilters(field: EntityField): string[] {
  // A reference is compared as the id text it stores.
  const type = field.kind === 'reference' ? 'String' : field.type;
  const lines = operators(field).map((operator) => {
    const many = field.list || operator === 'in' || operator === 'not_in';
    return `  ${field.name}${operator && `_${operator}`}: ${many ? `[${type}!]` : type}`;
  });
  const nested = field.kind === 'reference' || field.kind === 'derived';
  return nested ? [...lines, `  ${field.name}_: ${field.type}_filter`] : lines;
}
