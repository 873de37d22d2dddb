import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listenError } from '@srr-gateway/common/start-error';
import { startupScope } from '@srr-gateway/common/startup-scope';
import { registerSealingKeys } from './access/sealing-keys.ts';
import { openAnswers } from './app/answers.ts';
import { openClients } from './app/clients.ts';
import { checkConfiguredKeys } from './app/configured-keys.ts';
import { configuredNames } from './app/configured-names.ts';
import { createServer } from './app/http-server.ts';
import type { App, AppOptions } from './app/options.ts';
import { createServices } from './app/services.ts';
import { startBodyRetention } from './events/retention.ts';
import { openStore } from './store/store.ts';

export type { App, AppOptions } from './app/options.ts';

/**
 * Starts the gateway. The only place that wires its parts: configuration → database → clients → services → server.
 */
export async function startApp(options: AppOptions): Promise<App> {
  return startupScope((running) => compose(options, running));
}

/** Starts the parts in order. They stop in the reverse order of their `defer`. */
async function compose(options: AppOptions, running: AsyncDisposableStack): Promise<App> {
  const { config, secrets, database, log } = options;
  const { timeouts } = config;
  if (config.traces) {
    // Import it only when traces are on: OpenTelemetry is a lot of code.
    const { exportTraces } = await import('./observability/export.ts');
    const traces = exportTraces({ ...config.traces, headers: secrets.traceHeaders, log });
    // Defer it first, so that it stops last: the other parts still make spans while they stop.
    running.defer(() => traces.stop());
  }
  const { signalsUrl } = secrets;
  const store = await openStore(database, signalsUrl === undefined ? undefined : { url: signalsUrl, log });
  running.defer(() => store.close());

  const clients = openClients(options, running);
  const services = createServices(options, store, clients, running);
  const { issuances, issuers, secretBox, webhooks } = services;
  await registerSealingKeys(store.db, secretBox);
  const names = configuredNames(options, clients);
  // Stops before the clients, which it uses.
  running.defer(() => names?.stop());
  const answers = await openAnswers(options, running);
  const state = { url: config.publicUrl ?? '', stopping: false };
  const { server, sockets, connections, showEvent } = createServer(
    options,
    { store, clients, services, names, answers, state },
    running,
  );
  server.listen(config.port, config.host);
  await once(server, 'listening').catch((error: unknown) => {
    throw listenError(error, config.host, config.port);
  });
  // In parallel, so that a stop takes only as long as the slowest of them.
  running.defer(async () => {
    state.stopping = true;
    await Promise.all([
      issuances.stop(),
      webhooks.stop(),
      sockets.close(),
      connections.drain(timeouts.drain),
    ]);
  });
  state.url ||= addressOf(server, config.host);
  await issuances.start();
  await webhooks.start(showEvent);
  names?.startCheck();
  if (config.upstreams) running.defer(checkConfiguredKeys(clients.commerce, issuers, log));
  const retention = startBodyRetention({ db: store.db, log, keepMs: timeouts.keepEvents });
  running.defer(() => retention.stop());
  return {
    url: state.url,
    replaceIssuers: (all) => issuers.replace(all),
    stop: () => running.disposeAsync(),
  };
}

function addressOf(server: Server, configured: string): string {
  const { port } = server.address() as AddressInfo;
  // Clients cannot call the wildcard address.
  const name = configured === '0.0.0.0' || configured === '::' ? 'localhost' : configured;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
