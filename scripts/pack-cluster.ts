import { renameSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { clusterDirectory, packedCluster } from '@srr-gateway/common/database/empty-cluster';

// After `npm ci`: makes the empty database once, as a directory and packed, so that first starts and tests need not
// make it each time.
const unfinished = `${fileURLToPath(clusterDirectory)}.${process.pid}`;
const lite = await PGlite.create(unfinished);
await writeFile(`${unfinished}.tar.gz`, await lite.dumpDataDir('gzip').then((packed) => packed.stream()));
await lite.close();
rmSync(clusterDirectory, { recursive: true, force: true });
renameSync(unfinished, clusterDirectory);
renameSync(`${unfinished}.tar.gz`, packedCluster);
