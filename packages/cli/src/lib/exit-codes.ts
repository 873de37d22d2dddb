import { GatewayError } from '@srr-gateway/client';

/** The exit codes of the process. README.md lists them; scripts rely on them. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  unreachable: 3,
  refused: 4,
  interrupted: 130,
} as const;

/** Arguments, settings, a manifest or files that cannot be used. Nothing was sent. */
export class UsageError extends Error {
  /** A manifest may have many. */
  readonly faults: readonly string[];

  constructor(...faults: string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

/** The command ran, but did not have the requested outcome. */
export class FailedError extends Error {}

/** The user stopped the command (Ctrl-C). */
export class InterruptedError extends Error {}

/** The gateway, or a source of it, is down or gives a bad answer: another attempt may succeed. */
const away =
  /^(NO_ANSWER|BAD_ANSWER|RATE_LIMITED|UNKNOWN_ERROR|UPSTREAM_(UNAVAILABLE|TIMEOUT|BAD_RESPONSE))$/;

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return exitCodes.usage;
  if (error instanceof InterruptedError) return exitCodes.interrupted;
  if (!(error instanceof GatewayError) || error.code === 'NOT_FOUND') return exitCodes.failed;
  return away.test(error.code) ? exitCodes.unreachable : exitCodes.refused;
}

/** Whether the gateway refuses the input, and not the caller, for whom it would refuse everything. */
export const isRefusal = (error: unknown): error is GatewayError =>
  error instanceof GatewayError &&
  exitCodeOf(error) === exitCodes.refused &&
  !/^(UNAUTHENTICATED|FORBIDDEN)$/.test(error.code);
