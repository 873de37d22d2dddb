import type { Database } from '@srr-gateway/common/database/database';
import type { Logger } from '@srr-gateway/common/log';
import type { App } from '../app.ts';
import type { Config, Issuer, Secrets } from '../config/config.ts';
import { followIssuersFile } from '../config/issuers-file.ts';

export interface Run {
  config: Config;
  secrets: Secrets;
  opening: Promise<Database>;
  log: Logger;
  /** The parts to stop. Once it is disposed, a stop has happened and nothing new may start. */
  running: AsyncDisposableStack;
  /** Aborted when a stop is requested before the start is done. Then the ready message is not printed. */
  stopping: AbortSignal;
}

/** Registers the gateway's stop, and starts to watch the issuers file. */
export function handOver(app: App, { config, secrets, log, running }: Run): void {
  running.defer(() => app.stop());
  const { issuersFile } = config;
  if (issuersFile === undefined) return;
  const onChange = (issuers: Issuer[]) => app.replaceIssuers(issuers);
  running.defer(followIssuersFile(issuersFile, secrets.issuers, onChange, log));
}
