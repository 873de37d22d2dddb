import { createHash } from 'node:crypto';
import type { Address } from '@srr-gateway/common/address';
import { fingerprint } from '@srr-gateway/common/canonical-json';
import { requestMessages } from '../../http/messages.ts';
import { ServiceError } from '../../http/service-error.ts';
import type { Db } from '../../store/tables.ts';
import type { IssueRequest } from '../body/issue-request.ts';

/**
 * Both idempotency rules. A requestId stays used once its request was logged, whatever its outcome. Content
 * can be sent again when its request failed. The database's unique indexes admit one of two equal requests
 * that come at the same moment.
 */
export class RequestLog {
  readonly #db: Db;
  /** Requests to abandon. If the database is down they remain here, and are abandoned before the next request. */
  readonly #abandoned = new Set<string>();

  constructor(db: Db) {
    this.#db = db;
  }

  /** Logs a request as in progress and returns its row id. Throws the document's 400 for a repeated one. */
  async begin(issuer: Address, { requestId, payload }: IssueRequest): Promise<string> {
    for (const id of this.#abandoned) await this.abandon(id);
    const contentHash = fingerprint(payload);
    const logged = await this.#db
      .insertInto('issue_request')
      .values({
        issuer,
        request_id: requestId ?? null,
        content_hash: contentHash,
        status: 'in_progress',
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst();
    if (logged !== undefined) return logged.id;
    throw new ServiceError(400, await this.#reason(issuer, requestId, contentHash));
  }

  async #reason(issuer: Address, requestId: string | undefined, contentHash: string): Promise<string> {
    if (requestId !== undefined) {
      const known = await this.#db
        .selectFrom('issue_request')
        .select('id')
        .where('issuer', '=', issuer)
        .where((eb) => eb(eb.fn<string>('md5', ['request_id']), '=', md5(requestId)))
        .executeTakeFirst();
      if (known) return requestMessages.duplicateRequestId;
    }
    const same = await this.#db
      .selectFrom('issue_request')
      .select('status')
      .where('issuer', '=', issuer)
      .where('content_hash', '=', contentHash)
      .where('status', '<>', 'failed')
      .executeTakeFirst();
    return requestMessages.duplicateContent(same?.status === 'successful' ? 'successful' : 'in_progress');
  }

  /** Marks a request as successful and lets its records be mined. Throws when a later start has failed it. */
  async confirm(id: string): Promise<void> {
    await this.#db.transaction().execute(async (trx) => {
      const confirmed = await trx
        .updateTable('issue_request')
        .set({ status: 'successful' })
        .where('id', '=', id)
        .where('status', '=', 'in_progress')
        .returning('id')
        .executeTakeFirst();
      if (confirmed === undefined) throw new Error('the request is no longer in progress');
      await trx.updateTable('srr').set({ status: 'waiting_for_mining' }).where('request', '=', id).execute();
    });
  }

  /**
   * Marks a request as failed and frees the unique values that it had reserved, unless it has ended already. Returns
   * how it ended.
   */
  async abandon(id: string): Promise<'successful' | 'failed'> {
    this.#abandoned.add(id);
    const ended = await this.#db.transaction().execute(async (trx) => {
      const { status } = await trx
        .selectFrom('issue_request')
        .select('status')
        .where('id', '=', id)
        .forUpdate()
        .executeTakeFirstOrThrow();
      if (status !== 'in_progress') return status;
      await trx.deleteFrom('srr').where('request', '=', id).where('status', '=', 'accepting').execute();
      await trx.updateTable('issue_request').set({ status: 'failed' }).where('id', '=', id).execute();
      return 'failed' as const;
    });
    this.#abandoned.delete(id);
    return ended;
  }

  /** At start, fails the requests that the last process left in progress: nothing of them was issued. */
  async abandonInterrupted(): Promise<void> {
    await this.#db.transaction().execute(async (trx) => {
      await trx.deleteFrom('srr').where('status', '=', 'accepting').execute();
      await trx
        .updateTable('issue_request')
        .set({ status: 'failed' })
        .where('status', '=', 'in_progress')
        .execute();
    });
  }
}

/** As PostgreSQL's `md5`, which is what the unique indexes on texts of any length have. */
export function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}
