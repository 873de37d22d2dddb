import DataLoader from 'dataloader';
import type { Entity, EntityField } from '../schema/entity-model.ts';
import type { Row } from '../store/columns.ts';
import { findByIds, findChildren, type ListArguments, type Reader } from './find.ts';

/** Keys in one statement: as many as a page has rows, so a level of a query seldom needs more. */
const maxBatchSize = 1000;

/** Batches the look-ups of each level of a query into one statement per kind. One instance per request. */
export class Loaders {
  readonly #reader: Reader;
  readonly #byKey = new Map<string, DataLoader<string, unknown>>();

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  one(entity: Entity, id: string, block: number): Promise<Row | undefined> {
    return this.#loader<Row | undefined>(`${entity.name}@${block}`, async (ids) => {
      const rows = await findByIds(this.#reader, entity, ids, block);
      return ids.map((wanted) => rows.get(wanted));
    }).load(id);
  }

  children(
    entity: Entity,
    field: EntityField,
    parent: string,
    args: ListArguments,
    block: number,
  ): Promise<Row[]> {
    const link = field.derivedFrom;
    if (link === undefined) throw new Error(`${field.name} is no list of other entities`);
    const key = `${entity.name}.${link}@${block} ${JSON.stringify(args)}`;
    return this.#loader<Row[]>(key, async (parents) => {
      const lists = await findChildren(this.#reader, entity, { field: link, parents }, args, block);
      return parents.map((wanted) => lists.get(wanted) ?? []);
    }).load(parent);
  }

  #loader<T>(key: string, load: (ids: readonly string[]) => Promise<T[]>): DataLoader<string, T> {
    const known = this.#byKey.get(key);
    if (known) return known as DataLoader<string, T>;
    const loader = new DataLoader(load, { maxBatchSize });
    this.#byKey.set(key, loader as DataLoader<string, unknown>);
    return loader;
  }
}
