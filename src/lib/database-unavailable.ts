import { GatewayError } from '../model/errors.ts';

/**
 * Error codes of PostgreSQL for a failed connection and for a server that stops, starts or has no connection
 * left, and of the operating system for a server that cannot be reached.
 */
const codes =
  /^(08...|57P0[123]|53300|ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|E(HOST|NET)UNREACH)$/;
/** Messages of driver errors that have no code. */
const words =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/**
 * The error to show when the database cannot be reached; undefined for every other error. A connection error
 * can only be the database's here, because the upstream clients turn theirs into errors of their own.
 */
export function databaseUnavailable(error: unknown): GatewayError | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error ? String(error.code) : '';
  if (!codes.test(code) && !words.test(error.message)) return undefined;
  return new GatewayError(
    {
      code: 'UPSTREAM_UNAVAILABLE',
      message: 'The gateway’s own database cannot be reached. Send the same again in a moment.',
    },
    { cause: error },
  );
}
