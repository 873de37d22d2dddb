import type { DeliveryVariants } from './delivery-variants.ts';

/** The data of a record that a delivery can have; a refused one has only its externalId. */
export interface RecordSubject {
  about: 'RECORD';
  externalId: string;
  srr?: Record<string, unknown> & { tokenId: string };
  metadata?: unknown;
}

export interface CollectionSubject {
  about: 'COLLECTION';
  name: string;
  symbol: string;
  salt: string;
  collectionAddress: string;
}

export type Subject = RecordSubject | CollectionSubject;

type Entry = Record<string, unknown>;

/** An element of `data`. */
export function entryOf(
  { ids, status, failedAs }: DeliveryVariants,
  subject: Subject,
  failed: boolean,
  message: string | undefined,
): Entry {
  const tellsStatus = status || (failed && failedAs === 'STATUS');
  const own = subject.about === 'RECORD' ? recordEntry(ids, subject) : collectionEntry(ids, subject);
  return {
    ...own,
    ...(tellsStatus && { status: failed ? 'failed' : subject.about === 'RECORD' ? 'issued' : 'created' }),
    ...(message !== undefined && { message }),
  };
}

function recordEntry(ids: DeliveryVariants['ids'], { externalId, srr, metadata }: RecordSubject): Entry {
  switch (ids) {
    case 'OLD':
      return { groupId: 'g-1', srrId: srr?.tokenId, externalId, metadata };
    case 'SLIM':
      return { externalId, ...srr };
    case 'NESTED':
      return { externalId, ...(srr && { srr }) };
    case 'TOKEN_ID':
      return srr ? { tokenId: srr.tokenId } : { externalId };
    default:
      return { externalId };
  }
}

function collectionEntry(ids: DeliveryVariants['ids'], subject: CollectionSubject): Entry {
  const { about: _, ...all } = subject;
  switch (ids) {
    case 'NESTED':
      return { collection: all };
    case 'EXTERNAL_ID':
      return { salt: all.salt };
    case 'TOKEN_ID':
      return { collectionAddress: all.collectionAddress };
    default:
      return all;
  }
}

/** The bodies for entries: one, or one for each entry if the form has only one entry. */
export function bodiesOf(
  envelope: DeliveryVariants['envelope'],
  type: string | null,
  entries: Entry[],
): unknown[] {
  const version = 1;
  switch (envelope) {
    case 'LIST':
      return [{ type, version, data: entries }];
    case 'NULL_TYPE':
      return [{ type: null, version, data: entries }];
    case 'UNTYPED':
      return [{ data: entries }];
    case 'OBJECT':
      return entries.map((data) => ({ type, version, data }));
    default:
      return entries.map((entry) => ({ type, version, ...entry }));
  }
}
