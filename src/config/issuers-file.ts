import { unwatchFile, watchFile } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from '@srr-gateway/common/log';
import { type Issuer, issuerFaults, issuersFromJson } from './issuers.ts';
import { readJsonFile } from './json-file.ts';

/**
 * Reads the issuers from a file; undefined when it cannot be used. Adds faults to `faults` without quoting
 * the file, which has secrets.
 */
export function readIssuersFile(path: string, faults: string[]): Issuer[] | undefined {
  const content = readJsonFile('ISSUERS_FILE', path, faults);
  if (content === undefined) return undefined;
  const parsed = issuersFromJson.safeParse(content);
  if (parsed.success) return parsed.data;
  faults.push(...issuerFaults('ISSUERS_FILE', parsed.error.issues, content));
  return undefined;
}

/**
 * Poll interval. File system events do not work here: they miss a mounted secret, which changes by switching a
 * symbolic link.
 */
const pollMs = 2_000;

/**
 * Reads the file again when it changes, and on SIGHUP. If it cannot be used, logs the faults and keeps the old
 * issuers, because a typing error must not lock callers out. Returns a function that stops watching.
 */
export function followIssuersFile(
  path: string,
  current: readonly Issuer[],
  onChange: (issuers: Issuer[]) => void,
  log: Logger,
): () => void {
  const reload = () => {
    const faults: string[] = [];
    const issuers = readIssuersFile(path, faults);
    if (!issuers)
      return log.error({ faults }, 'the issuers file cannot be used; the former issuers stay in force');
    onChange(issuers);
    log.info({ issuers: issuers.length }, 'the issuers file was read again');
  };
  watchFile(path, { interval: pollMs, persistent: false }, reload);
  process.on('SIGHUP', reload);
  // A start may take minutes, and the file may have changed meanwhile.
  if (!isDeepStrictEqual(readIssuersFile(path, []), current)) reload();
  return () => {
    unwatchFile(path, reload);
    process.off('SIGHUP', reload);
  };
}
