import { postgresUrl } from '@srr-gateway/common/database/postgres-url';
import { fileVariable } from '@srr-gateway/common/secret-files';
import { notBlank, port, wholeNumber } from '@srr-gateway/common/whole-number';
import { z } from 'zod';
import { typeOfDelivery } from '../model/event-type.ts';
import { issuersFromJson } from './issuers.ts';
import {
  address,
  baseUrl,
  bearerToken,
  bytes,
  collectorUrl,
  commerceBase,
  count,
  days,
  endpointUrls,
  gatewayUrls,
  headerKey,
  headerPairs,
  json,
  name,
  networks,
  onOff,
  origins,
  plainUrl,
  purgeUrl,
  sealingKeys,
  seconds,
  signalsUrl,
  valkeyUrl,
  withoutTrailingSlash,
} from './values.ts';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** The event types that a delivery type can be mapped to. */
const knownTypes = [...typeOfDelivery.values()];
const webhookTypes = z.record(
  z.string(),
  z.enum(knownTypes, `must be one of ${knownTypes.join(', ')}`),
  'must be an object of delivery type → event type, {"issuance_failed": "SRR_FAILED"}',
);

/** Secrets that may come from a file instead. Not ISSUERS: its file is read again when it changes. */
export const secretNames = [
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'SIGNALS_URL',
  'ANSWERS_URL',
  'CDN_PURGE_HEADERS',
  'SECRETS_KEY',
  'SUBGRAPH_API_KEY',
  'METRICS_TOKEN',
  'OTEL_EXPORTER_OTLP_HEADERS',
] as const;
type SecretFiles = Record<`${(typeof secretNames)[number]}_FILE`, z.ZodOptional<z.ZodString>>;
const secretFiles = Object.fromEntries(
  secretNames.map((name) => [fileVariable(name), z.string().optional()]),
) as SecretFiles;

const shareText = 'must be a number from 0 to 1';

