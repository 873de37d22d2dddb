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

/** The endpoint of the gateway that `npm start` starts. */
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
    ' Set SRR_TOKEN or --token-file.',
  );
  // A gateway has one GraphQL endpoint, so users may leave out its path.
  if (parsed.pathname === '/') parsed.pathname = '/graphql';
  return parsed.href;
}

/**
 * @throws UsageError that names the setting and says what it must be; `instead` is the advice about credentials in it
 */
export function httpUrl(name: string, text: string, what: string, instead = ''): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) throw new UsageError(`${name}: must be ${what}.`);
  // Addresses are printed; credentials must not be.
  if (url.username || url.password) throw new UsageError(`${name}: must not hold credentials.${instead}`);
  return url;
}

function readToken({ token, tokenFile }: GlobalOptions, env: NodeJS.ProcessEnv): string | undefined {
  if (token !== undefined && tokenFile !== undefined)
    throw new UsageError('--token and --token-file: give only one of them.');
  if (token !== undefined) return assertHeaderSafe('--token', token);
  if (tokenFile !== undefined) return readSecretFile('--token-file', tokenFile);
  return readSecret('SRR_TOKEN', env);
}

/** Reads a secret from a variable, or from the file that `<variable>_FILE` names. */
export function readSecret(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const [secret, path] = [env[name], env[`${name}_FILE`]];
  if (secret) return assertHeaderSafe(name, secret);
  return path ? readSecretFile(`${name}_FILE`, path) : undefined;
}

function readSecretFile(name: string, path: string): string {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat?.isFile()) throw new UsageError(`${name}: there is no file ${path}.`);
    // Windows has no such modes: every file would look readable by all.
    if (process.platform !== 'win32' && (stat.mode & 0o077) !== 0)
      throw new UsageError(
        `${name}: others can read ${path} (mode ${(stat.mode & 0o777).toString(8)}). Run: chmod 600 ${path}`,
      );
    return assertHeaderSafe(name, readFileSync(path, 'utf8').trim());
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${name}: ${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

/** Checks that a secret fits in a header. Otherwise fetch would throw, and its error would show the secret. */
function assertHeaderSafe(name: string, secret: string): string {
  if (/^[\x21-\x7e]+$/.test(secret)) return secret;
  throw new UsageError(`${name}: must be one word of visible ASCII characters.`);
}
