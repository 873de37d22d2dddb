import type { FastifyInstance } from 'fastify';
import { tokenId } from './chain/token-id.ts';
import { Issuing } from './commerce/issue/issuing.ts';
import { tellRefusals } from './commerce/issue/tell-refusals.ts';
import { MetadataCheck } from './commerce/metadata/check.ts';
import { selfContained } from './commerce/metadata/versions.ts';
import { commerceRoutes } from './commerce/routes.ts';
import { schemaRoutes } from './commerce/schema-routes.ts';
import type { Parts } from './container.ts';
import { controlRoutes } from './control/routes.ts';
import { infoOf } from './control/sandbox-info.ts';
import { documentRoutes } from './docs/document.ts';
import { docsRoutes } from './docs/routes.ts';
import { ResponseFaults } from './faults/response-faults.ts';
import { ipfsRoutes } from './ipfs/gateway.ts';
import { readRoutes } from './reads/routes.ts';
import { storageRoutes } from './storage/routes.ts';
import { subgraphRoutes } from './subgraph/routes.ts';
import type { Workforce } from './workers.ts';

/** Registers all routes on the server. `origin` is known once the server listens, before any request. */
export async function registerSurfaces(
  server: FastifyInstance,
  parts: Parts,
  workforce: Workforce,
  origin: () => string,
): Promise<void> {
  const { settings, db, chain, directory, storage, content, runtime, subgraph, faults } = parts;
  const metadataCheck = new MetadataCheck(settings.vendor.prefix, () => [
    origin(),
    `https://api.${settings.vendor.path}.io`,
  ]);
  const issuing = new Issuing({
    db,
    directory,
    storage,
    content,
    tokenId,
    origin,
    metadataCheck,
    vendorPrefix: settings.vendor.prefix,
    strike: (externalId) => faults.strike('issue', (fault) => fault.externalId === externalId),
    onAccepted: () => workforce.wake('minter'),
  });
  await issuing.recover();
  await documentRoutes(server);

  const responseFaults = new ResponseFaults(faults);
  content.beforePublish = () => responseFaults.hold();
  await server.register(async (scope) => {
    responseFaults.attachTo(scope);
    tellRefusals(scope, {
      db,
      wanted: () => runtime.webhooksOfRefusals,
      failureType: settings.webhookFailureType,
      onDeliveries: () => workforce.wake('webhooks'),
    });
    await scope.register(commerceRoutes, {
      ...parts,
      issuing,
      origin,
      missingFiles: settings.missingFiles,
      metadataSchemas: Object.values(metadataCheck.schemas).map(selfContained),
      collections: {
        db,
        predictCollection: (salt) => chain.predictCollection(salt),
        onAccepted: () => workforce.wake('collections'),
      },
    });
  });
  await server.register(schemaRoutes, { schemas: metadataCheck.schemas });
  await server.register(storageRoutes, {
    ...parts,
    fileLimitBytes: settings.fileLimitBytes,
    onStored: () => workforce.wake('hasher'),
  });
  await server.register(ipfsRoutes, { content, faults });
  await server.register(subgraphRoutes, { subgraph, faults });
  await server.register(controlRoutes, {
    ...parts,
    origin,
    info: () => infoOf(origin(), parts),
    onStored: () => workforce.wake('hasher'),
    onDeliveries: () => workforce.wake('webhooks'),
    onChange: () => {
      chain.setMiningInterval(runtime.miningIntervalMs);
      chain.setAttempts(runtime.miningAttempts);
      subgraph.setFaults({
        lag: { blocks: runtime.indexLagBlocks, ms: runtime.indexLagMs },
        hasIndexingErrors: runtime.indexingErrors,
        earliestBlock: runtime.indexEarliestBlock,
      });
      workforce.wakeAll();
    },
  });
  await server.register(readRoutes, {
    ...parts,
    registryAddress: chain.registryAddress,
    vendorPath: settings.vendor.path,
  });
  await server.register(docsRoutes, {
    ...parts,
    origin,
    registryAddress: chain.registryAddress,
    rpcUrl: chain.rpcUrl,
  });
}
