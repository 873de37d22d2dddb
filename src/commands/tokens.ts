import { parseAddress } from '@srr-gateway/common/address';
import { openDatabase } from '@srr-gateway/common/database/open-database';
import { createLogger } from '@srr-gateway/common/log';
import { ArgumentError, readArguments } from '@srr-gateway/common/read-arguments';
import { StartError } from '@srr-gateway/common/start-error';
import { listTokens, makeToken, revokeToken } from '../access/stored-tokens.ts';
import { loadConfig } from '../config/config.ts';
import { type Scope, scopes } from '../model/scope.ts';
import { isUuid } from '../model/uuid.ts';
import { exitWithError } from '../start/exit-with-error.ts';
import { explainReadOnly } from '../store/migrate.ts';
import { type Db, openTables } from '../store/store.ts';

const help = `Usage: srr tokens <command>

Tokens that callers send as "Authorization: Bearer <token>". The database has only their hashes.

  make --issuer <address> --scopes ${scopes.join(',')} --note <whose> [--days <n>]
                 makes a token and prints it, only this once; without --days it does not expire
  list           prints all tokens: id, issuer, scopes, state, note
  revoke <id>    revokes a token; the gateway refuses it within 5 seconds

Works on the database of the gateway, so it runs where the gateway does, and reads DATABASE_URL and the other
variables of the gateway. There is no way to make tokens over the network: whoever stole a token could make others.
Only one process can open the embedded database (DATA_DIR), so stop the gateway first.

Where srr is not installed, as in the image, use "npm run tokens -- <command>".

  -h, --help     this text
`;

const text = { type: 'string' } as const;
const options = {
  issuer: text,
  scopes: text,
  note: text,
  days: text,
  help: { type: 'boolean', short: 'h' },
} as const;

async function main(): Promise<void> {
  const { values, positionals } = readArguments('srr tokens --help', { options, allowPositionals: true });
  const [command, ...rest] = positionals;
  if (values.help || command === undefined) return void process.stdout.write(help);
  const run = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (!run) throw new ArgumentError(`There is no command "${command}" (srr tokens --help).`);
  const extra = rest.slice(command === 'revoke' ? 1 : 0);
  if (extra.length > 0)
    throw new ArgumentError(
      `${command}: "${extra.join(' ')}" is too much. Revoke one token at a time, and quote a note of several words.`,
    );
  const { config, secrets } = loadConfig(process.env);
  const issuers = secrets.issuers.map(({ address }) => address);
  const runOn = run({ ...values, rest, issuers });
  const log = createLogger({ level: 'error', name: 'tokens' });
  const database = await openDatabase(
    { url: secrets.databaseUrl, dataDir: config.dataDir, poolSize: 2 },
    log,
  );
  try {
    process.stdout.write(await runOn(await openTables(database)));
  } catch (error) {
    throw explainReadOnly(error);
  } finally {
    await database.close();
  }
}

/** A century. For longer, leave the expiry out: JavaScript dates end after some hundred thousand years. */
const maxDays = 36_500;

interface CommandInput {
  issuer?: string;
  scopes?: string;
  note?: string;
  days?: string;
  rest: string[];
  issuers: string[];
}

/** Each command checks its arguments before the database is opened. */
const commands: Record<string, (input: CommandInput) => (db: Db) => Promise<string>> = {
  make(input) {
    const faults: string[] = [];
    const { note } = input;
    const issuer = parseAddress(input.issuer ?? '');
    if (!issuer) faults.push('--issuer: must be an Ethereum address.');
    else if (input.issuers.length > 0 && !input.issuers.includes(issuer))
      faults.push(`--issuer: ${issuer} is not one of the configured issuers (ISSUERS, ISSUERS_FILE).`);
    const words = input.scopes?.split(',').map((word) => word.trim()) ?? [];
    const unknown = words.filter((word) => !isScope(word));
    if (words.length === 0) faults.push(`--scopes: missing. Name one or more of ${scopes.join(', ')}.`);
    for (const word of unknown) faults.push(`--scopes: "${word}" is not one of ${scopes.join(', ')}.`);
    if (!note) faults.push('--note: missing. Say whose token it is, to find it when it must be revoked.');
    const days = input.days === undefined ? undefined : Number(input.days);
    if (days !== undefined && !(days > 0 && days < maxDays))
      faults.push(`--days: must be a number of days, more than 0 and less than ${maxDays}.`);
    if (!issuer || !note || faults.length > 0) throw new ArgumentError(faults.join('\n'));
    const expiresAt = days === undefined ? undefined : new Date(Date.now() + days * 86_400_000);
    return async (db) => {
      const { token, id } = await makeToken(db, { issuer, scopes: words.filter(isScope), note, expiresAt });
      return `${token}\n\nStore it now: it is shown only this once. Its id, for revoke: ${id}\n`;
    };
  },
  list: () => async (db) => {
    const tokens = await listTokens(db);
    const rows = tokens.map(({ id, issuer, scopes, note, expires_at, revoked_at }) => [
      id,
      issuer,
      scopes.join(','),
      stateOf(revoked_at, expires_at),
      note,
    ]);
    return rows.length === 0
      ? 'There are no tokens.\n'
      : table(['id', 'issuer', 'scopes', 'state', 'note'], rows);
  },
  revoke({ rest: [id] }) {
    if (id === undefined || !isUuid(id))
      throw new ArgumentError('revoke: give the id of a token, as list shows it.');
    return async (db) => {
      if (!(await revokeToken(db, id)))
        throw new StartError(`revoke: there is no token ${id}, or it is revoked already. See list.`);
      return `Revoked ${id}.\n`;
    };
  },
};

const isScope = (word: string): word is Scope => scopes.some((scope) => scope === word);

function table(heads: string[], rows: string[][]): string {
  const lines = [heads, ...rows];
  const widths = heads.map((_, i) => Math.max(...lines.map((cells) => cells[i]?.length ?? 0)));
  const line = (cells: string[]) => cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ');
  return lines.map((cells) => `${line(cells).trimEnd()}\n`).join('');
}

function stateOf(revokedAt: Date | null, expiresAt: Date | null): string {
  if (revokedAt) return `revoked ${revokedAt.toISOString()}`;
  if (!expiresAt) return 'live';
  return `${expiresAt.getTime() <= Date.now() ? 'expired' : 'live until'} ${expiresAt.toISOString()}`;
}

// The exit codes of srr, which starts this program.
main().catch((error: unknown) => exitWithError(error, error instanceof ArgumentError ? 2 : 1));
