import type { Address } from '@srr-gateway/common/address';
import { sql } from 'kysely';
import type { EntryKey } from '../model/entry-key.ts';
import { type FileCategory, type FileKey, fileKeyText, type UploadStatus } from '../model/file.ts';
import { type Page, pageOf } from '../model/page.ts';
import type { RecordKey } from '../model/record.ts';
import { anyOf } from '../store/any-of.ts';
import type { Db } from '../store/store.ts';
import type { EntryStatus, IssuanceStatus } from '../store/tables.ts';
import { hasKeyAmong } from './entry-state.ts';
import { fileStatus } from './files/waited-files.ts';
import {
  type EntryRow,
  type Files,
  type FlowDeps,
  type IssuanceKey,
  type IssuanceRow,
  isFinal,
} from './flow.ts';

/** Counts of an issuance's entries and files by their state. */
export interface Progress {
  total: number;
  filesTotal: number;
  filesReady: number;
  accepted: number;
  issued: number;
  failed: number;
}

/** A line of an issuance's history. */
export interface HistoryRow {
  status: IssuanceStatus;
  reason: string;
  at: Date;
}

/** A file that an issuance names, as the worker last saw it. */
export interface IssuanceFileRow extends FileKey {
  status: UploadStatus;
  message: string | null;
  since: Date;
  /** `contentType` and `finalUrl` never change; null when the gateway did not sign for the file. */
  contentType: string | null;
  finalUrl: string | null;
}

/** Reads one issuer's issuances. Every function takes the issuer, so that none returns another's. */
export class IssuanceReads {
  readonly #db: Db;
  readonly #files: Pick<Files, 'find'>;

  constructor({ db, files }: Pick<FlowDeps, 'db' | 'files'>) {
    this.#db = db;
    this.#files = files;
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

  /** Issuances, newest first, after the row that `after` names. */
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
      query = query
        // The index is searched by this condition. The next one alone would read all pages before.
        .where('created_at', '<=', after.createdAt)
        .where((where) => where.or([where('created_at', '<', after.createdAt), where('id', '>', after.id)]));
    const { status, externalId } = filter;
    if (status) query = query.where('status', '=', anyOf(status));
    // The few that are under way have an index of their own.
    if (status && !status.some(isFinal)) query = query.where('completed_at', 'is', null);
    if (externalId !== undefined)
      query = query.where('id', 'in', (sub) =>
        sub
          .selectFrom('issuance_entry')
          .select('issuance_id')
          .where('issuer', '=', issuer)
          .where('external_id', '=', externalId),
      );
    return pageOf(await query.execute(), page.first);
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
    return pageOf(await query.execute(), page.first);
  }

  /** The files of an issuance by category and name, after the file that `after` names. */
  async files(
    { id, issuer }: IssuanceKey,
    page: { first: number; after?: { category: string; filename: string } | undefined },
    status?: UploadStatus,
  ): Promise<Page<IssuanceFileRow>> {
    let query = this.#db
      .selectFrom('issuance_file as file')
      .innerJoin('issuance', 'issuance.id', 'file.issuance_id')
      .select([
        sql<FileCategory>`file.category`.as('category'),
        'file.filename',
        fileStatus.as('status'),
        'file.message',
        'file.since',
      ])
      .where('issuance.id', '=', id)
      .where('issuance.issuer', '=', issuer)
      .orderBy('file.category')
      .orderBy('file.filename')
      .limit(page.first + 1);
    if (status) query = query.where(fileStatus, '=', status);
    const { after } = page;
    if (after)
      query = query.where(
        sql<boolean>`(file.category, file.filename) > (${after.category}, ${after.filename})`,
      );
    const { rows, more } = pageOf(await query.execute(), page.first);
    const filenames = rows.map(({ filename }) => filename);
    const known = new Map(
      (await this.#files.find(this.#db, issuer, { filenames })).map((file) => [fileKeyText(file), file]),
    );
    return {
      rows: rows.map((row) => {
        const { contentType = null, finalUrl = null } = known.get(fileKeyText(row)) ?? {};
        return { ...row, contentType, finalUrl };
      }),
      more,
    };
  }

  /** Counts for many of the issuer's issuances in one query, because each event of an issuance selects them. */
  async progress(issuer: Address, ids: readonly string[]): Promise<Map<string, Progress>> {
    // `accepted` counts the records of accepted batches, so that it does not fall when one fails later. A join of
    // batches and entries would read all entries once for each batch.
    const { rows } = await sql<{ id: string } & Progress>`
      select issuance.id, entries.*, files.*
      from gateway.issuance as issuance
      cross join lateral (
        select coalesce(sum(total), 0)::int as total,
          coalesce(sum(total) filter (where status = 'ACCEPTED'), 0)::int as accepted,
          coalesce(sum(issued), 0)::int as issued, coalesce(sum(failed), 0)::int as failed
        from (
          select count(*) as total,
            count(*) filter (where entry.status = 'ISSUED') as issued,
            count(*) filter (where entry.status = 'FAILED') as failed,
            (select status from gateway.issuance_batch as sent
              where sent.issuance_id = issuance.id and sent.index = entry.batch) as status
          from gateway.issuance_entry as entry where entry.issuance_id = issuance.id group by entry.batch
        ) as batches
      ) as entries
      cross join lateral (
        select count(*)::int as "filesTotal", count(*) filter (where ready)::int as "filesReady"
        from gateway.issuance_file where issuance_id = issuance.id
      ) as files
      where issuance.issuer = ${issuer} and issuance.id = any(${[...ids]}::uuid[])`.execute(this.#db);
    return new Map(rows.map(({ id, ...progress }) => [id, progress]));
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

  /** The issuer's own entries with these keys. */
  entriesAt(issuer: Address, keys: readonly EntryKey[]): Promise<EntryRow[]> {
    return this.#db
      .selectFrom('issuance_entry as entry')
      .selectAll()
      .where('issuer', '=', issuer)
      .where(hasKeyAmong(keys))
      .execute();
  }

  /**
   * The issuer's own entries of these tokens. Of several entries of a token the one that counts comes last: an issued
   * one, else one that waits for mining, else the newest.
   */
  entriesOfTokens(issuer: Address, tokens: readonly RecordKey[]): Promise<EntryRow[]> {
    return this.#entriesThatCountLast(issuer)
      .where(
        'entry.token_id',
        'in',
        tokens.map((token) => token.tokenId),
      )
      .execute();
  }

  /** The issuer's entries with these externalIds, in the order of `entriesOfTokens`. */
  entriesOfExternalIds(issuer: Address, externalIds: readonly string[]): Promise<EntryRow[]> {
    return this.#entriesThatCountLast(issuer)
      .where('entry.external_id', 'in', [...externalIds])
      .execute();
  }

  /** Newer means requested later; `updated_at` is the time of the last change. */
  #entriesThatCountLast(issuer: Address) {
    return this.#db
      .selectFrom('issuance_entry as entry')
      .innerJoin('issuance', 'issuance.id', 'entry.issuance_id')
      .selectAll('entry')
      .where('entry.issuer', '=', issuer)
      .orderBy(sql`case entry.status when 'ISSUED' then 2 when 'WAITING_FOR_MINING' then 1 else 0 end`)
      .orderBy('issuance.created_at')
      .orderBy('entry.index');
  }
}
