import { type RawBuilder, sql } from 'kysely';
import type { Entity, EntityField, EntityModel } from '../schema/entity-model.ts';
import { columnType, encode, type Value } from '../store/columns.ts';
import { tableName } from '../store/tables.ts';
import { queryErrors } from './errors.ts';

type Condition = RawBuilder<unknown>;

/** A `where` argument, with variables filled in. */
export type Where = Record<string, unknown>;

const never: Condition = sql`false`;
const always: Condition = sql`true`;

/** SQL condition: a version of an entity is valid at a block. */
export function holdsAt(alias: string, block: number): Condition {
  return sql`${sql.ref(`${alias}.block_from`)} <= ${block} and ${sql.ref(`${alias}.block_to`)} > ${block}`;
}

/**
 * A `where` argument as an SQL condition; the query must call the
 * entity's table `alias`. Throws a `QueryError`.
 */
export function whereCondition(
  model: EntityModel,
  entity: Entity,
  where: Where,
  scope: { alias: string; block: number; parentField?: string },
): Condition {
  // Keep entries with null: `field: null` means `is null`.
  const entries = Object.entries(where);
  if ('or' in where) {
    const columns = entries
      .map(([key]) => key)
      .filter((key) => !['or', 'and', '_change_block'].includes(key));
    if (columns.length > 0) throw queryErrors.mixedOr(columns);
  }
  const conditions = entries
    .filter(([key]) => key !== 'and' && key !== 'or')
    .map(([key, value]) => entry(model, entity, key, value, scope));
  if ('and' in where || 'or' in where)
    conditions.push(combination(where, (part) => whereCondition(model, entity, part, scope)));
  return conditions.length === 0 ? always : sql`(${sql.join(conditions, sql` and `)})`;
}

type Scope = Parameters<typeof whereCondition>[3];

function entry(model: EntityModel, entity: Entity, key: string, value: unknown, scope: Scope): Condition {
  if (key === '_change_block') {
    const { number_gte: number } = (value ?? {}) as { number_gte?: number };
    if (number === undefined) throw queryErrors.invalidFilter();
    return sql`${sql.ref(`${scope.alias}.block_from`)} >= ${number}`;
  }
  const { field, operator } = parseKey(entity, key);
  if (operator === 'child') return childCondition(model, field, value as Where | null, scope);
  return fieldCondition(field, operator, value as Value, sql.ref(`${scope.alias}.${field.name}`));
}

/**
 * As in graph-node, `and` and `or` each combine all lists at their level, and refuse what is not a list. Both together
 * are as strict as `and`. Everything fits an empty `and`, nothing fits an empty `or`.
 */
function combination(where: Where, conditionOf: (part: Where) => Condition): Condition {
  const conditions = Object.values(where).flatMap((parts) => {
    if (!Array.isArray(parts)) throw queryErrors.invalidFilter();
    return parts.map((part: unknown) => {
      if (typeof part !== 'object' || part === null) throw queryErrors.invalidFilter();
      return conditionOf(part as Where);
    });
  });
  if (conditions.length === 0) return 'or' in where ? never : always;
  return sql`(${sql.join(conditions, 'and' in where ? sql` and ` : sql` or `)})`;
}

/**
 * Field names have no underscore, so the first one starts the operator; one at the end means a nested filter.
 */
function parseKey(entity: Entity, key: string): { field: EntityField; operator: string } {
  const at = key.indexOf('_');
  const name = at < 0 ? key : key.slice(0, at);
  const field = entity.fields.find((candidate) => candidate.name === name);
  if (!field) throw queryErrors.invalidFilter();
  const operator = at < 0 ? '' : key.slice(at + 1);
  return { field, operator: at >= 0 && operator === '' ? 'child' : operator };
}

