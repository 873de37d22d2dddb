import { jsonbFault, jsonbSafe } from '../lib/jsonb-safe.ts';
import { GatewayError } from '../model/errors.ts';
import type { NewEvent } from '../store/append-events.ts';
import { type DeliveryReading, isObject, parseEntry } from './parse-entry.ts';

export type { DeliveryReading } from './parse-entry.ts';

/** Stands for the type of a delivery that names none, as the oldest deliveries did. */
const untyped = 'untyped';
/**
 * Fields that may hold a delivery's entries. The document does not show them; `results` and `payload` are
 * names that it uses in answers.
 */
const places = ['data', 'results', 'payload'];
/** Longer than any delivery type. A `type` that is no string is kept as its JSON, cut to this length. */
const maxKindLength = 200;

type Entry = Record<string, unknown>;

/**
 * Parses a delivery of any shape, because the document shows none. Takes any JSON object: a sender that is
 * refused gives up, and what it reports would be lost. What is not understood becomes UNRECOGNIZED.
 * @throws GatewayError when the text is not JSON, or neither an object nor a list of one or more objects.
 */
export function parseDelivery(text: string, reading: DeliveryReading): NewEvent[] {
  const body = parseJson(text);
  const isList = Array.isArray(body);
  if (!isObject(body) && !(isList && body.length > 0 && body.every(isObject)))
    throw invalid(
      'This is no delivery. Send a JSON object, such as {"type": "issue_complete", "data": [{…}]}.',
    );
  // A body that is nested too deep can be neither searched nor stored as JSON; its text can.
  if (jsonbFault(body)?.tooDeep) return [parseEntry(untyped, { json: jsonbSafe(text) }, reading)];
  const deliveries = jsonbSafe(isList ? body : [body]) as Entry[];
  return deliveries.flatMap((delivery) =>
    entriesOf(delivery).map((entry) => parseEntry(kindOf(delivery), entry, reading)),
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('The body is not JSON.');
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
  const held = places
    .map((place) => delivery[place])
    .find((value) => isObject(value) || Array.isArray(value));
  if (isObject(held)) return [held];
  if (!Array.isArray(held) || held.length === 0) return [delivery];
  const entries = held.filter(isObject);
  // Whatever is no object goes into one entry, so that a list of a million numbers is one event.
  const others = held.filter((value) => !isObject(value));
  return others.length > 0 ? [...entries, { data: others }] : entries;
}
