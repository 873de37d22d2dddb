import type { FastifyInstance } from 'fastify';
import type { Clock } from '../clock.ts';
import { refuseUnstorable } from '../http/body-guard.ts';
import { allowAnyOrigin } from '../http/cors.ts';
import { ServiceError } from '../http/service-error.ts';
import type { SandboxInfo } from '../info.ts';
import type { Directory } from '../licensing/directory.ts';
import type { WebhookTargets } from '../webhooks/targets.ts';
import { type ChainRoutes, chainRoutes } from './chain-routes.ts';
import { type DeliveryRoutes, deliveryRoutes } from './delivery-routes.ts';
import { type Faults, faultSchema } from './faults.ts';
import { type Knobs, knobsSchema, readControl, readControlAddress } from './knobs.ts';

/** What can be turned while the sandbox runs. It is forgotten at a restart; only quotas are stored. */
export interface RuntimeSettings {
  hashDelayMs: number;
  miningIntervalMs: number;
  miningAttempts: number;
  indexLagMs: number;
  indexLagBlocks: number;
  indexingErrors: boolean;
  indexEarliestBlock: number;
  webhooksPaused: boolean;
}

export interface ControlRoutes extends DeliveryRoutes, ChainRoutes {
  info(): SandboxInfo;
  directory: Directory;
  runtime: RuntimeSettings;
  clock: Clock;
  targets: WebhookTargets;
  faults: Faults;
  /** Called after `runtime` or `clock` has changed. */
  onChange(): void;
}

/** `/sandbox`: what the sandbox is, how it is set, and what it should do wrong. */
export async function controlRoutes(server: FastifyInstance, options: ControlRoutes): Promise<void> {
  const { directory, runtime, clock, targets, faults } = options;
  server.addHook('preValidation', async ({ body }) => refuseUnstorable(body));

  await server.register(async (open) => {
    // Only what is public by itself may be read by any page; settings and faults may not be changed so.
    allowAnyOrigin(open, 'GET, HEAD');
    open.route({ method: ['GET', 'OPTIONS'], url: '/sandbox', handler: async () => options.info() });
  });

  server.get('/sandbox/settings', async () => settings());

  server.post('/sandbox/settings', async ({ body }) => {
    const knobs = readControl(knobsSchema, body);
    for (const { address, srrs, nfcTags } of knobs.quotas ?? [])
      if (!(await directory.setQuota(readControlAddress(address, 'quotas.address'), quota(srrs, nfcTags))))
        throw new ServiceError(400, [`quotas.address: ${address} is no licensed user`]);
    for (const target of knobs.webhooks ?? []) {
      if (target.issuer !== undefined) readControlAddress(target.issuer, 'webhooks.issuer');
      targets.set(target);
    }
    turn(knobs);
    options.onChange();
    return settings();
  });

  deliveryRoutes(server, options);
  chainRoutes(server, options);

  server.get('/sandbox/faults', async () => ({ faults: faults.list() }));

  server.post('/sandbox/faults', async ({ body }, reply) => {
    const id = faults.arm(readControl(faultSchema, body));
    return reply.code(201).send({ id });
  });

  server.delete('/sandbox/faults', async (_request, reply) => {
    faults.clear();
    return reply.code(204).send();
  });

  function turn({ clockOffsetMs, quotas: _stored, webhooks: _set, ...rest }: Knobs): void {
    Object.assign(
      runtime,
      Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
    );
    if (clockOffsetMs !== undefined) clock.offsetMs = clockOffsetMs;
  }

  function settings(): RuntimeSettings & { clockOffsetMs: number } {
    return { ...runtime, clockOffsetMs: clock.offsetMs };
  }
}

function quota(srrs: number | undefined, nfcTags: number | undefined) {
  return {
    ...(srrs !== undefined && { srrQuota: srrs }),
    ...(nfcTags !== undefined && { nfcAllowance: nfcTags }),
  };
}
