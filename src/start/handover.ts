import type { Database } from '@srr-gateway/common/database/database';
import type { Logger } from '@srr-gateway/common/log';
import type { App } from '../app.ts';
import type { Config, Secrets } from '../config/config.ts';
import { followIssuersFile } from '../config/issuers-file.ts';

/** A start on its way. */
export interface Run {
  config: Config;
  secrets: Secrets;
  opening: Promise<Database>;
  log: Logger;
  /** Gets what a stop has to end. Disposed: it was stopped meanwhile, and nothing new may begin. */
  running: AsyncDisposableStack;
  /** Aborted by who asks for a stop before it is done: nobody is told any more that it is ready. */
  stopping: AbortSignal;
}

/** Hands a gateway that listens over to the stop, and its issuers' file to be followed. */
export function handOver(app: App, { config, log, running }: Run): void {
  running.defer(() => app.stop());
  if (config.issuersFile === undefined) return;
  running.defer(followIssuersFile(config.issuersFile, (issuers) => app.replaceIssuers(issuers), log));
}
