import { GatewayError } from '../model/errors.ts';

/**
 * Classes and codes of PostgreSQL for a connection that failed, a server that stops, starts, or has no connection
 * left; and what the operating system says of one that cannot be reached.
 */
const codes =
  /^(08...|57P0[123]|53300|ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|E(HOST|NET)UNREACH)$/;
/** The driver has no code for these. */
const words =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/**
 * The fault of a caller whose work met a store that cannot be reached; undefined for every other error. All other
 * connections belong to clients that have words of their own for it.
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
