import { setBy, withSecretFiles } from '@srr-gateway/common/secret-files';
import { envSchema, secretNames } from './env.ts';
import { type Config, fromEnv, type Secrets } from './from-env.ts';
import { issuerFaults } from './issuers.ts';
import { readIssuersFile } from './issuers-file.ts';
import { readTrustedDocuments } from './trusted-documents.ts';

export type {
  Config,
  JwtConfig,
  QueryLimits,
  Secrets,
  Upstreams,
  WebhookConfig,
} from './from-env.ts';
export type { ConfiguredEndpoint, Issuer } from './issuers.ts';

/** All variables that the gateway reads. */
export const variableNames = Object.keys(envSchema.shape);

/** Set all of them for a live service, or none for the sandbox. */
export const liveNames = ['COMMERCE_URL', 'SUBGRAPH_URL', 'IPFS_GATEWAYS'] as const;

/** All three are needed to verify a JWT. */
const jwtNames = ['JWT_JWKS_URL', 'JWT_ISSUER', 'JWT_AUDIENCE'] as const;

/** All faults of a configuration, each with the name of its variable. */
export class ConfigError extends Error {
  readonly faults: string[];

  constructor(faults: string[]) {
    super(`The configuration cannot be used:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

/**
 * Reads the configuration once. An empty variable counts as absent, because container tools set empty ones.
 * @throws ConfigError with all faults at once.
 */
export function loadConfig(variables: Record<string, string | undefined>): {
  config: Config;
  secrets: Secrets;
} {
  const faults: string[] = [];
  const read = withSecretFiles(variables, secretNames, faults);
  const present = Object.fromEntries(Object.entries(read).filter(([, value]) => value !== ''));
  const parsed = envSchema.safeParse(present);
  for (const { path, message } of parsed.error?.issues ?? []) {
    const [name, ...place] = path;
    const content = name === 'ISSUERS' ? parseJson(present.ISSUERS) : undefined;
    faults.push(...issuerFaults(setBy(variables, String(name)), [{ path: place, message }], content));
  }
  faults.push(...crossFaults(present));
  const files = {
    issuers: present.ISSUERS_FILE === undefined ? undefined : readIssuersFile(present.ISSUERS_FILE, faults),
    trustedDocuments: readTrustedDocuments(present.TRUSTED_DOCUMENTS_FILE, faults),
  };
  if (!parsed.success || faults.length > 0) throw new ConfigError(faults);
  return fromEnv(parsed.data, files);
}

function parseJson(text = ''): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The faults of rules that are about several variables. */
function crossFaults(env: Record<string, string | undefined>): string[] {
  const has = (name: string) => env[name] !== undefined;
  const missing = liveNames.filter((name) => !has(name));
  const missingJwt = jwtNames.filter((name) => !has(name));
  const nobodyIssues = !has('ISSUERS') && !has('ISSUERS_FILE') && env.PASSTHROUGH === 'off';
  // An unusable file is reported separately.
  const hasKey = has('SECRETS_KEY') || has('SECRETS_KEY_FILE');
  const rules: [isBroken: boolean, fault: string][] = [
    [
      missing.length > 0 && missing.length < liveNames.length,
      `${missing.join(', ')}: missing. Set all of ${liveNames.join(', ')} for a live service, or none for the sandbox`,
    ],
    [
      missing.length === 0 && nobodyIssues,
      'ISSUERS: missing. With PASSTHROUGH=off and without issuers no caller could issue anything. Set ISSUERS or ISSUERS_FILE, or PASSTHROUGH=on',
    ],
    [has('ISSUERS') && has('ISSUERS_FILE'), 'ISSUERS, ISSUERS_FILE: set one of them, not both'],
    [
      missingJwt.length > 0 && missingJwt.length < jwtNames.length,
      `${missingJwt.join(', ')}: missing. Set all of ${jwtNames.join(', ')} for sign-in tokens, or none`,
    ],
    [
      has('DATABASE_DIRECT_URL') && !has('DATABASE_URL'),
      'DATABASE_DIRECT_URL: set DATABASE_URL too; without a pooler, set that one alone',
    ],
    [
      has('CDN_PURGE_HEADERS') && !has('CDN_PURGE_URL'),
      'CDN_PURGE_HEADERS: set CDN_PURGE_URL too; without it nothing is purged',
    ],
    [
      has('DATABASE_URL') && !hasKey,
      'SECRETS_KEY: missing. Replicas that share DATABASE_URL need one key (openssl rand -base64 32)',
    ],
  ];
  return rules.flatMap(([isBroken, fault]) => (isBroken ? fault : []));
}
