import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { packedCluster } from '@srr-gateway/common/database/empty-cluster';

// After `npm ci`: makes the empty database once, so that first starts and tests need not make it each time.
const lite = await PGlite.create('memory://');
const packed = Buffer.from(await (await lite.dumpDataDir('gzip')).arrayBuffer());
await lite.close();
mkdirSync(new URL('.', packedCluster), { recursive: true });
const unfinished = new URL(`${packedCluster.href}.${process.pid}`);
writeFileSync(unfinished, packed);
renameSync(unfinished, packedCluster);
