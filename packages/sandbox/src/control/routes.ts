import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Faults } from '../faults/faults.ts';
import { refuseUnstorable } from '../http/body-guard.ts';
import { allowAnyOrigin } from '../http/cors.ts';
import { type ChainRoutes, chainRoutes } from './chain-routes.ts';
import { type DeliveryRoutes, deliveryRoutes } from './delivery-routes.ts';
import { faultRoutes } from './fault-routes.ts';
import { type FileRoutes, fileRoutes } from './file-routes.ts';
import { type SandboxInfo, sandboxInfo } from './sandbox-info.ts';
import { type SettingRoutes, settingRoutes } from './setting-routes.ts';

/** Dependencies of the control routes. */
interface ControlRoutes extends SettingRoutes, DeliveryRoutes, ChainRoutes, FileRoutes {
  info(): SandboxInfo;
  faults: Faults;
}

/** Registers `/sandbox` (addresses and keys) and below it settings, deliveries, chain, faults and files. */
export async function controlRoutes(server: FastifyInstance, options: ControlRoutes): Promise<void> {
  server.addHook('preValidation', async ({ body }) => refuseUnstorable(body));

  await server.register(async (open) => {
    // Pages of any origin may read this, since it is public. They may not change settings or faults.
    allowAnyOrigin(open, 'GET, HEAD');
    open.withTypeProvider<ZodTypeProvider>().route({
      method: ['GET', 'OPTIONS'],
      url: '/sandbox',
      schema: {
        operationId: 'describeSandbox',
        tags: ['Test mode'],
        summary: 'Describe this sandbox',
        description: 'All addresses and play keys that a program needs.',
        response: { 200: sandboxInfo.describe('Addresses, licensed users, wallets.') },
      },
      handler: async () => options.info(),
    });
  });
  settingRoutes(server, options);
  deliveryRoutes(server, options);
  chainRoutes(server, options);
  faultRoutes(server, options);
  fileRoutes(server, options);
}
