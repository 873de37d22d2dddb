import { isJsonObject, type JsonObject } from '../../lib/json-object.ts';
import type { ErrorCode, Fault } from '../../model/errors.ts';
import { type MessageKind, messageKinds, type Proof } from './messages.ts';

/** `payload[]` of the request. Messages are mapped to its elements. */
export type Payload = readonly Record<string, unknown>[];

/** The faults in a message of the service. */
export interface ReadMessage {
  /**
   * One for each place in the payload that the message names, and at least one. Paths begin with `payload`.
   */
  faults: [Fault, ...Fault[]];
  /** False when the API document does not list the text. */
  documented: boolean;
}

/**
 * Converts a text of the service to faults with code, advice and entry, which have the text itself as
 * `upstreamMessage`. `otherwise` is the code of an undocumented text; `entry` is the element that the service named
 * beside the text. `issuer` is the caller's address.
 */
export function readMessage(
  text: string,
  payload: Payload,
  otherwise: ErrorCode,
  { entry, issuer = '' }: { entry?: number | undefined; issuer?: string | undefined } = {},
): ReadMessage {
  const found = findKind(text);
  const base: Fault = found
    ? { code: found.kind.code, message: advice(found), upstreamMessage: text }
    : undocumented(text, otherwise);
  const locations =
    entry === undefined
      ? locate(text, payload, issuer, found?.kind)
      : [locationOf(payload, entry, found?.kind.field)];
  const [first, ...rest] = locations.map((location) => ({ ...base, ...location }));
  return { faults: first ? [first, ...rest] : [base], documented: found !== undefined };
}

/** What a text of the service proves. */
export const proofOf = (text: string): Proof => findKind(text)?.kind.proves ?? 'NOTHING';

interface Found {
  kind: MessageKind;
  match: RegExpExecArray;
}

function findKind(text: string): Found | undefined {
  for (const kind of messageKinds) {
    const match = kind.form.exec(text);
    if (match) return { kind, match };
  }
  return undefined;
}

const advice = ({ kind, match }: Found) =>
  typeof kind.advice === 'string' ? kind.advice : kind.advice(match);

function undocumented(text: string, otherwise: ErrorCode): Fault {
  // The framework behind the service begins a validation message with the path of the field.
  const aboutInput = /^payload(?:\.|\s)/.test(text) && otherwise === 'UNKNOWN_ERROR';
  return {
    code: aboutInput ? 'INVALID_INPUT' : otherwise,
    message: 'The service refused the request. See the upstream message for the reason.',
    upstreamMessage: text,
  };
}

type FaultLocation = Pick<Fault, 'path' | 'externalId'>;

function locationOf(payload: Payload, index: number, field: readonly string[] = []): FaultLocation {
  const externalId = payload[index]?.externalId;
  return {
    path: ['payload', `${index}`, ...field],
    ...(typeof externalId === 'string' ? { externalId } : {}),
  };
}

// These expressions take linear time in the text's length, because it may quote a long input.
/** An id in brackets, and the field after it. An unclosed bracket extends to the end of its line. */
const inBrackets = /\[([^\]\n]*)(?:(\])(?: ([\w.$[\]]+):)?|$)/gm;
const betweenWords = /[\s,;()[\]"'<>]+/;
/** Before each address in a list: the names of files, and so their addresses, may have punctuation. */
const betweenAddresses = /\s+|(?<=[,;(["'<])(?=[a-z][a-z0-9+.-]*:\/)/i;
const lastPunctuation = /(?<![.:,;)\]"'>])[.:,;)\]"'>]+$/;

/** The entries that a message is about, in any form in which the service names one. */
function locate(
  text: string,
  payload: Payload,
  issuer: string,
  kind: MessageKind | undefined,
): FaultLocation[] {
  const at = (index: number, field?: readonly string[]) => locationOf(payload, index, field);

  const ofPath = atPath(text, payload, kind);
  if (ofPath) return [ofPath];

  const byExternalId = new Map(payload.map((entry, i) => [entry.externalId, i]));
  // Match this before brackets, which the id may contain. In the API document the id has a full stop after it in one
  // place only.
  const [, tail] = /external ID: (.+)$/s.exec(text) ?? [];
  const named = tail && (byExternalId.get(tail) ?? byExternalId.get(tail.replace(/\.\s*$/, '')));
  if (typeof named === 'number') return [at(named, kind?.field)];

  const bracketed = [...text.matchAll(inBrackets)].flatMap(([, externalId, isClosed, field]) => {
    const i = isClosed ? byExternalId.get(externalId) : undefined;
    return i === undefined ? [] : [at(i, field ? fieldPath(field) : kind?.field)];
  });
  if (bracketed.length > 0) return bracketed;

  const locations = mentioned(text, payload, issuer).map(({ index: i, field }) => at(i, field));
  // The fault is about an entry, and there is only one.
  if (locations.length === 0 && kind?.field && payload.length === 1) return [at(0, kind.field)];
  return locations;
}

/** The place of a path at the beginning of a message. */
function atPath(text: string, payload: Payload, kind: MessageKind | undefined): FaultLocation | undefined {
  const [, index, fields] = /^payload\.(\d+)(?:\.([\w$.]+))?/.exec(text) ?? [];
  if (index !== undefined) {
    const named = fields?.split('.').filter(Boolean) ?? [];
    const field = kind?.field ?? [];
    return locationOf(payload, Number(index), field.length > named.length ? field : named);
  }
  // The payload of a collection is an object.
  const [, property] = (payload.length === 0 && /^payload\.([A-Za-z]\w*)/.exec(text)) || [];
  return property ? { path: ['payload', property] } : undefined;
}

/** The path of a named field. Some fields are in the metadata although the message does not say so. */
function fieldPath(field: string): string[] {
  const path = field.split(/[.[\]]+/).filter(Boolean);
  return ['thumbnailURL', 'image', 'contractTerms'].includes(path[0] ?? '') ? ['metadata', ...path] : path;
}

/** Entries with an address or file URL that the message quotes. */
function mentioned(text: string, payload: Payload, issuer: string): { index: number; field: string[] }[] {
  const words = new Set(
    [betweenWords, betweenAddresses]
      .flatMap((between) => text.split(between))
      .filter((word) => word.includes(':/') || /^0x[0-9a-f]{40}/i.test(word))
      .map((word) => word.replace(lastPunctuation, '').toLowerCase()),
  );
  // A text about the caller. The caller may be an artist, whose address is then no fault.
  words.delete(issuer.toLowerCase());
  if (words.size === 0) return [];
  return payload.flatMap((entry, index) =>
    valuesIn(entry)
      .filter(({ value }) => typeof value === 'string' && words.has(value.toLowerCase()))
      .map(({ field }) => ({ index, field })),
  );
}

function valuesIn(entry: Record<string, unknown>): { field: string[]; value: unknown }[] {
  const metadata = record(entry.metadata);
  const attachments = Array.isArray(entry.attachmentFiles) ? entry.attachmentFiles : [];
  return [
    { field: ['artistAddress'], value: entry.artistAddress },
    { field: ['collectionAddress'], value: entry.collectionAddress },
    { field: ['metadata', 'thumbnailURL'], value: metadata.thumbnailURL },
    { field: ['metadata', 'image'], value: metadata.image },
    { field: ['metadata', 'contractTerms', 'fileURL'], value: record(metadata.contractTerms).fileURL },
    ...attachments.map((file, i) => ({
      field: ['attachmentFiles', `${i}`, 'url'],
      value: record(file).url,
    })),
  ];
}

const record = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
