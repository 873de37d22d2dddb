import { Authenticator } from '../access/authenticate.ts';
import { Issuers } from '../access/issuers.ts';
import { localSealingKey, SecretBox } from '../access/secret-box.ts';
import { UpstreamCredentials } from '../access/upstream-credentials.ts';
import { EventLog } from '../events/event-log.ts';
import { entryIds, eventsAbout } from '../issuance/events-about.ts';
import { Issuances } from '../issuance/issuances.ts';
import { Pictures } from '../pictures/pictures.ts';
import type { Store } from '../store/store.ts';
import { findFiles, recordContents } from '../uploads/known-files.ts';
import { Uploads } from '../uploads/uploads.ts';
import { Webhooks } from '../webhooks/webhooks.ts';
import type { Clients } from './clients.ts';
import type { AppOptions } from './options.ts';

/** Creates the services behind the API from the database and the clients. `running` closes them. */
export function createServices(
  { config, secrets, upstreams, database, log }: AppOptions,
  store: Store,
  { commerce, storage, ipfs, catalog, schemas, schemaValidator }: Clients,
  running: AsyncDisposableStack,
) {
  const { timeouts } = config;
  const secretBox = new SecretBox(...(secrets.sealingKeys ?? ([localSealingKey(config.dataDir)] as const)));
  const issuers = new Issuers(secrets.issuers);
  const authenticator = new Authenticator({
    issuers,
    db: store.db,
    commerce,
    passthrough: config.passthrough,
    jwt: config.jwt,
    log,
  });
  const issuances = new Issuances({
    db: store.db,
    signals: store.signals,
    commerce,
    files: { find: findFiles, recordContents },
    names: { baseUrl: upstreams.commerceUrl, vendorPrefix: config.vendor.prefix },
    registryAddress: upstreams.registryAddress,
    preflight: {
      schemas,
      schemaValidator,
      licensedUsers: (addresses, signal) => catalog.licensedUsers(addresses, signal),
      collectionOwners: (addresses, signal) => catalog.collectionOwners(addresses, signal),
    },
    log,
    mintedOf: (tokens, signal) => catalog.mintedOf(tokens, signal),
    mintedSince: (issuer, since, signal) => catalog.mintedSince(issuer, since, signal),
    deployedCollection: (key, signal) => catalog.deployedCollection(key, signal),
    keys: new UpstreamCredentials(issuers, secretBox),
    alone: database.kind === 'pglite',
    timeouts,
    limits: config.limits,
  });
  const uploads = new Uploads({ db: store.db, commerce, storage, box: secretBox });
  const events = new EventLog({
    db: store.db,
    signals: store.signals,
    log,
    about: { entryIds, eventsAbout },
    maxLag: config.limits.subscriberLag,
  });
  const { directory, maxBytes } = config.pictureCache;
  const pictures = new Pictures({
    ipfs: ipfs.pictures,
    disk: directory === undefined ? undefined : { directory, maxBytes },
    log,
  });
  running.defer(() => pictures.close());
  const webhooks = new Webhooks({
    db: store.db,
    signals: store.signals,
    log,
    alone: database.kind === 'pglite',
    events,
    issuers,
    box: secretBox,
    config: config.webhooks,
    drainMs: timeouts.drain,
  });
  return { secretBox, issuers, authenticator, issuances, uploads, events, pictures, webhooks };
}

export type Services = ReturnType<typeof createServices>;
