import { createLogger } from '@srr-gateway/common/log';
import { readArguments } from '@srr-gateway/common/read-arguments';
import { stopOnSignals } from '@srr-gateway/common/stop-signals';
import { withTimeout } from '@srr-gateway/common/time';
import { exitWithError } from './start/exit-with-error.ts';
import { configureGarbageCollector } from './start/garbage-collector.ts';
import { readSettings } from './start/settings.ts';
import { start } from './start/start.ts';

const help = `Usage: npm start

GraphQL over an issuance service, its subgraph and its IPFS gateway.

Without configuration everything runs on this machine: the state in ./data, and a sandbox in the
place of the service. Set COMMERCE_URL, SUBGRAPH_URL, IPFS_GATEWAYS and ISSUERS for a live service,
and DATABASE_URL for PostgreSQL. OTEL_EXPORTER_OTLP_ENDPOINT sends traces to a collector.
docs/configuration.md lists every variable.

  -h, --help    this text
`;

async function main(): Promise<void> {
  const { values } = readArguments('npm start -- --help', {
    options: { help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) return void process.stdout.write(help);
  const settings = await readSettings(process.env);
  const log = createLogger({ level: settings.config.logLevel, name: 'gateway' });
  for (const warning of settings.warnings) log.warn(warning);
  // A bug in one operation must not end the work of all other callers. The line has its request's id.
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'a rejection that nothing handled'));
  const running = new AsyncDisposableStack();
  let stopped: Promise<void> | undefined;
  // Stop only once, and make every caller wait for it: if the process ended earlier, the sandbox's chain would keep
  // running.
  const stop = () => {
    stopped ??= running.disposeAsync();
    return stopped;
  };
  const stopRequest = new AbortController();
  const starting = start(settings, log, running, stopRequest.signal);
  const stopInTime = async () => {
    stopRequest.abort();
    // A half-started gateway cannot be stopped completely, and the sandbox's chain would keep running.
    await withTimeout(starting, startedWithinMs).catch(() => {});
    await stop();
  };
  if (settings.config.issuersFile === undefined) stopOnSignals(stopInTime, log);
  else {
    stopOnSignals(stopInTime, log, ['SIGINT', 'SIGTERM']);
    // SIGHUP reloads the issuers file. It must not end a gateway that is still starting.
    process.on('SIGHUP', () => {});
  }
  try {
    await starting;
    configureGarbageCollector();
  } catch (error) {
    await stop();
    // A stop makes the start fail. That is not an error to report.
    if (!stopRequest.signal.aborted) throw error;
  }
}

/**
 * A start may hang, for example on a database that does not answer. It may delay a stop by this much at most.
 */
const startedWithinMs = 6_000;

main().catch(exitWithError);
