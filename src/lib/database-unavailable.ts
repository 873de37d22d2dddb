import { GatewayError } from '../model/errors.ts';

/**
 * Error codes of a temporarily unavailable database. PostgreSQL's: a failed connection or login (a password change);
 * a server that stops, starts, is read-only (a standby before its promotion), or has no free connection or space; a
 * statement or transaction that ended after an idle, run or lock time-out or a deadlock. And the operating system's,
 * including too many open files.
 */
const codes =
  /^(08...|28...|3D000|40P01|57014|57P0[123]|53[13]00|25006|25P03|55P03|E[MN]FILE|ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|E(HOST|NET)UNREACH)$/;
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
