import { sql } from 'kysely';
import type { Address } from '../lib/address.ts';
import type { Db } from '../store/store.ts';
import type { EntryStatus, IssuanceStatus } from '../store/tables.ts';
import type { EntryRow, IssuanceKey, IssuanceRow, Token } from './flow.ts';

export interface Progress {
  total: number;
  filesTotal: number;
  filesReady: number;
  accepted: number;
  issued: number;
  failed: number;
}

export interface HistoryRow {
  status: IssuanceStatus;
  reason: string;
  at: Date;
}

/** One page of rows in a fixed order, and whether there are more. */
export interface Page<Row> {
  rows: Row[];
  more: boolean;
}

/** Reads of one issuer's issuances; no function can be called without saying whose. */
export class IssuanceReads {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  byIds(issuer: Address, ids: readonly string[]): Promise<IssuanceRow[]> {
    return this.#db
      .selectFrom('issuance')
      .selectAll()
      .where('issuer', '=', issuer)
      .where('id', 'in', [...ids])
      .execute();
  }

  byRequestId(issuer: Address, requestId: string): Promise<IssuanceRow | undefined> {
    return this.#db
      .selectFrom('issuance')
      .selectAll()
      .where('issuer', '=', issuer)
      .where('request_id', '=', requestId)
      .executeTakeFirst();
  }

  /** Newest first, after the row that `after` names. */
  async list(
    issuer: Address,
    page: { first: number; after?: { createdAt: Date; id: string } | undefined },
    filter: { status?: IssuanceStatus[] | undefined; externalId?: string | undefined },
  ): Promise<Page<IssuanceRow>> {
    const { after } = page;
    let query = this.#db
      .selectFrom('issuance')
      .selectAll()
      .where('issuer', '=', issuer)
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .limit(page.first + 1);
    if (after)
      query = query.where((where) =>
        where.or([
          where('created_at', '<', after.createdAt),
          where.and([where('created_at', '=', after.createdAt), where('id', '>', after.id)]),
        ]),
      );
    const { status, externalId } = filter;
    // As an array: an empty list matches nothing.
    if (status) query = query.where('status', '=', sql<IssuanceStatus>`any(${status}::text[])`);
    if (externalId !== undefined)
      query = query.where('id', 'in', (sub) =>
        sub
          .selectFrom('issuance_entry')
          .select('issuance_id')
          .where('issuer', '=', issuer)
          .where('external_id', '=', externalId),
      );
    const rows = await query.execute();
    return { rows: rows.slice(0, page.first), more: rows.length > page.first };
  }

  async entries(
    { id, issuer }: IssuanceKey,
    page: { first: number; afterIndex: number },
    status?: EntryStatus,
  ): Promise<Page<EntryRow>> {
    let query = this.#db
      .selectFrom('issuance_entry')
      .selectAll()
      .where('issuance_id', '=', id)
      .where('issuer', '=', issuer)
      .where('index', '>', page.afterIndex)
      .orderBy('index')
      .limit(page.first + 1);
    if (status) query = query.where('status', '=', status);
    const rows = await query.execute();
    return { rows: rows.slice(0, page.first), more: rows.length > page.first };
  }

  /** Counts for many of the issuer's issuances in two queries. */
  async progress(issuer: Address, ids: readonly string[]): Promise<Map<string, Progress>> {
    const entries = await this.#db
      .selectFrom('issuance_entry')
      .select((select) => [
        'issuance_id as id',
        select.fn.countAll<string>().as('total'),
        select.fn
          .countAll<string>()
          .filterWhere('status', 'in', ['WAITING_FOR_MINING', 'ISSUED'])
          .as('accepted'),
        select.fn.countAll<string>().filterWhere('status', '=', 'ISSUED').as('issued'),
        select.fn.countAll<string>().filterWhere('status', '=', 'FAILED').as('failed'),
      ])
      .where('issuance_id', 'in', [...ids])
      .where('issuer', '=', issuer)
      .groupBy('issuance_id')
      .execute();
    const files = await this.#db
      .selectFrom('issuance_file')
      .innerJoin('issuance', 'issuance.id', 'issuance_id')
      .select((select) => [
        'issuance_id as id',
        select.fn.countAll<string>().as('total'),
        select.fn.countAll<string>().filterWhere('ready', '=', true).as('ready'),
      ])
      .where('issuance_id', 'in', [...ids])
      .where('issuer', '=', issuer)
      .groupBy('issuance_id')
      .execute();
    const filesOf = new Map(files.map((row) => [row.id, row]));
    return new Map(
      entries.map((row) => [
        row.id,
        {
          total: Number(row.total),
          filesTotal: Number(filesOf.get(row.id)?.total ?? 0),
          filesReady: Number(filesOf.get(row.id)?.ready ?? 0),
          accepted: Number(row.accepted),
          issued: Number(row.issued),
          failed: Number(row.failed),
        },
      ]),
    );
  }

  history({ id, issuer }: IssuanceKey): Promise<HistoryRow[]> {
    return this.#db
      .selectFrom('issuance_history as step')
      .innerJoin('issuance', 'issuance.id', 'step.issuance_id')
      .select(['step.status', 'step.reason', 'step.at'])
      .where('issuance.id', '=', id)
      .where('issuance.issuer', '=', issuer)
      .orderBy('step.id')
      .execute();
  }

  /** The issuer's own entries behind these tokens. */
  entriesOfTokens(issuer: Address, tokens: readonly Token[]): Promise<EntryRow[]> {
    return this.#db
      .selectFrom('issuance_entry')
      .selectAll()
      .where('issuer', '=', issuer)
      .where(
        'token_id',
        'in',
        tokens.map((token) => token.tokenId),
      )
      .execute();
  }

  /** The newest entries under these references of the issuer. */
  entriesOfExternalIds(issuer: Address, externalIds: readonly string[]): Promise<EntryRow[]> {
    return this.#db
      .selectFrom('issuance_entry')
      .selectAll()
      .where('issuer', '=', issuer)
      .where('external_id', 'in', [...externalIds])
      .orderBy('updated_at')
      .execute();
  }
}
