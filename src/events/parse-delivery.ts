import { isJsonObject } from '../lib/json-object.ts';
import { isTooDeep, jsonbSafe } from '../lib/jsonb-safe.ts';
import { GatewayError } from '../model/errors.ts';
import type { NewEvent } from '../store/append-events.ts';
import { type DeliveryReading, parseEntry } from './parse-entry.ts';

export type { DeliveryReading } from './parse-entry.ts';

/** Type of deliveries without a type, such as the oldest ones. */
const untyped = 'untyped';
/**
 * Fields that may hold a delivery's entries. The service's document does not name them; `results` and `payload` are
 * its names in responses and requests.
 */
const entryFields = ['data', 'results', 'payload'];
/** Longer than any delivery type. A `type` that is not a string is stored as JSON, cut to this length. */
const maxKindLength = 200;

type Entry = Record<string, unknown>;

/**
 * Parses a delivery of any shape, because the service's document does not describe it. Accepts any JSON object: a
 * refused sender gives up, and its report would be lost. Unknown content becomes UNRECOGNIZED.
 * @throws GatewayError when the text is not JSON, or neither an object nor a list of one or more objects.
 */
export function parseDelivery(text: string, reading: DeliveryReading): NewEvent[] {
  const body = parseJson(text);
  const isList = Array.isArray(body);
  if (!isJsonObject(body) && !(isList && body.length > 0 && body.every(isJsonObject)))
    throw invalid(
      'The body is not a delivery. Send a JSON object, such as {"type": "issue_complete", "data": [{…}]}.',
    );
  // PostgreSQL cannot store deeply nested JSON, so store the text.
  if (isTooDeep(body)) return [parseEntry(untyped, { json: jsonbSafe(text) }, reading)];
  const deliveries = jsonbSafe(isList ? body : [body]) as Entry[];
  return deliveries.flatMap((delivery) =>
    entriesOf(delivery).map((entry) => parseEntry(kindOf(delivery), entry, reading)),
  );
}

function parseJson(text: string): unknown {
  try {
    // Some senders write a byte order mark, which RFC 8259 lets a reader ignore.
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    throw invalid(
      'The body is not JSON. Send a JSON object, such as {"type": "issue_complete", "data": [{…}]}.',
    );
  }
}

const invalid = (message: string) => new GatewayError({ code: 'INVALID_INPUT', message });

function kindOf({ type }: Entry): string {
  if (type === undefined || type === null || type === '') return untyped;
  // The cut may split a surrogate pair.
  return (typeof type === 'string' ? type : JSON.stringify(type)).slice(0, maxKindLength).toWellFormed();
}

/** The entries of a delivery: a list of them, one as an object, or the delivery itself. */
function entriesOf(delivery: Entry): Entry[] {
  const content = entryFields
    .map((field) => delivery[field])
    .find((value) => isJsonObject(value) || Array.isArray(value));
  if (isJsonObject(content)) return [content];
  if (!Array.isArray(content) || content.length === 0) return [delivery];
  const entries = content.filter(isJsonObject);
  // All values that are not objects go into one entry, so that a list of a million numbers is one event.
  const others = content.filter((value) => !isJsonObject(value));
  return others.length > 0 ? [...entries, { data: others }] : entries;
}
