import { unwatchFile, watchFile } from 'node:fs';
import type { Logger } from '@srr-gateway/common/log';
import { type Issuer, issuerFaults, issuersFromJson } from './issuers.ts';
import { readJsonFile } from './json-file.ts';

/** The issuers of a file; what is wrong with it is added to `faults`, without a word of what it holds. */
export function readIssuersFile(path: string, faults: string[]): Issuer[] | undefined {
  const given = readJsonFile('ISSUERS_FILE', path, faults);
  if (given === undefined) return undefined;
  const parsed = issuersFromJson.safeParse(given);
  if (parsed.success) return parsed.data;
  faults.push(...issuerFaults('ISSUERS_FILE', parsed.error.issues, given));
  return undefined;
}

/** Mounted secrets change by a switched link, of which no watcher of the file system hears: looked at instead. */
const lookMs = 2_000;

/**
 * Takes the file anew when it changes, and on SIGHUP. A file that cannot be used is reported, and the
 * issuers stay as they were: a slip in an editor must not lock anybody out.
 */
export function followIssuersFile(path: string, take: (issuers: Issuer[]) => void, log: Logger): () => void {
  const reload = () => {
    const faults: string[] = [];
    const issuers = readIssuersFile(path, faults);
    if (!issuers) return log.error({ faults }, 'the issuers file cannot be used; the old one stays in force');
    take(issuers);
    log.info({ issuers: issuers.length }, 'the issuers file was read again');
  };
  watchFile(path, { interval: lookMs, persistent: false }, reload);
  process.on('SIGHUP', reload);
  return () => {
    unwatchFile(path, reload);
    process.off('SIGHUP', reload);
  };
}
