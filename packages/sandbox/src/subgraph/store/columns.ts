import { type RawBuilder, sql } from 'kysely';
import type { Entity, EntityField } from '../schema/entity-model.ts';

/** A value in the API's form: bytes as lower-case hex, large numbers as decimal strings. */
export type Value = string | number | boolean | null | readonly string[];

/** One version of one entity: its stored fields by name. */
export type Row = { id: string } & Record<string, Value>;

/** Sorted by bytes, as graph-node does; the order of a locale would make paging depend on the machine. */
const text = 'text collate "C"';

const scalarTypes: Record<string, string> = {
  ID: text,
  String: text,
  Bytes: 'bytea',
  BigInt: 'numeric',
  BigDecimal: 'numeric',
  Int: 'int4',
  Int8: 'int8',
  Boolean: 'boolean',
};

/** The fields of an entity that have a column; a column has the name of its field. */
export function storedFields(entity: Entity): EntityField[] {
  return entity.fields.filter((field) => field.kind !== 'derived');
}

/** The SQL type of a field's column. Throws for a scalar that has none. */
export function columnType(field: EntityField): string {
  const type = field.kind === 'scalar' ? scalarTypes[field.type] : text;
  if (!type) throw new Error(`the subgraph cannot store fields of type ${field.type}`);
  // In an array type the collation comes after the brackets.
  return field.list ? `${type.replace(/^\w+/, '$&[]')}` : type;
}

/** A value as an SQL expression of its column's type. */
export function encode(field: EntityField, value: Value): RawBuilder<unknown> {
  if (value === null) return sql`null`;
  if (!Array.isArray(value)) return sql`${scalarParameter(field, value as string | number | boolean)}`;
  const items = value.map((item: string) => sql`${scalarParameter(field, item)}`);
  return sql`array[${sql.join(items)}]::${sql.raw(columnType(field).replace(/ collate .*/, ''))}`;
}

function scalarParameter(field: EntityField, value: string | number | boolean): unknown {
  return field.type === 'Bytes' ? Buffer.from(String(value).slice(2), 'hex') : value;
}

/** Converts a database row to the API's form. */
export function decodeRow(entity: Entity, raw: Record<string, unknown>): Row {
  const fields = storedFields(entity).map((field) => [field.name, decode(field, raw[field.name])]);
  return Object.fromEntries(fields) as Row;
}

function decode(field: EntityField, raw: unknown): Value {
  if (raw === null || raw === undefined) return null;
  if (Array.isArray(raw)) return raw.map((item) => String(decode(field, item)));
  if (raw instanceof Uint8Array) return `0x${Buffer.from(raw).toString('hex')}`;
  return raw as Value;
}
