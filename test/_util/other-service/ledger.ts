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

/** Rows with every version they ever had, so that each block can be read as it was. */
export class Ledger {
  readonly #versions = new Map<Entity, Map<string, { block: number; row: Row }[]>>();

  put(entity: Entity, row: Row, block: number): void {
    const rows = this.#versions.get(entity) ?? new Map<string, { block: number; row: Row }[]>();
    this.#versions.set(entity, rows);
    rows.set(row.id, [...(rows.get(row.id) ?? []), { block, row }]);
  }

  /** As the row was at a block; undefined when it was not there. */
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

  /** Takes back what was written after a block, as a reorganisation does. */
  rewind(block: number): void {
    for (const rows of this.#versions.values())
      for (const [id, versions] of rows)
        rows.set(
          id,
          versions.filter((version) => version.block <= block),
        );
  }
}
