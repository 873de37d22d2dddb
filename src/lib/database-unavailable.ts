import { GatewayError } from '../model/errors.ts';

/**
 * Error codes of an unreachable database: PostgreSQL's for a failed connection and for a server that stops,
 * starts or has no free connection, and the operating system's.
 */
const codes =
  /^(08...|57P0[123]|53300|ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|E(HOST|NET)UNREACH)$/;
/** Messages of driver errors that have no code. */
const words =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/**
 * The error to show when the database cannot be reached; undefined for other errors. A connection error must
 * be the database's: the upstream clients turn theirs into UpstreamErrors.
 */
export function databaseUnavailable(error: unknown): GatewayError | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error ? String(error.code) : '';
  if (!codes.test(code) && !words.test(error.message)) return undefined;
  return new GatewayError(
    {
      code: 'UPSTREAM_UNAVAILABLE',
      message: 'The gateway’s own database cannot be reached. Repeat the call in a few seconds.',
    },
    { cause: error },
  );
}
