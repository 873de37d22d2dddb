import { type RawBuilder, sql } from 'kysely';
import type { Entity, EntityField, EntityModel } from '../schema/entity-model.ts';
import { tableName } from '../store/tables.ts';
import { queryErrors } from './errors.ts';
import { holdsAt } from './filter.ts';

export interface Order {
  /** The join that the order needs; empty SQL when it needs none. */
  join: RawBuilder<unknown>;
  /** The expressions after `order by`. */
  by: RawBuilder<unknown>;
}

/**
 * The order of a list. Ties are broken by id in the same direction,
 * so that pages are stable. Throws a `QueryError`.
 */
export function listOrder(
  model: EntityModel,
  entity: Entity,
  args: { orderBy?: string | null; orderDirection?: string | null },
  scope: { alias: string; block: number },
): Order {
  const direction = args.orderDirection === 'desc' ? sql`desc` : sql`asc`;
  const id = sql`${sql.ref(`${scope.alias}.id`)} ${direction}`;
  const none = sql``;
  if (!args.orderBy || args.orderBy === 'id') return { join: none, by: id };
  const [name = '', childName] = args.orderBy.split('__');
  const field = sortable(entity, name);
  if (childName === undefined) {
    return { join: none, by: sql`${sql.ref(`${scope.alias}.${field.name}`)} ${direction}, ${id}` };
  }
  const child = model.entity(field.type);
  const key = sql.ref(`sorted.${sortable(child, childName).name}`);
  return {
    join: sql`left join ${sql.table(`sandbox.${tableName(child)}`)} as sorted
      on sorted.id = ${sql.ref(`${scope.alias}.${field.name}`)} and ${holdsAt('sorted', scope.block)}`,
    by: sql`${key} ${direction}, ${id}`,
  };
}

function sortable(entity: Entity, name: string): EntityField {
  const field = entity.fields.find((candidate) => candidate.name === name);
  if (!field || field.list || field.kind === 'derived')
    throw queryErrors.orderNotSupported(entity.name, name);
  return field;
}
