import { randomBytes } from 'node:crypto';
import { type Address, parseAddress } from '@srr-gateway/common/address';
import { createLogger } from '@srr-gateway/common/log';
// Import only types here: the sandbox's code is loaded only without a live service.
import type { SandboxInfo, SandboxSettings } from '@srr-gateway/sandbox';
import type { Issuer, Upstreams } from '../config/config.ts';
import type { Showcase } from '../graphql/graphiql/graphiql.ts';
import { scopes } from '../model/scope.ts';
import { banner } from './banner.ts';
import { exitWithError } from './exit-with-error.ts';
import { handOver, type Run } from './handover.ts';
import { throwSandboxMissing } from './settings.ts';

/** Accepted only with the sandbox, where there is nothing of value. */
const demo = { token: 'demo-token', webhookKey: 'demo-webhook-key' };

/** Starts the sandbox, then the gateway in front of it. */
export async function startWithSandbox(run: Run, settings: SandboxSettings): Promise<void> {
  const { config, secrets, opening, log, running } = run;
  const { startSandbox } = await import('@srr-gateway/sandbox').catch(throwSandboxMissing);
  const sandboxStarting = startSandbox({
    settings,
    database: opening,
    dataDir: `${config.dataDir}/sandbox`,
    log: createLogger({ level: config.logLevel, name: 'sandbox' }),
  });
  const started = sandboxStarting.catch(() => undefined);
  running.defer(async () => (await started)?.stop());
  const [{ startApp }, sandbox] = await Promise.all([import('../app.ts'), sandboxStarting]);
  void sandbox.lost.then(exitWithError);
  if (running.disposed) return;
  const hasIssuers = secrets.issuers.length > 0;
  const issuers = hasIssuers ? secrets.issuers : demoIssuers(sandbox.info);
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
  if (!run.stopping.aborted)
    process.stdout.write(banner(app.url, sandbox.info, hasIssuers ? undefined : demo));
}

/** The sandbox's addresses as upstreams. */
function upstreamsOf(info: SandboxInfo): Upstreams {
  return {
    commerceUrl: info.commerceUrl,
    subgraphUrls: [info.subgraphUrl],
    ipfsGateways: [info.ipfsUrl],
    registryAddress: parseAddress(info.registryAddress),
  };
}

/**
 * The sandbox's issuers. The first has the demo token and key; the other webhook keys are made at each start.
 */
function demoIssuers(info: SandboxInfo): Issuer[] {
  return info.issuers.map(({ address, apiKey }, i) => ({
    address: parseAddress(address) as Address,
    apiKey,
    webhookKeys: [i === 0 ? demo.webhookKey : randomBytes(24).toString('base64url')],
    signingSecrets: [],
    tokens: i === 0 ? [{ token: demo.token, scopes: [...scopes] }] : [],
  }));
}

/** Sample values for GraphiQL, from the sandbox's demo data. */
function showcaseOf({ artists, buyers }: SandboxInfo): Showcase {
  return { token: demo.token, variables: { artist: artists[0]?.address, buyer: buyers[0]?.address } };
}
