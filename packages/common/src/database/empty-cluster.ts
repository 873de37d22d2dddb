import { readFileSync } from 'node:fs';
import { cp, readFile } from 'node:fs/promises';

const library = new URL(import.meta.resolve('@electric-sql/pglite'));
const { version } = JSON.parse(readFileSync(new URL('../package.json', library), 'utf8')) as {
  version: string;
};

/** Where `npm ci` puts an empty cluster of the installed PGlite version: in `node_modules/.cache`. */
export const clusterDirectory = new URL(`../../../.cache/srr-gateway/cluster-${version}`, library);

/** The same as an archive. */
export const packedCluster = new URL(`${clusterDirectory.href}.tar.gz`);

/** The packed empty cluster, if there is one. Unpacking it takes a third of the time of initdb. */
export async function emptyCluster(): Promise<Blob | undefined> {
  try {
    return new Blob([await readFile(packedCluster)]);
  } catch {
    return undefined;
  }
}

/** Copies the empty cluster, if there is one: PGlite would unpack it in memory, which takes a hundred megabytes. */
export async function copyEmptyCluster(destination: string): Promise<void> {
  await cp(clusterDirectory, destination, { recursive: true }).catch(absent);
}

function absent(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
