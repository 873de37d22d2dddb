import type { Address } from '@srr-gateway/common/address';
import type { Db } from '../../store/store.ts';
import type { CollectionCreationRow } from './creation.ts';

/** Reads one issuer's creations. Every function takes the issuer, so that none returns another's. */
export class CollectionReads {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  byId(issuer: Address, id: string): Promise<CollectionCreationRow | undefined> {
    return this.#of(issuer).where('id', '=', id).executeTakeFirst();
  }

  byRequestId(issuer: Address, requestId: string): Promise<CollectionCreationRow | undefined> {
    return this.#of(issuer).where('request_id', '=', requestId).executeTakeFirst();
  }

  /** The creation that uses a salt. A salt that the service refused is free again. */
  bySalt(issuer: Address, salt: string): Promise<CollectionCreationRow | undefined> {
    return this.#of(issuer).where('salt', '=', salt).where('salt_free', '=', false).executeTakeFirst();
  }

  byAddress(issuer: Address, address: Address): Promise<CollectionCreationRow | undefined> {
    return this.#of(issuer).where('address', '=', address).executeTakeFirst();
  }

  #of(issuer: Address) {
    return this.#db.selectFrom('collection_creation').selectAll().where('issuer', '=', issuer);
  }
}
