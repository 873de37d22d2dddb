import type { Database } from '@srr-gateway/common/database/database';
import type { Logger } from '@srr-gateway/common/log';
import type { App } from '../app.ts';
import type { Config, Secrets } from '../config/config.ts';
import { followIssuersFile } from '../config/issuers-file.ts';

/** A start that is under way. */
export interface Run {
  config: Config;
  secrets: Secrets;
  opening: Promise<Database>;
  log: Logger;
  /** Collects what a stop has to end. Once it is disposed, a stop has happened and nothing new may begin. */
  running: AsyncDisposableStack;
  /** Aborted when a stop is requested before the start is done: readiness is not announced any more. */
  stopping: AbortSignal;
}

/** Registers a listening gateway to be stopped, and follows its issuers file. */
export function handOver(app: App, { config, log, running }: Run): void {
  running.defer(() => app.stop());
  if (config.issuersFile === undefined) return;
  running.defer(followIssuersFile(config.issuersFile, (issuers) => app.replaceIssuers(issuers), log));
}
