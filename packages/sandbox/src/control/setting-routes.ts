import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { z } from 'zod';
import { refusals } from '../http/refusals.ts';
import { ServiceError } from '../http/service-error.ts';
import type { Clock } from '../lib/clock.ts';
import type { Directory } from '../licensing/directory.ts';
import type { WebhookTargets } from '../webhooks/targets.ts';
import { type RuntimeSettings, settings, settingsUpdate } from './runtime-settings.ts';

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
        summary: 'Read the settings',
        response: { 200: settings.describe('The current settings.') },
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
        description: 'Absent settings keep their values. A restart resets all but the quotas.',
        body: settingsUpdate,
        response: { 200: settings.describe('The settings after the change.'), 400: refusals[400] },
      },
    },
    async ({ body }) => {
      const { quotas = [], webhooks = [], clockOffsetMs = clock.offsetMs, ...changed } = body;
      const known = await directory.find(quotas.map(({ address }) => address));
      // Check before setting anything, so that a refused body changes nothing.
      for (const [index, { address }] of quotas.entries())
        if (!known.has(address))
          throw new ServiceError(400, [`quotas.${index}.address: ${address} is no licensed user`]);
      for (const quota of quotas) await directory.setQuota(quota);
      for (const target of webhooks) targets.set(target);
      // Absent settings have no key.
      Object.assign(runtime, changed);
      clock.offsetMs = clockOffsetMs;
      options.onChange();
      return current();
    },
  );

  function current(): z.infer<typeof settings> {
    return { ...runtime, clockOffsetMs: clock.offsetMs };
  }
}
