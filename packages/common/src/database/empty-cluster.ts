import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

const library = new URL(import.meta.resolve('@electric-sql/pglite'));
const { version } = JSON.parse(readFileSync(new URL('../package.json', library), 'utf8')) as {
  version: string;
};

/** Where `npm ci` leaves an empty cluster of the installed version, packed: in `node_modules/.cache`. */
export const packedCluster = new URL(`../../../.cache/srr-gateway/cluster-${version}.tar.gz`, library);

/** Unpacking it takes a third of the time of making one; undefined where it was not packed. */
export async function emptyCluster(): Promise<Blob | undefined> {
  try {
    return new Blob([await readFile(packedCluster)]);
  } catch {
    return undefined;
  }
}
