import { createClient } from '@srr-gateway/client';
import type { Command } from 'commander';
import { FailedError, InterruptedError, UsageError } from './exit-codes.ts';
import { say } from './output.ts';
import { type GlobalOptions, readSettings } from './settings.ts';

export type GatewayClient = ReturnType<typeof createClient>;

/** What a command needs to call the gateway. */
export interface Session {
  client: GatewayClient;
  url: string;
  /** Whether to print JSON. */
  json: boolean;
  /** Aborts on Ctrl-C. */
  signal: AbortSignal;
}

/** Opens a session by the options of a command. It retries for `retrySeconds` while the gateway is unreachable. */
export function openSession(command: Command, retrySeconds: number): Session {
  const options = command.optsWithGlobals<GlobalOptions>();
  const { url, token } = readSettings(options, process.env);
  const seconds =
    options.retryFor === undefined ? retrySeconds : parseWholeNumber('--retry-for', options.retryFor, 0);
  const { signal } = interruption;
  const client = createClient({
    url,
    token,
    retryForMs: seconds * 1000,
    onRetry: ({ error, waitMs }) => say(`${error.message} Trying again in ${(waitMs / 1000).toFixed(1)} s.`),
  });
  return { client, url, json: options.json ?? false, signal };
}

/** For commands that make a few short calls. */
export const shortRetrySeconds = 10;

/** For an import or a stream: as long as a restart of the gateway may take. */
export const longRetrySeconds = 120;

export function parseWholeNumber(name: string, text: string, least: number, most = 1_000_000): number {
  const number = Number(text);
  // `Number` also accepts 1e2, 0x10 and the empty string.
  if (/^\d+$/.test(text) && number >= least && number <= most) return number;
  throw new UsageError(`${name}: must be a whole number from ${least} to ${most}, not "${text}".`);
}

/** Aborted by SIGINT (Ctrl-C) and by SIGTERM. */
export const interruption = new AbortController();

export const interrupt = (): void => interruption.abort(new InterruptedError('Interrupted.'));

/** The address of the caller's issuer. @throws when the token is missing or wrong, or the gateway unreachable */
export async function issuerOf({ client, signal }: Session): Promise<string> {
  const { data } = await client.query<{ viewer: { issuer: string } | null }>(
    '{ viewer { issuer } }',
    {},
    { signal },
  );
  if (data.viewer) return data.viewer.issuer;
  throw new UsageError('This command needs a token: set SRR_TOKEN, --token-file or --token.');
}

/** Runs a query, and throws when any part of it failed. */
export async function queryOrThrow<Data>(
  { client, signal }: Pick<Session, 'client' | 'signal'>,
  document: string,
  variables: Record<string, unknown>,
): Promise<Data> {
  const { data, errors } = await client.query<Data>(document, variables, { signal });
  if (errors[0]) throw errors[0];
  if (!data) throw new FailedError('The gateway answered without data.');
  return data;
}

/** The cursor of the newest event of the log. */
export async function headCursor(session: Session): Promise<string> {
  const document = '{ events(first: 0) { headCursor } }';
  return (await queryOrThrow<{ events: { headCursor: string } }>(session, document, {})).events.headCursor;
}
