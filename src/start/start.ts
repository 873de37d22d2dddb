import type { Database } from '@srr-gateway/common/database/database';
import { openDatabase } from '@srr-gateway/common/database/open-database';
import type { Logger } from '@srr-gateway/common/log';
import type { Upstreams } from '../config/config.ts';
import { handOver, type Run } from './handover.ts';
import type { Settings } from './settings.ts';
import { startWithSandbox } from './with-sandbox.ts';

/** Starts the gateway, and the sandbox if the settings have it. `running` collects the parts to stop. */
export async function start(
  { config, secrets, sandbox }: Settings,
  log: Logger,
  running: AsyncDisposableStack,
  stopping: AbortSignal,
): Promise<void> {
  // Open the database while modules load: these two take most of a start.
  const { databaseUrl: url, databaseDirectUrl: directUrl } = secrets;
  const opening = openDatabase(
    { url, directUrl, dataDir: config.dataDir, poolSize: config.databasePool },
    log,
  );
  let opened: Database | undefined;
  // Handle a failure now: if it came while something else is awaited, it would be an unhandled rejection.
  opening.then(
    (database) => {
      opened = database;
    },
    () => {},
  );
  // A database that does not answer must not delay a stop. What is not open yet ends with the process.
  running.defer(() => opened?.close());
  const run: Run = { config, secrets, opening, log, running, stopping };
  return sandbox ? startWithSandbox(run, sandbox) : startAlone(run);
}

async function startAlone(run: Run): Promise<void> {
  const { config, secrets, opening, log, running } = run;
  const [{ startApp }, database] = await Promise.all([import('../app.ts'), opening]);
  // The process was stopped meanwhile. Start nothing more.
  if (running.disposed) return;
  const app = await startApp({ config, secrets, upstreams: config.upstreams as Upstreams, database, log });
  if (running.disposed) return app.stop();
  handOver(app, run);
  if (!run.stopping.aborted) process.stdout.write(`srr-gateway  ${app.url}/graphql\n`);
}
