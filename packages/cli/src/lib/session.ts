import { createClient } from '@srr-gateway/client';
import type { Command } from 'commander';
import { FailedError, InterruptedError, UsageError } from './exit-codes.ts';
import { say } from './output.ts';
import { type GlobalOptions, readSettings } from './settings.ts';

export type GatewayClient = ReturnType<typeof createClient>;

/** The context of a command. */
export interface Session {
  client: GatewayClient;
  url: string;
  /** Whether the user asked for output for programs. */
  json: boolean;
  /** Aborts on Ctrl-C. */
  signal: AbortSignal;
}

/** Opens a session with the options of a command, which retries for `patience` seconds. */
export function openSession(command: Command, patience: number): Session {
  const options = command.optsWithGlobals<GlobalOptions>();
  const { url, token } = readSettings(options, process.env);
  const seconds = options.retryFor === undefined ? patience : numberOf('--retry-for', options.retryFor, 0);
  const { signal } = interruption;
  const client = createClient({
    url,
    token,
    retryForMs: seconds * 1000,
    onRetry: ({ error, waitMs }) => say(`${error.message} Trying again in ${(waitMs / 1000).toFixed(1)} s.`),
  });
  return { client, url, json: options.json ?? false, signal };
}

/** Seconds for which a single query waits for a gateway that is down. */
export const shortPatience = 10;

/** Seconds for which an import or a stream waits: as long as a restart of the gateway may take. */
export const longPatience = 120;

export function numberOf(name: string, text: string, least: number, most = 1_000_000): number {
  const number = Number(text);
  // Number also reads 1e2, 0x10 and nothing.
  if (/^\d+$/.test(text) && number >= least && number <= most) return number;
  throw new UsageError(`${name}: must be a whole number from ${least} to ${most}, not "${text}".`);
}

/** Aborted by Ctrl-C or SIGTERM. */
export const interruption = new AbortController();

export const interrupt = (): void => interruption.abort(new InterruptedError('Interrupted.'));

/** Which issuer the caller acts for. @throws when the token is missing, wrong or the gateway is away */
export async function issuerOf({ client, signal }: Session): Promise<string> {
  const { data } = await client.query<{ viewer: { issuer: string } | null }>(
    '{ viewer { issuer } }',
    {},
    { signal },
  );
  if (data.viewer) return data.viewer.issuer;
  throw new UsageError('This command needs a token: set SRR_TOKEN, --token-file or --token.');
}

/** The data of a query, all of which is needed. */
export async function queried<Data>(
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
  return (await queried<{ events: { headCursor: string } }>(session, document, {})).events.headCursor;
}
