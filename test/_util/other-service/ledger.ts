export type Entity =
  | 'LicensedUserWallet'
  | 'SRR'
  | 'Collection'
  | 'CustomHistory'
  | 'CustomHistoryType'
  | 'SRRHistory'
  | 'SRRProvenance'
  | 'SRRMetadataHistory';

export type Row = { id: string } & Record<string, unknown>;

/** Rows with all their versions, so that the state at each block can be read. */
export class Ledger {
  readonly #versions = new Map<Entity, Map<string, { block: number; row: Row }[]>>();

  put(entity: Entity, row: Row, block: number): void {
    const rows = this.#versions.get(entity) ?? new Map<string, { block: number; row: Row }[]>();
    this.#versions.set(entity, rows);
    rows.set(row.id, [...(rows.get(row.id) ?? []), { block, row }]);
  }

  /** The row at a block; undefined if it did not exist. */
  get(entity: Entity, id: string, block: number): Row | undefined {
    return this.#versions
      .get(entity)
      ?.get(id)
      ?.findLast((version) => version.block <= block)?.row;
  }

  all(entity: Entity, block: number): Row[] {
    const ids = [...(this.#versions.get(entity)?.keys() ?? [])];
    return ids.map((id) => this.get(entity, id, block)).filter((row) => row !== undefined);
  }

  /** Undoes all writes after a block, like a reorganisation. */
  rewind(block: number): void {
    for (const rows of this.#versions.values())
      for (const [id, versions] of rows)
        rows.set(
          id,
          versions.filter((version) => version.block <= block),
        );
  }
}
