import type { Entity, Ledger, Row } from './ledger.ts';
import { entities, fieldOf, isEntity } from './subgraph-entities.ts';

/** The rows of entities at one block. */
export interface View {
  ledger: Ledger;
  block: number;
}

export type Filter = Record<string, unknown>;

/** An error with the message of the subgraph. */
export class QueryError extends Error {}

/** Whether a row matches a filter. @throws QueryError */
export function fits(view: View, entity: Entity, row: Row, filter: Filter = {}): boolean {
  const keys = Object.keys(filter);
  const branches = keys.filter((key) => key === 'and' || key === 'or');
  if (branches.length > 0 && keys.length > branches.length)
    throw new QueryError("Cannot mix column filters with 'and' or 'or' operator at the same level");
  return keys.every((key) => {
    const value = filter[key];
    if (key === 'and') return (value as Filter[]).every((one) => fits(view, entity, row, one));
    if (key === 'or') return (value as Filter[]).some((one) => fits(view, entity, row, one));
    return holds(view, entity, row, key, value);
  });
}

function holds(view: View, entity: Entity, row: Row, key: string, value: unknown): boolean {
  const name = Object.keys(entities[entity])
    .filter((field) => key === field || key.startsWith(`${field}_`))
    .sort((a, b) => b.length - a.length)[0] as string;
  const field = fieldOf(entities[entity][name] as string);
  const test = key.slice(name.length);
  if (test === '_') return fitsOther(view, row, name, field, value as Filter);
  const own = row[name] ?? null;
  const isNumber = field.type === 'BigInt' || field.type === 'Int';
  const order = (other: unknown) => compare(own, other, isNumber);
  const text = (inner: (own: string, other: string) => boolean) => {
    const fold = (one: unknown) => (test.endsWith('_nocase') ? String(one).toLowerCase() : String(one));
    return own !== null && inner(fold(own), fold(value));
  };
  switch (test.replace(/_nocase$/, '')) {
    case '':
      return same(own, value);
    case '_not':
      return !same(own, value);
    case '_in':
      return (value as unknown[]).some((one) => same(own, one));
    case '_not_in':
      return !(value as unknown[]).some((one) => same(own, one));
    case '_gt':
      return own !== null && order(value) > 0;
    case '_lt':
      return own !== null && order(value) < 0;
    case '_gte':
      return own !== null && order(value) >= 0;
    case '_lte':
      return own !== null && order(value) <= 0;
    case '_contains':
      return field.isList
        ? (value as unknown[]).every((one) => (own as unknown[]).includes(one))
        : text((a, b) => a.includes(b));
    case '_not_contains':
      return !text((a, b) => a.includes(b));
    case '_starts_with':
      return text((a, b) => a.startsWith(b));
    case '_ends_with':
      return text((a, b) => a.endsWith(b));
    default:
      throw new QueryError(`Invalid value provided for argument \`where\`: ${key}`);
  }
}

function fitsOther(
  view: View,
  row: Row,
  name: string,
  { type, by }: ReturnType<typeof fieldOf>,
  filter: Filter,
): boolean {
  if (!isEntity(type)) return false;
  if (by)
    return view.ledger
      .all(type, view.block)
      .some((one) => one[by] === row.id && fits(view, type, one, filter));
  const other = view.ledger.get(type, String(row[name]), view.block);
  return other !== undefined && fits(view, type, other, filter);
}

const same = (own: unknown, value: unknown): boolean =>
  own === null || value === null || value === undefined
    ? own === (value ?? null)
    : JSON.stringify(own) === JSON.stringify(value) || String(own) === String(value);

/** Nulls come last, as in the subgraph's database. */
export function compare(a: unknown, b: unknown, isNumber: boolean): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  const [left, right] = isNumber ? [BigInt(String(a)), BigInt(String(b))] : [String(a), String(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}
