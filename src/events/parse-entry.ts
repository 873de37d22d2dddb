import { type Address, parseAddress } from '@srr-gateway/common/address';
import { fingerprint } from '@srr-gateway/common/canonical-json';
import { parseTokenId } from '../model/token-id.ts';
import type { NewEvent } from '../store/append-events.ts';
import type { EventType } from '../store/tables.ts';
import { eventTypeOf } from './kinds.ts';

/** What a deployment knows of the deliveries of its service. */
export interface DeliveryReading {
  /** Kinds of the service and what they are taken as, over the built-in table. */
  kinds: Record<string, EventType>;
  /** A record whose collection is the registry itself has none. */
  registryAddress?: Address | undefined;
}

type Entry = Record<string, unknown>;

/** Objects within an entry that may hold its ids; `srr` is the place in the answer to an issue request. */
const nested = ['srr', 'collection', 'result'];

/**
 * Reads one entry of a delivery, or of the log again. An entry of a known kind that contradicts itself, or lacks
 * the ids that its kind needs, is UNRECOGNIZED; the ids that it has are kept beside it.
 */
export function parseEntry(kind: string, raw: Entry, { kinds, registryAddress }: DeliveryReading): NewEvent {
  const scopes = [raw, ...nested.map((name) => raw[name]).filter(isObject)];
  const find = <T>(read: (value: unknown) => T | undefined, ...names: string[]): T | null => {
    for (const scope of scopes)
      for (const name of names) {
        const value = read(scope[name]);
        if (value !== undefined) return value;
      }
    return null;
  };
  const record = find(recordIn, 'tokenId', 'srrId');
  const named = find(
    addressIn,
    'collectionContractAddress',
    'collectionAddress',
    'contractAddress',
    'address',
  );
  const collection = named ?? record?.collection ?? null;
  const ids = {
    externalId: find(textIn, 'externalId'),
    tokenId: record?.tokenId ?? null,
    collection: collection === registryAddress ? null : collection,
  };
  const type = eventTypeOf(kind, kinds);
  const usable = needs[type](ids) && !contradicts(type, scopes);
  return {
    type: usable ? type : 'UNRECOGNIZED',
    kind,
    source: 'WEBHOOK',
    // A repeated delivery may be grouped anew, but its entries say the same.
    dedupe: fingerprint([kind, { ...raw, groupId: undefined }]),
    ...ids,
    message: find(textIn, 'message', 'reason', 'error'),
    raw,
  };
}

type Ids = Pick<NewEvent, 'externalId' | 'tokenId' | 'collection'>;

const namesRecord = (ids: Ids) => ids.tokenId !== null || ids.externalId !== null;
/** Without these an entry says nothing that could be acted on. */
const needs: Record<EventType, (ids: Ids) => boolean> = {
  SRR_ISSUED: namesRecord,
  SRR_FAILED: namesRecord,
  TRANSFER_RESERVED: () => true,
  TRANSFER_COMPLETED: () => true,
  COLLECTION_CREATED: () => true,
  COLLECTION_FAILED: () => true,
  UNRECOGNIZED: () => true,
};

const success =
  /^(issued|minted|mined|created|deployed|complete|completed|succe(ss|ssful|eded)|confirmed|ok)$/i;
const failure = /^(fail|failed|failure|error|rejected|reverted|dropped|cancell?ed)$/i;

/** Whether what an entry says beside its kind does not go with the kind. */
function contradicts(type: EventType, scopes: Entry[]): boolean {
  const wanted = {
    SRR_ISSUED: success,
    COLLECTION_CREATED: success,
    SRR_FAILED: failure,
    COLLECTION_FAILED: failure,
  };
  const form = wanted[type as keyof typeof wanted];
  if (form === undefined) return false;
  const positive = form === success;
  return scopes.some(({ status, success: succeeded, error }) => {
    // A word that nobody knows does not go with any kind: the index decides.
    if (status !== undefined && status !== null && !form.test(String(status))) return true;
    if (typeof succeeded === 'boolean' && succeeded !== positive) return true;
    return positive && error !== undefined && error !== null && error !== '' && error !== false;
  });
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textIn = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

const addressIn = (value: unknown) => (typeof value === 'string' ? parseAddress(value) : undefined);

/** A token id, or the id that the service's read endpoints give a record: its contract, a dash and the token id. */
function recordIn(value: unknown): { tokenId: string; collection?: Address | undefined } | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0)
    return { tokenId: String(value) };
  if (typeof value !== 'string') return undefined;
  const [, contract, digits = value] = /^(0x[0-9a-fA-F]{40})-(\d+)$/.exec(value) ?? [];
  const tokenId = parseTokenId(digits);
  return tokenId === undefined
    ? undefined
    : { tokenId, collection: contract ? parseAddress(contract) : undefined };
}
