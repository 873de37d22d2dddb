import { join } from 'node:path';
import { lockDirectory } from '@srr-gateway/common/database/directory-lock';
import { listenError } from '@srr-gateway/common/start-error';
import { startupScope } from '@srr-gateway/common/startup-scope';
import type { FastifyInstance } from 'fastify';
import { createServer } from './http/server.ts';
import { infoOf, type SandboxInfo } from './info.ts';
import { openParts, type SandboxOptions } from './parts.ts';
import { keepMetadataAddress } from './reads/metadata-address.ts';
import { registerSurfaces } from './surfaces.ts';
import type { WebhookTarget } from './webhooks/targets.ts';
import { Workforce } from './workforce.ts';

export type { SandboxInfo } from './info.ts';
export type { SandboxOptions } from './parts.ts';
export { readSettings, type SandboxSettings, SettingsError, variableNames } from './settings.ts';
export type { WebhookTarget } from './webhooks/targets.ts';

export interface Sandbox {
  /** Origin of every surface but JSON-RPC. */
  readonly url: string;
  readonly rpcUrl: string;
  /** What `GET /sandbox` answers. */
  readonly info: SandboxInfo;
  /** Sends deliveries there from now on, also those that waited for a target. */
  setWebhook(target: WebhookTarget): void;
  /** Ends everything that was started; what was under way is carried on by the next start. */
  stop(): Promise<void>;
}

/** Starts every part, on the state that an earlier run left. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  return startupScope((running) => compose(options, running));
}

/** What was deferred last is stopped first. */
async function compose(options: SandboxOptions, running: AsyncDisposableStack): Promise<Sandbox> {
  const { settings, dataDir, log } = options;
  running.defer(lockDirectory(join(dataDir, 'sandbox-lock')));
  const parts = await openParts(options, running);
  const workforce = new Workforce();
  const server = createServer(log);
  let origin = '';
  await registerSurfaces(server, parts, workforce, () => origin);
  running.defer(() => workforce.stop());
  running.defer(() => closeServer(server));
  const { host, port } = settings;
  const listening = await server.listen({ host, port }).catch((error: unknown) => {
    throw listenError(error, host, port, ['SANDBOX_HOST', 'SANDBOX_PORT']);
  });
  origin = settings.publicUrl ?? listening;
  await workforce.start(parts, () => origin);
  const stopping = new AbortController();
  running.defer(() => stopping.abort());
  void keepMetadataAddress(parts.chain, origin, log, stopping.signal);
  return {
    url: origin,
    rpcUrl: parts.chain.rpcUrl,
    info: infoOf(origin, parts),
    setWebhook: (target) => {
      parts.targets.set(target);
      workforce.wake('webhooks');
    },
    stop: () => running.disposeAsync(),
  };
}

/** Requests under way may end; past this the connections are cut. */
const longestCloseMs = 2_000;

async function closeServer(server: FastifyInstance): Promise<void> {
  const cut = setTimeout(() => server.server.closeAllConnections(), longestCloseMs);
  await server.close();
  clearTimeout(cut);
}
