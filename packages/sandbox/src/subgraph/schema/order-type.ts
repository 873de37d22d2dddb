import type { Entity, EntityField, EntityModel } from './entity-model.ts';

/**
 * SDL of the `orderBy` enum of an entity: its own fields, and the scalar and enum fields of its references.
 */
export function orderType(entity: Entity, model: EntityModel): string {
  const values = entity.fields.flatMap((field) => [field.name, ...nested(field, model)]);
  return `enum ${entity.name}_orderBy {\n  ${values.join('\n  ')}\n}`;
}

function nested(field: EntityField, model: EntityModel): string[] {
  if (field.kind !== 'reference' || field.list) return [];
  return model
    .entity(field.type)
    .fields.filter((child) => !child.list && (child.kind === 'scalar' || child.kind === 'enum'))
    .map((child) => `${field.name}__${child.name}`);
}
