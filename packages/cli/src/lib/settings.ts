import { readFileSync, statSync } from 'node:fs';
import { UsageError } from './exit-codes.ts';

/** The options that every command takes. */
export interface GlobalOptions {
  url?: string;
  token?: string;
  tokenFile?: string;
  retryFor?: string;
  json?: boolean;
}

export interface Settings {
  url: string;
  token: string | undefined;
}

/** Where `npm start` has its gateway. */
export const defaultUrl = 'http://127.0.0.1:4000/graphql';

/** Flags win over the environment. @throws UsageError, without the token in it */
export function readSettings(options: GlobalOptions, env: NodeJS.ProcessEnv): Settings {
  return { url: readUrl(options, env), token: readToken(options, env) };
}

function readUrl({ url }: GlobalOptions, env: NodeJS.ProcessEnv): string {
  const from = url === undefined && env.SRR_URL ? 'SRR_URL' : '--url';
  const address = url ?? (env.SRR_URL || defaultUrl);
  const parsed = httpUrl(
    from,
    address,
    'the address of the GraphQL endpoint, such as https://gateway.example/graphql',
  );
  // An address without a path means the GraphQL endpoint.
  if (parsed.pathname === '/') parsed.pathname = '/graphql';
  return parsed.href;
}

/** @throws UsageError that names the setting and says what it must be */
export function httpUrl(name: string, text: string, what: string): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) throw new UsageError(`${name}: must be ${what}.`);
  // Addresses are printed; credentials must not be.
  if (url.username || url.password)
    throw new UsageError(`${name}: must not hold credentials. Set SRR_TOKEN or --token-file.`);
  return url;
}

function readToken({ token, tokenFile }: GlobalOptions, env: NodeJS.ProcessEnv): string | undefined {
  if (token !== undefined && tokenFile !== undefined)
    throw new UsageError('--token and --token-file: give one of them.');
  if (token !== undefined) return sendable('--token', token);
  if (tokenFile !== undefined) return fromFile('--token-file', tokenFile);
  return readSecret('SRR_TOKEN', env);
}

/** A secret of the environment, or of the file that it names. */
export function readSecret(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const [secret, path] = [env[name], env[`${name}_FILE`]];
  if (secret) return sendable(name, secret);
  return path ? fromFile(`${name}_FILE`, path) : undefined;
}

function fromFile(name: string, path: string): string {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat?.isFile()) throw new UsageError(`${name}: there is no file ${path}.`);
    // Windows has no file modes: every file looks readable by all.
    if (process.platform !== 'win32' && (stat.mode & 0o077) !== 0)
      throw new UsageError(
        `${name}: others can read ${path} (mode ${(stat.mode & 0o777).toString(8)}). Run: chmod 600 ${path}`,
      );
    return sendable(name, readFileSync(path, 'utf8').trim());
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${name}: ${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

/** A header cannot have blanks or line breaks, and fetch's own error would show the token. */
function sendable(name: string, secret: string): string {
  if (/^[\x21-\x7e]+$/.test(secret)) return secret;
  throw new UsageError(`${name}: must be one word of visible ASCII characters.`);
}