function childCondition(
  model: EntityModel,
  field: EntityField,
  where: Where | null,
  scope: Scope,
): Condition {
  if (scope.parentField !== undefined) throw queryErrors.nestingNotSupported(scope.parentField, field.name);
  const child = model.entity(field.type);
  if (!where) throw queryErrors.invalidValue(field.list ? `[${child.name}!]!` : child.name, 'null');
  const alias = 'child';
  const link =
    field.derivedFrom === undefined
      ? sql`child.id = ${sql.ref(`${scope.alias}.${field.name}`)}`
      : sql`${sql.ref(`child.${field.derivedFrom}`)} = ${sql.ref(`${scope.alias}.id`)}`;
  return sql`exists (select 1 from ${sql.table(`sandbox.${tableName(child)}`)} as child
    where ${link} and ${holdsAt(alias, scope.block)}
    and ${whereCondition(model, child, where, { alias, block: scope.block, parentField: field.name })})`;
}

const comparisons: Record<string, string> = { gt: '>', lt: '<', gte: '>=', lte: '<=' };

function fieldCondition(field: EntityField, operator: string, value: Value, column: Condition): Condition {
  if (operator === '')
    return value === null ? sql`${column} is null` : sql`${column} = ${encode(field, value)}`;
  if (operator === 'not') {
    return value === null ? sql`${column} is not null` : sql`${column} <> ${encode(field, value)}`;
  }
  if (operator === 'in' || operator === 'not_in') return membership(field, operator, value, column);
  const comparison = comparisons[operator];
  if (comparison !== undefined) {
    if (value === null) throw queryErrors.unsupportedFilter(comparison);
    return sql`${column} ${sql.raw(comparison)} ${encode(field, value)}`;
  }
  return containment(field, operator, value, column);
}

/** Passes the list as one JSON parameter: a statement takes at most 65,535 parameters. */
function membership(
  field: EntityField,
  operator: 'in' | 'not_in',
  values: Value,
  column: Condition,
): Condition {
  if (!Array.isArray(values)) throw queryErrors.noList(operator);
  // As in graph-node, nothing fits an empty `not_in` either.
  if (values.length === 0) return never;
  const items = sql`jsonb_array_elements_text(${JSON.stringify(values)}::jsonb) as item`;
  const item = field.type === 'Bytes' ? sql`decode(substr(item, 3), 'hex')` : sql`item::${plainType(field)}`;
  return sql`${column} ${operator === 'in' ? sql`in` : sql`not in`} (select ${item} from ${items})`;
}

function plainType(field: EntityField): Condition {
  return sql.raw(columnType(field).replace(/ collate .*/, ''));
}

/** `contains`, `starts_with` and `ends_with`, each also negated and ignoring letter case. */
function containment(field: EntityField, operator: string, value: Value, column: Condition): Condition {
  const not = operator.startsWith('not_') ? 'not ' : '';
  const kind = operator.replace('not_', '').replace('_nocase', '');
  // `ilike` on a column with collation "C" folds only ASCII letters, as on a hosted subgraph.
  const like = `${not}${operator.endsWith('_nocase') ? 'ilike' : 'like'}`;
  if (value === null)
    throw queryErrors.unsupportedFilter(kind === 'contains' ? operator.replace('_nocase', '') : ` ${like} `);
  // Contains all of the list, or none of it.
  if (field.list) return sql`${sql.raw(not)}${column} ${sql.raw(not ? '&&' : '@>')} ${encode(field, value)}`;
  if (field.type === 'Bytes') return sql`${sql.raw(not)}position(${encode(field, value)} in ${column}) > 0`;
  // Not escaped, as on a hosted subgraph: % and _ are wildcards. Nor does it add % to a text that has one at an end.
  const text = String(value);
  const patterns: Record<string, string> = {
    contains: /^%|%$/.test(text) ? text : `%${text}%`,
    starts_with: `${text}%`,
    ends_with: `%${text}`,
  };
  return sql`${column} ${sql.raw(like)} ${patterns[kind]}`;
}