/** All environment variables of the gateway. No other code reads `process.env`. */
export const envSchema = z.object({
  PORT: port.default(4000),
  HOST: z.string().default('127.0.0.1'),
  PUBLIC_URL: baseUrl.optional(),
  DATABASE_URL: postgresUrl.optional(),
  DATABASE_DIRECT_URL: postgresUrl.optional(),
  SIGNALS_URL: signalsUrl.optional(),
  ANSWERS_URL: valkeyUrl.optional(),
  CDN_PURGE_URL: purgeUrl.optional(),
  CDN_PURGE_HEADERS: headerPairs.optional(),
  // Enough for the parallel steps of issuances and the reads of one replica. PostgreSQL allows 100 by
  // default.
  DATABASE_POOL: wholeNumber({ of: 'connections', min: 2, max: 100 }).default(10),
  DATA_DIR: z.string().default('./data'),
  COMMERCE_URL: commerceBase.optional(),
  SUBGRAPH_URL: endpointUrls.optional(),
  SUBGRAPH_API_KEY: headerKey.optional(),
  IPFS_GATEWAYS: gatewayUrls.optional(),
  REGISTRY_ADDRESS: address.optional(),
  VENDOR_PATH: name.default('vendor'),
  VENDOR_PREFIX: name.default('vendor'),
  ISSUERS: json.pipe(issuersFromJson).optional(),
  ISSUERS_FILE: z.string().optional(),
  PASSTHROUGH: onOff.default(true),
  JWT_JWKS_URL: plainUrl.optional(),
  JWT_ISSUER: z.string().optional(),
  JWT_AUDIENCE: z.string().optional(),
  JWT_ISSUER_CLAIM: z.string().default('srr_issuer'),
  JWT_SCOPE_CLAIM: z.string().default('scope'),
  SECRETS_KEY: sealingKeys.optional(),
  WEBHOOK_TYPES: json.pipe(webhookTypes).default({}),
  LOG_LEVEL: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`).default('info'),
  METRICS_TOKEN: bearerToken.min(8, 'must have at least 8 characters').optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl.transform(withoutTrailingSlash).optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collectorUrl.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: headerPairs.optional(),
  OTEL_SERVICE_NAME: z.string().default('srr-gateway'),
  // Trace everything by default: a gateway with a few requests a second can show each of them.
  OTEL_TRACES_SAMPLER_ARG: notBlank(shareText)
    .pipe(z.coerce.number<string>(shareText).min(0).max(1))
    .default(1),
  GRAPHIQL: onOff.default(true),
  INTROSPECTION: onOff.default(true),
  TRUSTED_DOCUMENTS_FILE: z.string().optional(),
  // Ten times the largest known operation of a front end. Parsing as many tokens takes a millisecond.
  MAX_TOKENS: count.default(5_000),
  // The deepest useful query, from an event to the metadata of the records of a record's collection, has 12
  // levels.
  MAX_DEPTH: count.default(15),
  // Validation compares the fields of one name with each other, so its time grows with the square of their
  // number.
  MAX_ALIASES: count.default(50),
  // For @include and @skip on the parts of a page. Each directive is evaluated for each object of the response.
  MAX_DIRECTIVES: count.default(50),
  // A front end composes a page of a few dozen fragments. Validation compares each with every other.
  MAX_FRAGMENTS: count.default(50),
  // Each root field may cause a request to each source.
  MAX_ROOT_FIELDS: count.default(20),
  // A page of 999 records with all their parts.
  MAX_COST: count.default(100_000),
  // Limits apply to each operation, so a batch of several would get several times as much.
  MAX_BATCH: count.default(1),
  // Many times what a page watches at once. Each operation holds memory and a position in the log.
  MAX_SOCKET_OPERATIONS: count.default(100),
  // Any page may read public records. Credentials are in headers that a page must set, never in cookies.
  CORS_ORIGINS: origins.prefault('*'),
  // A hundred a second. A page that shows records needs a few; a crawler without pauses needs more.
  RATE_LIMIT: wholeNumber({ of: 'requests', min: 0 }).default(6_000),
  // A hundred of the most expensive operations, or as many pages of fifty records as RATE_LIMIT allows.
  COST_LIMIT: wholeNumber({ of: 'fields', min: 0 }).default(10_000_000),
  // For an office behind one address, or a back end that subscribes for its users. One process can serve ten
  // such addresses.
  MAX_STREAMS: wholeNumber({ of: 'streams', min: 0 }).default(1_000),
  TRUSTED_PROXIES: wholeNumber({ of: 'proxies', min: 0, max: 10 }).default(0),
  // Longer than any source takes with its retries, and longer than people wait for a page.
  REQUEST_TIMEOUT: seconds.default(60),
  // A read is a document and its variables: a few KB, or a thousand token ids.
  ANONYMOUS_BODY_MAX_BYTES: bytes.default(100_000),
  // The service says that hashing usually ends within a few minutes. An hour covers a slow day.
  FILES_READY_TIMEOUT: seconds.default(3_600),
  // Mining and its webhook take seconds to minutes. After this the subgraph is asked as well.
  RECONCILE_AFTER: seconds.default(120),
  // A POST of hundreds of entries publishes their files before it is answered.
  ISSUE_TIMEOUT: seconds.default(120),
  // Signing and file states are small reads. After this a retry is better.
  COMMERCE_TIMEOUT: seconds.default(15),
  // A subgraph answers in milliseconds. After this the next endpoint is tried.
  SUBGRAPH_TIMEOUT: seconds.default(10),
  // The longest that one piece of content may take, over all gateways together.
  IPFS_TIMEOUT: seconds.default(15),
  IPFS_CACHE_DIR: z.string().optional(),
  // Room for a hundred thousand metadata documents and their thumbnails.
  IPFS_CACHE_BYTES: bytes.default(1_000_000_000),
  // Room for ten thousand metadata documents: a fraction of the memory that the process needs anyway.
  IPFS_MEMORY_BYTES: bytes.default(64_000_000),
  // Room for twenty thousand pictures of a screen's width, or ten times as many thumbnails.
  PICTURE_CACHE_BYTES: bytes.default(1_000_000_000),
  // How long to wait for the subgraph to show a new outcome, before its record is returned without on-chain
  // data. Blocks come every few seconds.
  INDEX_WAIT: seconds.default(10),
  // A delivery has ids. The old form has whole metadata, a few KB for each of up to 250 records.
  WEBHOOK_MAX_BYTES: bytes.default(5_000_000),
  // GraphQL bodies, multipart uploads included, are held in memory. Larger files go by proxyUrl.
  BODY_MAX_BYTES: bytes.default(25_000_000),
  // Two hundred requests of the size that the service recommends. More records of one issuer would only wait longer.
  MAX_ENTRIES_IN_FLIGHT: wholeNumber({ of: 'records', min: 1 }).default(50_000),
  // A live subscriber this far behind will hardly catch up. It can resume from its cursor.
  SUBSCRIBER_MAX_LAG: wholeNumber({ of: 'events', min: 1 }).default(10_000),
  // Public chains are final within a quarter of an hour; twice that is safe. Records are checked thirty times
  // within it.
  REORG_WATCH: seconds.min(5, 'must be at least 5 seconds').default(1_800),
  // A lost request is processed, and a reported failure retried, within minutes; an hour covers a bad day.
  // The check runs 120 times within it.
  FAILURE_WATCH: seconds.default(3_600),
  // Long enough to look into a complaint. Ids, statuses and history stay for ever.
  KEEP_DETAILS_DAYS: days.default(90),
  // Long enough to look into a complaint. The event itself, without its body, stays for ever.
  KEEP_EVENTS_DAYS: days.default(365),
  ALLOW_PRIVATE_WEBHOOKS: networks.optional(),
  // Long enough for a cold start of a small server. A receiver should answer first and work afterwards.
  WEBHOOK_TIMEOUT: seconds.default(10),
  // A restart takes seconds. The pause doubles with each failure.
  WEBHOOK_RETRY_FIRST: seconds.default(5),
  // A weekend: a partner who finds the fault on Monday has missed nothing.
  WEBHOOK_RETRY_FOR: seconds.default(259_200),
  // A deployment or a restart, during which order is worth more than speed.
  WEBHOOK_HOLD: seconds.default(300),
  // Longer than a deployment that goes wrong and is rolled back.
  WEBHOOK_FAILING_AFTER: seconds.default(3_600),
  // Longer than one delivery is retried, so that a single bad event never disables an endpoint.
  WEBHOOK_DISABLE_AFTER: seconds.default(432_000),
  // A rate that a small server handles easily. No issuer is known to have more events a second.
  WEBHOOK_RATE: wholeNumber({ of: 'deliveries a second', min: 1, max: 10_000 }).default(100),
  // Test, staging and production servers of a few partners. Each is sent every event.
  MAX_WEBHOOK_ENDPOINTS: wholeNumber({ of: 'endpoints', min: 1, max: 100 }).default(10),
  // Long enough to look into a complaint. The events themselves stay in the log.
  KEEP_DELIVERIES_DAYS: days.default(30),
  // Time for running work to finish at a stop: containers have ten seconds. The rest resumes at the next start or on
  // another replica.
  DRAIN_TIMEOUT: seconds.default(8),
  ...secretFiles,
});

/** The parsed environment variables. */
export type Env = z.infer<typeof envSchema>;
