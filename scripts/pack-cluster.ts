import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { clusterDirectory, packedCluster } from '@srr-gateway/common/database/empty-cluster';

// After `npm ci`: makes the empty database once, as a directory and packed, so that first starts and tests need not
// make it each time.
const unfinished = `${fileURLToPath(clusterDirectory)}.${process.pid}`;
mkdirSync(unfinished, { recursive: true });
const lite = await PGlite.create(unfinished);
await writeFile(`${unfinished}.tar.gz`, (await lite.dumpDataDir('gzip')).stream());
await lite.close();
// PGlite lets every user write most of the files, and others read not even all. The gateway may run as another user.
for (const entry of readdirSync(unfinished, { recursive: true, withFileTypes: true }))
  if (entry.isFile()) chmodSync(join(entry.parentPath, entry.name), 0o644);
rmSync(clusterDirectory, { recursive: true, force: true });
renameSync(unfinished, clusterDirectory);
renameSync(`${unfinished}.tar.gz`, packedCluster);
