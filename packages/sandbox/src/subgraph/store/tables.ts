import type { Entity, EntityField, EntityModel } from '../schema/entity-model.ts';
import { columnType, storedFields } from './columns.ts';

/** The table of an entity's versions, in the database schema `sandbox`. */
export function tableName(entity: Entity): string {
  const words = entity.name.replace(/([a-z])([A-Z])/g, '$1_$2').replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2');
  return `subgraph_${words.toLowerCase()}`;
}

/** `block_to` of the current version: the largest int4. */
export const openEnd = 2_147_483_647;

/**
 * Text fields that clients look records up by. Their indexes are hashes: whoever owns a record chooses its texts,
 * and an entry of an ordered index holds at most 2,704 bytes.
 */
const indexedTexts = new Set(['tokenId', 'metadataDigest']);

/**
 * The statements that create the tables of all entities. A version is valid from `block_from` to before
 * `block_to`, so that queries can ask for any past block.
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
        .map(({ name }) => `create index on sandbox.${table} ${indexOf(name)}`),
    ];
  });
}

/** The statements that drop the tables of all entities. */
export function dropTables(model: EntityModel): string[] {
  return model.entities.map((entity) => `drop table if exists sandbox.${tableName(entity)}`);
}

const indexOf = (name: string) => (indexedTexts.has(name) ? `using hash ("${name}")` : `("${name}", id)`);

function indexed(field: EntityField): boolean {
  if (field.list || field.name === 'id') return false;
  return (
    field.kind === 'reference' ||
    field.type === 'Bytes' ||
    field.type === 'BigInt' ||
    indexedTexts.has(field.name)
  );
}
