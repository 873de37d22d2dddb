/** What a driver of PostgreSQL puts beside a message, and what of it never quotes a value. */
const telling = [
  'code',
  'severity',
  'schema',
  'table',
  'column',
  'dataType',
  'constraint',
  'routine',
  'query',
];

interface Shown {
  type: string;
  message: string;
  stack: string;
  [name: string]: unknown;
}

/**
 * What a log may show of an error: of one that the store gave, the statement and what it broke, and none of the
 * values it had. PGlite hands its parameters along, and PostgreSQL quotes rows and documents in its details.
 */
export function redactDatabaseError<Logged extends Shown>(error: Logged): Logged | Shown {
  if (!isOfStore(error)) return error;
  const kept = Object.fromEntries(telling.flatMap((name) => (name in error ? [[name, error[name]]] : [])));
  const { type, message, stack } = error;
  return { type, message: unquoted(message), stack: unquoted(stack), ...kept };
}

const isOfStore = ({ code, severity }: Shown): boolean =>
  typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && typeof severity === 'string';

/** `invalid input syntax for type uuid: "…"`: what stands behind a colon is the value, names stand before it. */
const unquoted = (text: string): string => text.replace(/: ".*"(?=\n|$)/gs, ': "…"');
