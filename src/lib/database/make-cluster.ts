import { workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';

// A thread of its own: making a database cluster is seconds of computing, and the rest of a first start
// (loading modules, the chain) need not wait for it.
const { directory } = workerData as { directory: string };
const lite = await PGlite.create(directory);
await lite.close();
