/** Fields of a PostgreSQL driver's error that never quote a value. */
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
 * Removes values from a database error before it is logged: PGlite attaches the parameters, and PostgreSQL
 * quotes rows and documents in details. The statement and the constraint stay. Returns other errors
 * unchanged.
 */
export function redactDatabaseError<Logged extends Shown>(error: Logged): Logged | Shown {
  if (!isOfStore(error)) return error;
  const safeFields = Object.fromEntries(
    telling.flatMap((name) => (name in error ? [[name, error[name]]] : [])),
  );
  const { type, message, stack } = error;
  return { type, message: unquoted(message), stack: unquoted(stack), ...safeFields };
}

const isOfStore = ({ code, severity }: Shown): boolean =>
  typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && typeof severity === 'string';

/**
 * Hides the value in `invalid input syntax for type uuid: "…"`. Values come after the colon, names before it.
 */
const unquoted = (text: string): string => text.replace(/: ".*"(?=\n|$)/gs, ': "…"');
