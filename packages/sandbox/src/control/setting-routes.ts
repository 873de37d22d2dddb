import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { z } from 'zod';
import { refusals } from '../http/refusals.ts';
import { ServiceError } from '../http/service-error.ts';
import type { Clock } from '../lib/clock.ts';
import type { Directory } from '../licensing/directory.ts';
import type { WebhookTargets } from '../webhooks/targets.ts';
import { type RuntimeSettings, type SettingsUpdate, settings, settingsUpdate } from './runtime-settings.ts';

/** Dependencies of the routes of the settings. */
export interface SettingRoutes {
  directory: Directory;
  runtime: RuntimeSettings;
  clock: Clock;
  targets: WebhookTargets;
  /** Called after `runtime` or `clock` has changed. */
  onChange(): void;
}

const tags = ['Test mode'];

/** Registers `/sandbox/settings`, which shows and changes settings while the sandbox runs. */
export function settingRoutes(server: FastifyInstance, options: SettingRoutes): void {
  const { directory, runtime, clock, targets } = options;
  const routes = server.withTypeProvider<ZodTypeProvider>();

  routes.get(
    '/sandbox/settings',
    {
      schema: {
        operationId: 'readSettings',
        tags,
        summary: 'Settings as they are',
        response: { 200: settings.describe('All of them.') },
      },
    },
    async () => current(),
  );

  routes.post(
    '/sandbox/settings',
    {
      schema: {
        operationId: 'changeSettings',
        tags,
        summary: 'Change settings',
        description: 'What is absent stays as it is. Forgotten at a restart, but for quotas.',
        body: settingsUpdate,
        response: { 200: settings.describe('Settings as they are now.'), 400: refusals[400] },
      },
    },
    async ({ body }) => {
      const quotas = body.quotas ?? [];
      const known = await directory.find(quotas.map(({ address }) => address));
      // Before anything is set, so that a refused body changes nothing.
      for (const [index, { address }] of quotas.entries())
        if (!known.has(address))
          throw new ServiceError(400, [`quotas.${index}.address: ${address} is no licensed user`]);
      for (const { address, srrs, nfcTags } of quotas)
        await directory.setQuota(address, quota(srrs, nfcTags));
      for (const target of body.webhooks ?? []) targets.set(target);
      apply(body);
      options.onChange();
      return current();
    },
  );

  function apply({ clockOffsetMs, quotas: _stored, webhooks: _set, ...rest }: SettingsUpdate): void {
    Object.assign(
      runtime,
      Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
    );
    if (clockOffsetMs !== undefined) clock.offsetMs = clockOffsetMs;
  }

  function current(): z.infer<typeof settings> {
    return { ...runtime, clockOffsetMs: clock.offsetMs };
  }
}

function quota(srrs: number | undefined, nfcTags: number | undefined) {
  return {
    ...(srrs !== undefined && { srrQuota: srrs }),
    ...(nfcTags !== undefined && { nfcAllowance: nfcTags }),
  };
}
