import { join } from 'node:path';
import { lockDirectory } from '@srr-gateway/common/database/directory-lock';
import { listenError, type StartError } from '@srr-gateway/common/start-error';
import { startupScope } from '@srr-gateway/common/startup-scope';
import type { FastifyInstance } from 'fastify';
import { openContainer, type SandboxOptions } from './container.ts';
import { infoOf, type SandboxInfo } from './control/sandbox-info.ts';
import { createServer } from './http/server.ts';
import { updateMetadataPrefix } from './reads/metadata-prefix.ts';
import { registerRoutes } from './routes.ts';
import type { WebhookTarget } from './webhooks/targets.ts';
import { Workers } from './workers.ts';

export { readSettings, type SandboxSettings, SettingsError, variableNames } from './config/settings.ts';
export type { SandboxOptions } from './container.ts';
export type { SandboxInfo } from './control/sandbox-info.ts';
export type { WebhookTarget } from './webhooks/targets.ts';

/** A running sandbox. */
export interface Sandbox {
  /** The origin of everything but JSON-RPC. */
  readonly url: string;
  readonly rpcUrl: string;
  /** The response of `GET /sandbox`. */
  readonly info: SandboxInfo;
  /** Sends deliveries to this target from now on, including waiting ones. */
  setWebhook(target: WebhookTarget): void;
  /**
   * Resolves when another sandbox has taken the database during a restart of PostgreSQL, and this one has stopped.
   */
  readonly lost: Promise<StartError>;
  /** Stops everything. Unfinished work is continued at the next start. */
  stop(): Promise<void>;
}

/** Starts a sandbox on the state that an earlier run left. When a part fails, stops the others and throws. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  return startupScope((running) => compose(options, running));
}

/** Starts everything in order. `running` stops them in the reverse order. */
async function compose(options: SandboxOptions, running: AsyncDisposableStack): Promise<Sandbox> {
  const { settings, dataDir, log } = options;
  running.defer(lockDirectory(join(dataDir, 'sandbox-lock')));
  const lost = Promise.withResolvers<StartError>();
  const container = await openContainer(options, running, (error) => {
    log.error({ err: error }, 'the database belongs to another sandbox now; this one stops');
    void running.disposeAsync().finally(() => lost.resolve(error));
  });
  const workers = new Workers();
  const server = createServer(log);
  let origin = '';
  await registerRoutes(server, container, workers, () => origin);
  running.defer(() => workers.stop());
  running.defer(() => closeServer(server));
  const { host, port } = settings;
  const listening = await server.listen({ host, port }).catch((error: unknown) => {
    throw listenError(error, host, port, ['SANDBOX_HOST', 'SANDBOX_PORT']);
  });
  origin = settings.publicUrl ?? listening;
  await workers.start(container, () => origin);
  const stopping = new AbortController();
  running.defer(() => stopping.abort());
  void updateMetadataPrefix(container.chain, origin, log, stopping.signal);
  return {
    url: origin,
    rpcUrl: container.chain.rpcUrl,
    info: infoOf(origin, container),
    setWebhook: (target) => {
      container.targets.set(target);
      workers.wake('webhooks');
    },
    lost: lost.promise,
    stop: () => running.disposeAsync(),
  };
}

/** Time for running requests at a stop, before their connections are closed. */
const longestCloseMs = 2_000;

async function closeServer(server: FastifyInstance): Promise<void> {
  const cut = setTimeout(() => server.server.closeAllConnections(), longestCloseMs);
  await server.close();
  clearTimeout(cut);
}
