import { openDatabase } from '@srr-gateway/common/database/open-database';
import type { Logger } from '@srr-gateway/common/log';
import type { Upstreams } from '../config/config.ts';
import { handOver, type Run } from './handover.ts';
import type { Settings } from './settings.ts';
import { startWithSandbox } from './with-sandbox.ts';

/** Starts what the settings ask for; `running` gets what a stop has to end. */
export async function start(
  { config, secrets, sandbox }: Settings,
  log: Logger,
  running: AsyncDisposableStack,
  stopping: AbortSignal,
): Promise<void> {
  // Modules load while the database opens: together they are most of a start.
  const opening = openDatabase(
    { url: secrets.databaseUrl, dataDir: config.dataDir, poolSize: config.databasePool },
    log,
  );
  // Caught here and now: it may fail while something else is still waited for.
  const opened = opening.catch(() => undefined);
  running.defer(async () => (await opened)?.close());
  const run: Run = { config, secrets, opening, log, running, stopping };
  return sandbox ? startWithSandbox(run, sandbox) : startAlone(run);
}

async function startAlone(run: Run): Promise<void> {
  const { config, secrets, opening, log, running } = run;
  const [{ startApp }, database] = await Promise.all([import('../app.ts'), opening]);
  // Stopped meanwhile: what was to be stopped is, and nothing new may begin.
  if (running.disposed) return;
  const app = await startApp({ config, secrets, upstreams: config.upstreams as Upstreams, database, log });
  if (running.disposed) return app.stop();
  handOver(app, run);
  if (!run.stopping.aborted) process.stdout.write(`srr-gateway  ${app.url}/graphql\n`);
}
