import { StartError } from '@srr-gateway/common/start-error';
import { typoHints } from '@srr-gateway/common/typo-hints';
// Import only types here: the sandbox's code is loaded only without a live service.
import type { SandboxSettings } from '@srr-gateway/sandbox';
import {
  type Config,
  ConfigError,
  liveNames,
  loadConfig,
  type Secrets,
  variableNames,
} from '../config/config.ts';

/** Without this a misspelt or forgotten DATABASE_URL would be noticed only when the container's disk is gone. */
const embedded =
  'DATABASE_URL is not set, so everything is in DATA_DIR, in an embedded database for trying out: replicas cannot share it, and a power cut can lose acknowledged work. Set it in production.';

/** Clients would get links that work on this machine only, and nobody on it would notice. */
const unknownAddress =
  'PUBLIC_URL is not set, so links to files and pictures have the address at which this process listens. Set it to the address that callers use.';

/** All settings from the environment. */
export interface Settings {
  config: Config;
  secrets: Secrets;
  /** Absent with a live service. */
  sandbox: SandboxSettings | undefined;
  /** Probable mistakes, such as misspelt variables. */
  warnings: string[];
}

/**
 * Reads the gateway's settings and, without a live service, the sandbox's.
 * @throws ConfigError with the faults of both at once.
 */
export async function readSettings(env: NodeJS.ProcessEnv): Promise<Settings> {
  const faults: string[] = [];
  const gateway = withFaults(faults, () => loadConfig(env));
  const live = liveNames.some((name) => env[name]);
  const sandboxModule = live
    ? undefined
    : await import('@srr-gateway/sandbox/settings').catch(throwSandboxMissing);
  const sandbox = sandboxModule && withFaults(faults, () => sandboxModule.readSettings(env));
  if (gateway && sandbox) faults.push(...sharedPorts(gateway.config, sandbox));
  const warnings = typoHints(env, [...variableNames, ...(sandboxModule?.variableNames ?? [])]);
  // Show typo hints too: a missing variable is often a misspelt one.
  if (!gateway || faults.length > 0) throw new ConfigError([...new Set(faults), ...warnings]);
  if (live && gateway.secrets.databaseUrl === undefined) warnings.push(embedded);
  if (live && gateway.config.publicUrl === undefined) warnings.push(unknownAddress);
  return { ...gateway, sandbox, warnings };
}

/** Finds shared ports now: when they are opened, the error would blame another program. */
function sharedPorts({ port }: Config, { port: sandboxPort, rpcPort }: SandboxSettings): string[] {
  const others = [
    ['SANDBOX_PORT', sandboxPort],
    ['SANDBOX_RPC_PORT', rpcPort],
  ] as const;
  return others.flatMap(([name, other]) =>
    port === other && port !== 0 ? `PORT, ${name}: each needs a port of its own, and both are ${port}` : [],
  );
}

function withFaults<T>(faults: string[], read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const { faults: found } = error as { faults?: string[] };
    if (!found) throw error;
    faults.push(...found);
    return undefined;
  }
}

/**
 * Throws the error for an installation without the sandbox, such as the image: it has no development
 * packages.
 * @throws always
 */
export function throwSandboxMissing(cause: NodeJS.ErrnoException): never {
  if (cause.code !== 'ERR_MODULE_NOT_FOUND') throw cause;
  throw new StartError(
    `${liveNames.join(', ')}: missing. This installation has no sandbox to stand in for them: set all three,` +
      ' or install the development packages too (npm ci).',
    { cause },
  );
}
