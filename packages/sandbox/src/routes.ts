import type { FastifyInstance } from 'fastify';
import { tokenId } from './chain/token-id.ts';
import { Issuing } from './commerce/issue/issuing.ts';
import { notifyRefusals } from './commerce/issue/refusal-webhooks.ts';
import { MetadataCheck } from './commerce/metadata/check.ts';
import { selfContained } from './commerce/metadata/versions.ts';
import { commerceRoutes } from './commerce/routes.ts';
import { schemaRoutes } from './commerce/schema-routes.ts';
import type { Container } from './container.ts';
import { controlRoutes } from './control/routes.ts';
import { infoOf } from './control/sandbox-info.ts';
import { documentRoutes } from './docs/document.ts';
import { docsRoutes } from './docs/routes.ts';
import { ResponseFaults } from './faults/response-faults.ts';
import { ipfsRoutes } from './ipfs/gateway.ts';
import { readRoutes } from './reads/routes.ts';
import { storageRoutes } from './storage/routes.ts';
import { subgraphRoutes } from './subgraph/routes.ts';
import type { Workers } from './workers.ts';

/** Registers all routes on the server. `origin` is known once the server listens, before any request. */
export async function registerRoutes(
  server: FastifyInstance,
  container: Container,
  workers: Workers,
  origin: () => string,
): Promise<void> {
  const { settings, db, chain, directory, storage, content, runtime, subgraph, faults } = container;
  const metadataCheck = new MetadataCheck(settings.vendor.prefix, () => [
    origin(),
    `https://api.${settings.vendor.path}.io`,
  ]);
  const responseFaults = new ResponseFaults(faults);
  const issuing = new Issuing({
    db,
    directory,
    storage,
    content,
    tokenId,
    origin,
    metadataCheck,
    vendorPrefix: settings.vendor.prefix,
    consumeFault: (externalId) => faults.consume('issue', (fault) => fault.externalId === externalId),
    delayPublication: () => responseFaults.delayPublication(),
    onAccepted: () => workers.wake('minter'),
  });
  await issuing.recover();
  await documentRoutes(server);

  await server.register(async (scope) => {
    responseFaults.attachTo(scope);
    notifyRefusals(scope, {
      db,
      wanted: () => runtime.webhooksOfRefusals,
      failureType: settings.webhookFailureType,
      log: container.log,
      onDeliveries: () => workers.wake('webhooks'),
    });
    await scope.register(commerceRoutes, {
      ...container,
      issuing,
      origin,
      missingFiles: settings.missingFiles,
      metadataSchemas: Object.values(metadataCheck.schemas).map(selfContained),
      collections: {
        db,
        predictCollection: (salt) => chain.predictCollection(salt),
        onAccepted: () => workers.wake('collections'),
      },
    });
  });
  await server.register(schemaRoutes, { schemas: metadataCheck.schemas });
  await server.register(storageRoutes, {
    ...container,
    fileLimitBytes: settings.fileLimitBytes,
    onStored: () => workers.wake('hasher'),
  });
  await server.register(ipfsRoutes, { content, faults });
  await server.register(subgraphRoutes, { subgraph, faults });
  await server.register(controlRoutes, {
    ...container,
    origin,
    info: () => infoOf(origin(), container),
    onStored: () => workers.wake('hasher'),
    onDeliveries: () => workers.wake('webhooks'),
    onChange: () => {
      chain.setMiningInterval(runtime.miningIntervalMs);
      chain.setAttempts(runtime.miningAttempts);
      subgraph.setFaults({
        lag: { blocks: runtime.indexLagBlocks, ms: runtime.indexLagMs },
        hasIndexingErrors: runtime.indexingErrors,
        earliestBlock: runtime.indexEarliestBlock,
      });
      workers.wakeAll();
    },
  });
  await server.register(readRoutes, {
    ...container,
    registryAddress: chain.registryAddress,
    vendorPath: settings.vendor.path,
  });
  await server.register(docsRoutes, {
    ...container,
    origin,
    registryAddress: chain.registryAddress,
    rpcUrl: chain.rpcUrl,
  });
}
