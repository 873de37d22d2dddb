import { chunksOf } from '@srr-gateway/common/chunks';
import { type Kysely, sql } from 'kysely';
import type { Entity, EntityModel } from '../schema/entity-model.ts';
import { decodeRow, encode, type Row, storedFields, type Value } from './columns.ts';
import { openEnd, tableName } from './tables.ts';

/** Rows in one statement: the widest entity has some 20 columns, and a statement takes 65,535 parameters. */
const rowsPerStatement = 500;

/** Identifies one entity: its type's name and its id. */
export interface EntityKey {
  entity: string;
  id: string;
}

interface Version {
  row: Row;
  from: number;
}

interface Cached {
  /** `undefined` when there is no such entity. */
  current: Version | undefined;
  /** Versions that this batch both created and replaced. */
  ended: (Version & { to: number })[];
  /** Block at which the database's version ends; absent when this batch did not replace it. */
  storedEnd?: number;
  /** True while `current` is the version in the database. */
  stored: boolean;
}

/**
 * Collects the changes of several blocks in memory and writes them together. Handlers read their own changes.
 * An entity that changes several times in one block gets one version.
 */
export class Batch {
  readonly #db: Kysely<unknown>;
  readonly #model: EntityModel;
  readonly #cache = new Map<string, Map<string, Cached>>();
  #block = 0;

  constructor(db: Kysely<unknown>, model: EntityModel) {
    this.#db = db;
    this.#model = model;
  }

  /** Attributes the following changes to this block. */
  enterBlock(number: number): void {
    this.#block = number;
  }

  /** Fetches entities that will be read, with one query per entity type and chunk of ids. */
  async preload(keys: readonly EntityKey[]): Promise<void> {
    const missing = keys.filter((key) => !this.#entities(key.entity).has(key.id));
    for (const [name, group] of Map.groupBy(missing, (key) => key.entity)) {
      await this.#fetch(this.#model.entity(name), [...new Set(group.map((key) => key.id))]);
    }
  }

  async get(entity: string, id: string): Promise<Row | undefined> {
    await this.preload([{ entity, id }]);
    return this.#entities(entity).get(id)?.current?.row;
  }

  /** Stores all fields of an entity; fields that `row` lacks become null. */
  async set(entity: string, row: Row): Promise<void> {
    await this.preload([{ entity, id: row.id }]);
    const cached = this.#entities(entity).get(row.id);
    if (!cached) throw new Error('preload fills the cache');
    const { current } = cached;
    if (current && current.from < this.#block) {
      if (cached.stored) cached.storedEnd = this.#block;
      else cached.ended.push({ ...current, to: this.#block });
    }
    cached.current = { row, from: this.#block };
    cached.stored = false;
  }

  /** Changes some fields of an entity; does nothing when it does not exist. */
  async update(entity: string, id: string, changes: Record<string, Value>): Promise<void> {
    const row = await this.get(entity, id);
    if (row) await this.set(entity, { ...row, ...changes });
  }

  /** Writes all changes. Call it in a transaction, or a crash leaves half of a block. */
  async write(trx: Kysely<unknown>): Promise<void> {
    for (const [name, cachedById] of this.#cache) {
      const entity = this.#model.entity(name);
      const table = sql.table(`sandbox.${tableName(entity)}`);
      const cached = [...cachedById];
      const ends = cached.filter(([, { storedEnd }]) => storedEnd !== undefined);
      for (const [end, group] of Map.groupBy(ends, ([, { storedEnd }]) => storedEnd)) {
        for (const ids of chunksOf(
          group.map(([id]) => id),
          rowsPerStatement,
        )) {
          await sql`update ${table} set block_to = ${end} where block_to = ${openEnd}
            and id in (${sql.join(ids)})`.execute(trx);
        }
      }
      const versions = cached.flatMap(([, { ended, current, stored }]) =>
        current && !stored ? [...ended, { ...current, to: openEnd }] : ended,
      );
      for (const chunk of chunksOf(versions, rowsPerStatement)) await insert(trx, entity, chunk);
    }
  }

  async #fetch(entity: Entity, ids: readonly string[]): Promise<void> {
    const cache = this.#entities(entity.name);
    for (const id of ids) cache.set(id, { current: undefined, ended: [], stored: false });
    for (const chunk of chunksOf(ids, rowsPerStatement)) {
      const { rows } = await sql<Record<string, unknown>>`select *
        from ${sql.table(`sandbox.${tableName(entity)}`)}
        where block_to = ${openEnd} and id in (${sql.join(chunk)})`.execute(this.#db);
      for (const raw of rows) {
        const row = decodeRow(entity, raw);
        cache.set(row.id, { current: { row, from: Number(raw.block_from) }, ended: [], stored: true });
      }
    }
  }

  #entities(name: string): Map<string, Cached> {
    const known = this.#cache.get(name);
    if (known) return known;
    const fresh = new Map<string, Cached>();
    this.#cache.set(name, fresh);
    return fresh;
  }
}

async function insert(
  trx: Kysely<unknown>,
  entity: Entity,
  versions: readonly (Version & { to: number })[],
): Promise<void> {
  const fields = storedFields(entity);
  const columns = [...fields.map((field) => field.name), 'block_from', 'block_to'].map((name) =>
    sql.id(name),
  );
  const rows = versions.map(({ row, from, to }) => {
    const values = fields.map((field) => encode(field, row[field.name] ?? null));
    return sql`(${sql.join([...values, sql`${from}`, sql`${to}`])})`;
  });
  await sql`insert into ${sql.table(`sandbox.${tableName(entity)}`)} (${sql.join(columns)})
    values ${sql.join(rows)}`.execute(trx);
}
