import { jsonbFault, jsonbSafe } from '../lib/jsonb-safe.ts';
import { GatewayError } from '../model/errors.ts';
import type { NewEvent } from '../store/append-events.ts';
import { type DeliveryReading, isObject, parseEntry } from './parse-entry.ts';

export type { DeliveryReading } from './parse-entry.ts';

/** The kind of a delivery that does not name one, as the oldest did. */
const untyped = 'untyped';
/** Where a delivery may hold its entries. The document does not show it; the last two are names of its answers. */
const places = ['data', 'results', 'payload'];
/** Longer than any name of a kind; what is no text is kept by its JSON. */
const maxKindLength = 200;

type Entry = Record<string, unknown>;

/**
 * Reads a delivery, whatever its shape: the document does not show one. Any JSON object is taken, because a sender
 * that is refused gives up, and what it had to tell is lost. What is not understood becomes UNRECOGNIZED.
 * @throws GatewayError when the text is not JSON, or neither an object nor a list of objects.
 */
export function parseDelivery(text: string, reading: DeliveryReading): NewEvent[] {
  const body = parseJson(text);
  const isList = Array.isArray(body);
  if (!isObject(body) && !(isList && body.length > 0 && body.every(isObject)))
    throw invalid(
      'This is no delivery. Send a JSON object, such as {"type": "issue_complete", "data": [{…}]}.',
    );
  // Such a body can be neither searched nor stored as JSON; its text can.
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
  // The cut may go through a character.
  return (typeof type === 'string' ? type : JSON.stringify(type)).slice(0, maxKindLength).toWellFormed();
}

/** A list of entries, one entry as an object, or a delivery that is its own entry. */
function entriesOf(delivery: Entry): Entry[] {
  const held = places
    .map((place) => delivery[place])
    .find((value) => isObject(value) || Array.isArray(value));
  if (isObject(held)) return [held];
  if (!Array.isArray(held) || held.length === 0) return [delivery];
  const entries = held.filter(isObject);
  // Together, so that a list of a million numbers is one event.
  const others = held.filter((value) => !isObject(value));
  return others.length > 0 ? [...entries, { data: others }] : entries;
}
