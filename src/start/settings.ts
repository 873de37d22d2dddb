import { StartError } from '@srr-gateway/common/start-error';
import { typoHints } from '@srr-gateway/common/typo-hints';
// A type only: the sandbox's code is loaded when nothing else stands behind the gateway.
import type { SandboxSettings } from '@srr-gateway/sandbox';
import {
  type Config,
  ConfigError,
  liveNames,
  loadConfig,
  type Secrets,
  variableNames,
} from '../config/config.ts';

export interface Settings {
  config: Config;
  secrets: Secrets;
  /** Absent with a live service behind the gateway. */
  sandbox: SandboxSettings | undefined;
  /** What is no fault, and probably not meant so. */
  warnings: string[];
}

/** The gateway's settings and, when it stands in, the sandbox's: every fault of both at once. */
export async function readSettings(env: NodeJS.ProcessEnv): Promise<Settings> {
  const faults: string[] = [];
  const gateway = withFaults(faults, () => loadConfig(env));
  const live = liveNames.some((name) => env[name]);
  const ofSandbox = live ? undefined : await import('@srr-gateway/sandbox/settings').catch(noSandboxHere);
  const sandbox = ofSandbox && withFaults(faults, () => ofSandbox.readSettings(env));
  if (gateway && sandbox) faults.push(...sharedPorts(gateway.config, sandbox));
  const warnings = typoHints(env, [...variableNames, ...(ofSandbox?.variableNames ?? [])]);
  // A name that is missing is often there in another spelling.
  if (!gateway || faults.length > 0) throw new ConfigError([...new Set(faults), ...warnings]);
  return { ...gateway, sandbox, warnings };
}

/** Found out when it listens, the gateway would speak of another program. */
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

/** The image and an installation without development packages have the gateway alone. */
export function noSandboxHere(cause: NodeJS.ErrnoException): never {
  if (cause.code !== 'ERR_MODULE_NOT_FOUND') throw cause;
  throw new StartError(
    `${liveNames.join(', ')}: missing. This installation has no sandbox to stand in for them: set all three,` +
      ' or install the development packages too (npm ci).',
    { cause },
  );
}
