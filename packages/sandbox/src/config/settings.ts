import { setBy, withSecretFiles } from '@srr-gateway/common/secret-files';
import { port, wholeNumber } from '@srr-gateway/common/whole-number';
import { z } from 'zod';

const milliseconds = wholeNumber({ of: 'milliseconds', min: 0, max: 86_400_000 });
const interval = wholeNumber({ of: 'milliseconds', min: 10, max: 86_400_000 });
const count = wholeNumber({ min: 0 });
const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' });
/** Paths are appended to it. */
const baseUrl = httpUrl
  .regex(/^[^?#]*$/, 'must be an address without ? and #')
  .transform((url) => url.replace(/\/+$/, ''));
const name = z.string().regex(/^[A-Za-z][A-Za-z0-9_-]*$/, 'must be a plain name');

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** What a receiver gets as `x-api-key`. No request can have another one, so each delivery would fail. */
export const webhookKey = z
  .string()
  .regex(/^[!-~]([ -~]*[!-~])?$/, 'must be ASCII without control characters, since it is sent as a header');

/** Every environment variable that the sandbox reads; an empty one counts as absent. */
const variables = z.object({
  SANDBOX_HOST: z.string().default('127.0.0.1'),
  SANDBOX_PORT: port.default(4001),
  // The port that EVM tools use by default.
  SANDBOX_RPC_PORT: port.default(8545),
  // Needed only where clients reach the sandbox at another address, as between containers.
  SANDBOX_PUBLIC_URL: baseUrl.optional(),
  // Long enough that clients see HASH_STILL_IN_CALCULATION, and short enough not to slow down work.
  SANDBOX_HASH_DELAY_MS: milliseconds.default(1_000),
  // As on a fast test chain: slow enough to see progress, fast enough not to wait for it.
  SANDBOX_MINING_INTERVAL_MS: interval.default(1_000),
  // A live subgraph trails its chain. Without a lag here, clients would not be built to wait for it.
  SANDBOX_INDEX_LAG_MS: milliseconds.default(500),
  SANDBOX_WEBHOOK_URL: httpUrl.optional(),
  SANDBOX_WEBHOOK_KEY: webhookKey.optional(),
  SANDBOX_WEBHOOK_KEY_FILE: z.string().optional(),
  // The service allows 1 to 5 attempts; in development the most tolerant value is best.
  SANDBOX_WEBHOOK_ATTEMPTS: wholeNumber({ of: 'attempts', min: 1, max: 5 }).default(5),
  // Doubled after each attempt: 1, 2, 4 and 8 s outlast a receiver's restart.
  SANDBOX_WEBHOOK_BACKOFF_MS: interval.default(1_000),
  // Receivers are told to answer at once and queue slow work; 10 s leaves time for a debugger.
  SANDBOX_WEBHOOK_TIMEOUT_MS: interval.default(10_000),
  // The document says that failures are reported, but not under which type.
  SANDBOX_WEBHOOK_FAILURE_TYPE: name.default('issue_failed'),
  // The document: strictly less than 2^31 bytes.
  SANDBOX_FILE_LIMIT_BYTES: wholeNumber({ of: 'bytes', min: 1 }).default(2 ** 31),
  // The document: hash and cid of larger files are not calculated automatically.
  SANDBOX_HASH_LIMIT_BYTES: count.default(20 * 2 ** 30),
  // The live service's quotas are not known; these are too large to be used up by accident.
  SANDBOX_SRR_QUOTA: count.default(100_000),
  SANDBOX_NFC_ALLOWANCE: count.default(100_000),
  // The document allows both forms of the list of missing files.
  SANDBOX_MISSING_FILES: z.enum(['envelope', 'array'], 'must be "envelope" or "array"').default('envelope'),
  // Loaded only into an empty data directory, so that a new sandbox has something to show.
  SANDBOX_FIXTURES: z.enum(['on', 'off'], 'must be "on" or "off"').default('on'),
  // The vendor's names. A gateway reads the same variables, so the two cannot disagree.
  VENDOR_PATH: name.default('vendor'),
  VENDOR_PREFIX: name.default('vendor'),
  LOG_LEVEL: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`).default('info'),
});

/** The names of all variables that `readSettings` reads. */
export const variableNames = Object.keys(variables.shape);

/** The sandbox's settings, as read from the environment. */
export interface SandboxSettings {
  host: string;
  port: number;
  rpcPort: number;
  /** The origin of every URL that the sandbox hands out; undefined: the address at which it listens. */
  publicUrl: string | undefined;
  hashDelayMs: number;
  miningIntervalMs: number;
  indexLagMs: number;
  webhook: { url: string; key: string } | undefined;
  webhookAttempts: number;
  webhookBackoffMs: number;
  webhookTimeoutMs: number;
  /** The `type` of deliveries of failed issuances. */
  webhookFailureType: string;
  /** Files must be strictly smaller. */
  fileLimitBytes: number;
  hashLimitBytes: number;
  /** These two apply to licensed users without quotas of their own. */
  srrQuota: number;
  nfcAllowance: number;
  missingFiles: 'envelope' | 'array';
  /** Whether an empty data directory gets the seeded world. */
  fixtures: boolean;
  vendor: { path: string; prefix: string };
  logLevel: z.infer<typeof variables>['LOG_LEVEL'];
}

/** Lists all faults of the settings at once, each with its variable. */
export class SettingsError extends Error {
  readonly faults: string[];

  constructor(faults: string[]) {
    super(`The sandbox's settings cannot be used:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'SettingsError';
    this.faults = faults;
  }
}

/** Reads the settings from environment variables; `{}` gives the defaults. Throws `SettingsError`. */
export function readSettings(env: Record<string, string | undefined>): SandboxSettings {
  const faults: string[] = [];
  const read = withSecretFiles(env, ['SANDBOX_WEBHOOK_KEY'], faults);
  const present = Object.fromEntries(Object.entries(read).filter(([, value]) => value !== ''));
  const parsed = variables.safeParse(present);
  for (const { path, message } of parsed.error?.issues ?? []) faults.push(`${path.join('.')}: ${message}`);
  // A file that cannot be used has its own fault.
  const key = env[setBy(env, 'SANDBOX_WEBHOOK_KEY')];
  if ((present.SANDBOX_WEBHOOK_URL === undefined) !== !key)
    faults.push('SANDBOX_WEBHOOK_URL, SANDBOX_WEBHOOK_KEY: set both of them, or none');
  const { SANDBOX_PORT, SANDBOX_RPC_PORT } = parsed.data ?? {};
  // 0 means any free port, so two zeros do not collide.
  if (SANDBOX_PORT && SANDBOX_PORT === SANDBOX_RPC_PORT)
    faults.push(`SANDBOX_PORT, SANDBOX_RPC_PORT: each needs a port of its own, and both are ${SANDBOX_PORT}`);
  if (!parsed.success || faults.length > 0) throw new SettingsError(faults);
  const { data } = parsed;
  return {
    host: data.SANDBOX_HOST,
    port: data.SANDBOX_PORT,
    rpcPort: data.SANDBOX_RPC_PORT,
    publicUrl: data.SANDBOX_PUBLIC_URL,
    hashDelayMs: data.SANDBOX_HASH_DELAY_MS,
    miningIntervalMs: data.SANDBOX_MINING_INTERVAL_MS,
    indexLagMs: data.SANDBOX_INDEX_LAG_MS,
    webhook:
      data.SANDBOX_WEBHOOK_URL && data.SANDBOX_WEBHOOK_KEY
        ? { url: data.SANDBOX_WEBHOOK_URL, key: data.SANDBOX_WEBHOOK_KEY }
        : undefined,
    webhookAttempts: data.SANDBOX_WEBHOOK_ATTEMPTS,
    webhookBackoffMs: data.SANDBOX_WEBHOOK_BACKOFF_MS,
    webhookTimeoutMs: data.SANDBOX_WEBHOOK_TIMEOUT_MS,
    webhookFailureType: data.SANDBOX_WEBHOOK_FAILURE_TYPE,
    fileLimitBytes: data.SANDBOX_FILE_LIMIT_BYTES,
    hashLimitBytes: data.SANDBOX_HASH_LIMIT_BYTES,
    srrQuota: data.SANDBOX_SRR_QUOTA,
    nfcAllowance: data.SANDBOX_NFC_ALLOWANCE,
    missingFiles: data.SANDBOX_MISSING_FILES,
    fixtures: data.SANDBOX_FIXTURES === 'on',
    vendor: { path: data.VENDOR_PATH, prefix: data.VENDOR_PREFIX },
    logLevel: data.LOG_LEVEL,
  };
}
