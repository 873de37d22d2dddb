import type { Entity, EntityField, EntityModel } from '../schema/entity-model.ts';
import { columnType, storedFields } from './columns.ts';

/** Where an entity's versions are kept, in the database schema `sandbox`. */
export function tableName(entity: Entity): string {
  const words = entity.name.replace(/([a-z])([A-Z])/g, '$1_$2').replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2');
  return `subgraph_${words.toLowerCase()}`;
}

/** `block_to` of a version that still holds. */
export const openEnd = 2_147_483_647;

/** Texts that clients look records up by. Others may be too long for an index. */
const indexedTexts = new Set(['tokenId', 'metadataDigest']);

/**
 * Statements that make the tables of all entities. A version holds from `block_from` up to and without
 * `block_to`, so that every block of the past can still be asked for.
 */
export function createTables(model: EntityModel): string[] {
  return model.entities.flatMap((entity) => {
    const table = tableName(entity);
    const columns = storedFields(entity).map(
      (field) => `"${field.name}" ${columnType(field)}${field.nonNull ? ' not null' : ''}`,
    );
    return [
      `create table sandbox.${table} (${columns.join(', ')},
        block_from int not null, block_to int not null, primary key (id, block_from))`,
      `create unique index on sandbox.${table} (id) where block_to = ${openEnd}`,
      `create index on sandbox.${table} (block_from)`,
      ...storedFields(entity)
        .filter(indexed)
        .map((field) => `create index on sandbox.${table} ("${field.name}", id)`),
    ];
  });
}

export function dropTables(model: EntityModel): string[] {
  return model.entities.map((entity) => `drop table if exists sandbox.${tableName(entity)}`);
}

function indexed(field: EntityField): boolean {
  if (field.list || field.name === 'id') return false;
  return (
    field.kind === 'reference' ||
    field.type === 'Bytes' ||
    field.type === 'BigInt' ||
    indexedTexts.has(field.name)
  );
}
