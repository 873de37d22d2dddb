import { envSchema } from './env.ts';
import { fromEnv } from './from-env.ts';
import { issuerFaults } from './issuers.ts';
import { readIssuersFile } from './issuers-file.ts';
import { faultsBetween } from './rules.ts';
import { readTrustedDocuments } from './trusted-documents.ts';
import type { Config, Secrets } from './types.ts';

export type { Issuer } from './issuers.ts';
export { liveNames } from './rules.ts';
export type { Config, JwtConfig, QueryLimits, Secrets, TraceConfig, Upstreams } from './types.ts';

/** Every variable that the gateway reads. */
export const variableNames = Object.keys(envSchema.shape);

/** All faults of a configuration at once, each with the name of its variable. */
export class ConfigError extends Error {
  readonly faults: string[];

  constructor(faults: string[]) {
    super(`The configuration cannot be used:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

/**
 * Reads the configuration once. An empty variable counts as absent, because container tools set such ones.
 * @throws ConfigError with all faults at once.
 */
export function loadConfig(variables: Record<string, string | undefined>): {
  config: Config;
  secrets: Secrets;
} {
  const present = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
  const parsed = envSchema.safeParse(present);
  const faults = parsed.success
    ? []
    : parsed.error.issues.flatMap(({ path, message }) => {
        const [name, ...place] = path;
        const given = name === 'ISSUERS' ? jsonIn(present.ISSUERS) : undefined;
        return issuerFaults(String(name), [{ path: place, message }], given);
      });
  faults.push(...faultsBetween(present));
  const files = {
    issuers: present.ISSUERS_FILE === undefined ? undefined : readIssuersFile(present.ISSUERS_FILE, faults),
    trustedDocuments: readTrustedDocuments(present.TRUSTED_DOCUMENTS_FILE, faults),
  };
  if (!parsed.success || faults.length > 0) throw new ConfigError(faults);
  return fromEnv(parsed.data, files);
}

function jsonIn(text = ''): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
