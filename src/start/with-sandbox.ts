import { createLogger } from '@srr-gateway/common/log';
// A type only: the sandbox's code is loaded only when no live service is configured.
import type { SandboxSettings } from '@srr-gateway/sandbox';
import { banner } from './banner.ts';
import { demo, demoIssuers, showcaseOf, upstreamsOf } from './demo.ts';
import { handOver, type Run } from './handover.ts';
import { noSandboxHere } from './settings.ts';

/** Starts everything on one machine: first the sandbox, then the gateway in front of it. */
export async function startWithSandbox(run: Run, settings: SandboxSettings): Promise<void> {
  const { config, secrets, opening, log, running } = run;
  const { startSandbox } = await import('@srr-gateway/sandbox').catch(noSandboxHere);
  const sandboxStarting = startSandbox({
    settings,
    database: opening,
    dataDir: `${config.dataDir}/sandbox`,
    log: createLogger({ level: config.logLevel, name: 'sandbox' }),
  });
  const started = sandboxStarting.catch(() => undefined);
  running.defer(async () => (await started)?.stop());
  const [{ startApp }, sandbox] = await Promise.all([import('../app.ts'), sandboxStarting]);
  if (running.disposed) return;
  const own = secrets.issuers.length > 0;
  const issuers = own ? secrets.issuers : demoIssuers(sandbox.info);
  const app = await startApp({
    config,
    secrets: { ...secrets, issuers },
    upstreams: upstreamsOf(sandbox.info),
    database: await opening,
    log,
    showcase: showcaseOf(sandbox.info),
  });
  if (running.disposed) return app.stop();
  handOver(app, run);
  for (const { address, webhookKeys } of issuers)
    if (webhookKeys[0])
      sandbox.setWebhook({ issuer: address, url: `${app.url}/webhooks/commerce`, key: webhookKeys[0] });
  if (!run.stopping.aborted) process.stdout.write(banner(app.url, sandbox.info, own ? undefined : demo));
}
