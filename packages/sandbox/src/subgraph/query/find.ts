import { type Kysely, sql } from 'kysely';
import type { Entity, EntityModel } from '../schema/entity-model.ts';
import { decodeRow, type Row } from '../store/columns.ts';
import { tableName } from '../store/tables.ts';
import { queryErrors } from './errors.ts';
import { holdsAt, type Where, whereCondition } from './filter.ts';
import { listOrder } from './order.ts';

/** Arguments of a list field, with the schema's defaults filled in. */
export interface ListArguments {
  first?: number | null;
  skip?: number | null;
  orderBy?: string | null;
  orderDirection?: string | null;
  where?: Where | null;
}

/** The limits of `first` and `skip` on every hosted subgraph. */
const maxFirst = 1000;
const maxSkip = 5000;

const defaultFirst = 100;

/** The database and the model that all reads use. */
export interface Reader {
  db: Kysely<unknown>;
  model: EntityModel;
}

/** Reads a list at the root of a query, at a block. Throws a `QueryError` for invalid arguments. */
export async function findMany(
  { db, model }: Reader,
  entity: Entity,
  args: ListArguments,
  block: number,
): Promise<Row[]> {
  const { first, skip } = page(args);
  const scope = { alias: 'e', block };
  const { join, by } = listOrder(model, entity, args, scope);
  const { rows } = await sql<Record<string, unknown>>`select e.* from ${table(entity)} as e ${join}
    where ${holdsAt('e', block)} and ${whereCondition(model, entity, args.where ?? {}, scope)}
    order by ${by} limit ${first} offset ${skip}`.execute(db);
  return rows.map((row) => decodeRow(entity, row));
}

/** Reads entities by id, at a block; those that did not exist there are left out. */
export async function findByIds(
  { db }: Reader,
  entity: Entity,
  ids: readonly string[],
  block: number,
): Promise<Map<string, Row>> {
  const { rows } = await sql<Record<string, unknown>>`select e.* from ${table(entity)} as e
    where e.id in (${sql.join(ids)}) and ${holdsAt('e', block)}`.execute(db);
  return new Map(rows.map((raw) => decodeRow(entity, raw)).map((row) => [row.id, row]));
}

/**
 * Reads the lists of many parents in one statement: each parent gets
 * its own page. `link.field` has the parent's id.
 */
export async function findChildren(
  { db, model }: Reader,
  entity: Entity,
  link: { field: string; parents: readonly string[] },
  args: ListArguments,
  block: number,
): Promise<Map<string, Row[]>> {
  const { first, skip } = page(args);
  const scope = { alias: 'e', block };
  const { join, by } = listOrder(model, entity, args, scope);
  const parents = sql.join(link.parents.map((id) => sql`(${id}::text)`));
  const { rows } = await sql<Record<string, unknown>>`select parent.id as parent_id, list.*
    from (values ${parents}) as parent(id)
    cross join lateral (
      select e.*, row_number() over (order by ${by}) as position from ${table(entity)} as e ${join}
      where ${sql.ref(`e.${link.field}`)} = parent.id and ${holdsAt('e', block)}
        and ${whereCondition(model, entity, args.where ?? {}, scope)}
      order by ${by} limit ${first} offset ${skip}
    ) as list
    order by list.position`.execute(db);
  const lists = new Map<string, Row[]>(link.parents.map((id) => [id, []]));
  for (const raw of rows) lists.get(String(raw.parent_id))?.push(decodeRow(entity, raw));
  return lists;
}

function page({ first, skip }: ListArguments): { first: number; skip: number } {
  const wanted = first ?? defaultFirst;
  if (wanted < 1 || wanted > maxFirst) throw queryErrors.range('first', maxFirst, wanted);
  const offset = skip ?? 0;
  if (offset < 0 || offset > maxSkip) throw queryErrors.range('skip', maxSkip, offset);
  return { first: wanted, skip: offset };
}

function table(entity: Entity) {
  return sql.table(`sandbox.${tableName(entity)}`);
}
