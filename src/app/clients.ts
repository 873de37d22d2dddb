import { createCatalog } from '../catalog/catalog.ts';
import { createLegacyDocuments } from '../catalog/legacy-documents.ts';
import { createCdn } from '../clients/cdn.ts';
import { createCommerce } from '../clients/commerce/commerce.ts';
import { createLegacyMetadata } from '../clients/commerce/legacy-metadata.ts';
import { createStorage } from '../clients/commerce/storage.ts';
import { createIpfs } from '../clients/ipfs/ipfs.ts';
import { createSubgraph } from '../clients/subgraph/subgraph.ts';
import { createSchemaSource } from '../issuance/preflight/schema-source.ts';
import { createSchemaValidator } from '../issuance/preflight/schema-validator.ts';
import type { AppOptions } from './options.ts';

/** Creates the clients of the upstreams, and the catalog that joins them. `running` closes them. */
export function openClients({ config, secrets, upstreams, log }: AppOptions, running: AsyncDisposableStack) {
  const { timeouts } = config;
  const commerce = createCommerce({
    baseUrl: upstreams.commerceUrl,
    log,
    timeouts: { read: timeouts.commerce, issue: timeouts.issue },
  });
  const legacy = createLegacyMetadata({
    baseUrl: upstreams.commerceUrl,
    vendorPath: config.vendor.path,
    timeoutMs: timeouts.commerce,
    log,
  });
  const storage = createStorage();
  const subgraph = createSubgraph({
    endpoints: upstreams.subgraphUrls,
    apiKey: secrets.subgraphApiKey,
    log,
    timeoutMs: timeouts.subgraph,
    cache: true,
  });
  const { directory, maxBytes, memoryBytes } = config.ipfsCache;
  const ipfs = createIpfs({
    gateways: upstreams.ipfsGateways,
    log,
    timeoutMs: timeouts.ipfs,
    memoryBytes,
    disk: directory === undefined ? undefined : { directory, maxBytes },
  });
  const cdn =
    secrets.cdnPurge && createCdn({ ...secrets.cdnPurge, newest: () => subgraph.head()?.hash, log });
  const schemas = createSchemaSource({ baseUrl: upstreams.commerceUrl, ipfs: ipfs.named, log });
  const schemaValidator = createSchemaValidator({ log });
  running.defer(async () => {
    const clients = [commerce, legacy, storage, subgraph, ipfs, cdn, schemas, schemaValidator];
    await Promise.all(clients.map((client) => client?.close()));
  });
  const catalog = createCatalog({
    subgraph,
    ipfs,
    legacy: createLegacyDocuments(legacy),
    registryAddress: upstreams.registryAddress,
    indexWaitMs: timeouts.indexWait,
  });
  return { commerce, storage, subgraph, ipfs, cdn, catalog, schemas, schemaValidator };
}

export type Clients = ReturnType<typeof openClients>;
