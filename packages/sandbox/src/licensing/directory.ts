import { createHash } from 'node:crypto';
import { type Address, parseAddress } from '@srr-gateway/common/address';
import type { SandboxSettings } from '../config/settings.ts';
import { anyOf } from '../store/any-of.ts';
import type { Db } from '../store/tables.ts';

/** A licensed user to add or update; without an `apiKey` it cannot call the commerce API. */
interface NewLicensedUser {
  address: Address;
  englishName: string;
  originalName: string;
  userType: 'handler' | 'artist';
  apiKey?: string;
  withdrawn?: boolean;
}

/** A user's own quotas; an absent one stays as it is. */
interface Quota {
  address: Address;
  srrs?: number | undefined;
  nfcTags?: number | undefined;
}

/** How many SRRs and NFC tags a licensed user may use, and has used. */
interface Allowance {
  srrQuota: number;
  srrsUsed: number;
  nfcAllowance: number;
  nfcUsed: number;
}

/** The service's own list of licensed users: names, API keys, withdrawn licences, quotas. */
export class Directory {
  readonly #db: Db;
  readonly #settings: Pick<SandboxSettings, 'srrQuota' | 'nfcAllowance'>;

  constructor(db: Db, settings: Pick<SandboxSettings, 'srrQuota' | 'nfcAllowance'>) {
    this.#db = db;
    this.#settings = settings;
  }

  /** Adds a user, or updates its names, type, key and `withdrawn`. Its quotas stay. */
  async put(user: NewLicensedUser): Promise<void> {
    const changeable = {
      english_name: user.englishName,
      original_name: user.originalName,
      user_type: user.userType,
      api_key_hash: user.apiKey === undefined ? null : hashOf(user.apiKey),
      withdrawn: user.withdrawn ?? false,
    };
    await this.#db
      .insertInto('licensed_user')
      .values({ address: user.address, ...changeable, srr_quota: null, nfc_allowance: null })
      .onConflict((conflict) => conflict.column('address').doUpdateSet(changeable))
      .execute();
  }

  /**
   * The wallet address that an API key belongs to; `undefined` for an unknown key. It is looked up by the
   * key's hash, so response times reveal nothing about the key.
   */
  async addressOfKey(apiKey: string): Promise<Address | undefined> {
    const row = await this.#db
      .selectFrom('licensed_user')
      .select('address')
      .where('api_key_hash', '=', hashOf(apiKey))
      .executeTakeFirst();
    return row?.address;
  }

  /** The known users among `addresses` (any letter case), by checksummed address. */
  async find(addresses: Iterable<string>): Promise<Map<Address, { withdrawn: boolean }>> {
    const checksummed = [...new Set(addresses)]
      .map((address) => parseAddress(address.toLowerCase()))
      .filter((address) => address !== undefined);
    if (checksummed.length === 0) return new Map();
    const rows = await this.#db
      .selectFrom('licensed_user')
      .select(['address', 'withdrawn'])
      .where(anyOf('address', checksummed))
      .execute();
    return new Map(rows.map((row) => [row.address, { withdrawn: row.withdrawn }]));
  }

  /** An issuer's quotas and their use. Failed records and their tags do not count: nothing was issued. */
  async allowanceOf(address: Address): Promise<Allowance> {
    const user = await this.#db
      .selectFrom('licensed_user')
      .select((eb) => [
        'srr_quota',
        'nfc_allowance',
        eb
          .selectFrom('srr')
          .select((inner) => inner.fn.countAll<string>().as('n'))
          .where('issuer', '=', address)
          .where('status', '<>', 'failed')
          .as('srrs'),
        eb
          .selectFrom('srr_chip')
          .select((inner) => inner.fn.countAll<string>().as('n'))
          .where('issuer', '=', address)
          .as('chips'),
      ])
      .where('address', '=', address)
      .executeTakeFirst();
    return {
      srrQuota: user?.srr_quota ?? this.#settings.srrQuota,
      srrsUsed: Number(user?.srrs ?? 0),
      nfcAllowance: user?.nfc_allowance ?? this.#settings.nfcAllowance,
      nfcUsed: Number(user?.chips ?? 0),
    };
  }

  async setQuota({ address, srrs, nfcTags }: Quota): Promise<void> {
    await this.#db
      .updateTable('licensed_user')
      .set((eb) => ({
        srr_quota: srrs ?? eb.ref('srr_quota'),
        nfc_allowance: nfcTags ?? eb.ref('nfc_allowance'),
      }))
      .where('address', '=', address)
      .execute();
  }
}

function hashOf(apiKey: string): string {
  return createHash('sha256').update(apiKey).digest('hex');
}
