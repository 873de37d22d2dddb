import { type Address, parseAddressInAnyCase } from '@srr-gateway/common/address';
import { fingerprint } from '@srr-gateway/common/canonical-json';
import { isJsonObject } from '../lib/json-object.ts';
import { type EventType, isRecordOutcome, typeOfDelivery } from '../model/event-type.ts';
import { parseTokenId } from '../model/token-id.ts';
import type { NewEvent } from '../store/append-events.ts';

/** Settings for reading deliveries. */
export interface DeliveryReading {
  /** Event types by delivery type (WEBHOOK_TYPES). They override `typeOfDelivery`. */
  deliveryTypes: Record<string, EventType>;
  /** The registry contract. A record on it belongs to no collection. */
  registryAddress?: Address | undefined;
}

type Entry = Record<string, unknown>;

/** Nested objects that may hold an entry's ids. The response to an issue request has them in `srr`. */
const nested = ['srr', 'collection', 'result'];

/**
 * Parses one entry of a new or replayed delivery. An entry of a known type becomes UNRECOGNIZED, but keeps its
 * ids, when it contradicts itself or lacks an id that its type needs.
 */
export function parseEntry(
  kind: string,
  raw: Entry,
  { deliveryTypes, registryAddress }: DeliveryReading,
): NewEvent {
  const scopes = [raw, ...nested.map((name) => raw[name]).filter(isJsonObject)];
  const find = <T>(read: (value: unknown) => T | undefined, ...names: string[]): T | null => {
    for (const scope of scopes)
      for (const name of names) {
        const value = read(scope[name]);
        if (value !== undefined) return value;
      }
    return null;
  };
  const record = find(readRecord, 'tokenId', 'srrId');
  const namedCollection = find(
    readAddress,
    'collectionContractAddress',
    'collectionAddress',
    'contractAddress',
    'address',
  );
  const collection = namedCollection ?? record?.collection ?? null;
  const ids = {
    externalId: find(readText, 'externalId'),
    tokenId: record?.tokenId ?? null,
    collection: collection === registryAddress ? null : collection,
  };
  const type = eventTypeOf(kind, deliveryTypes);
  const lacksRecord = isRecordOutcome(type) && ids.tokenId === null && ids.externalId === null;
  return {
    type: lacksRecord || contradicts(type, scopes) ? 'UNRECOGNIZED' : type,
    kind,
    source: 'WEBHOOK',
    // Leave out `groupId`: the service may group entries differently when it repeats a delivery.
    dedupe: fingerprint([kind, { ...raw, groupId: undefined }]),
    ...ids,
    message: find(readText, 'message', 'reason', 'error'),
    raw,
  };
}

/** The event type of a delivery type: that of WEBHOOK_TYPES, else of `typeOfDelivery`, else UNRECOGNIZED. */
function eventTypeOf(kind: string, configured: Record<string, EventType>): EventType {
  if (Object.hasOwn(configured, kind)) return configured[kind] as EventType;
  return typeOfDelivery.get(kind) ?? 'UNRECOGNIZED';
}

const success =
  /^(issued|minted|mined|created|deployed|complete|completed|succe(ss|ssful|eded)|confirmed|ok)$/i;
const failure = /^(fail|failed|failure|error|rejected|reverted|dropped|cancell?ed)$/i;
/** The `status` that an entry of each type may have. */
const statuses: Partial<Record<EventType, RegExp>> = {
  SRR_ISSUED: success,
  COLLECTION_CREATED: success,
  SRR_FAILED: failure,
  COLLECTION_FAILED: failure,
};

/** Whether an entry's `status`, `success` or `error` contradicts its type. */
function contradicts(type: EventType, scopes: Entry[]): boolean {
  const expected = statuses[type];
  if (expected === undefined) return false;
  const isSuccess = expected === success;
  return scopes.some(({ status, success: succeeded, error }) => {
    // An unknown status counts as a contradiction, and so does one that is not text. Then the subgraph decides.
    if (status !== undefined && status !== null && !(typeof status === 'string' && expected.test(status)))
      return true;
    if (typeof succeeded === 'boolean' && succeeded !== isSuccess) return true;
    return isSuccess && error !== undefined && error !== null && error !== '' && error !== false;
  });
}

const readText = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

const readAddress = (value: unknown) =>
  typeof value === 'string' ? parseAddressInAnyCase(value) : undefined;

/** Reads a token id, or a record id of the service's read endpoints: contract address, dash, token id. */
function readRecord(value: unknown): { tokenId: string; collection?: Address | undefined } | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0)
    return { tokenId: String(value) };
  if (typeof value !== 'string') return undefined;
  const [, contract, digits = value] = /^(0x[0-9a-fA-F]{40})-(\d+)$/.exec(value) ?? [];
  const tokenId = parseTokenId(digits);
  return tokenId === undefined
    ? undefined
    : { tokenId, collection: contract ? parseAddressInAnyCase(contract) : undefined };
}
