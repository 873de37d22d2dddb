import { readFileSync } from 'node:fs';
import type { Server } from 'node:net';
import type { Logger } from '@srr-gateway/common/log';

/** For the database's pool, the connections to the sources, and the files of the caches. */
const ownFiles = 256;
/** A flood of callers is one line of the log each time. */
const reportMs = 5_000;

/** How many files and connections this process may have open; undefined where the system does not say. */
function maxOpenFiles(): number | undefined {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

/**
 * Keeps callers from taking the last file descriptors, which work under way needs for the database and the
 * service. Connections beyond the limit are closed at once, so that a balancer tries another replica.
 */
export function limitConnections(server: Server, log: Logger, maxOpen = maxOpenFiles()): void {
  if (maxOpen === undefined) return;
  server.maxConnections = Math.max(maxOpen - ownFiles, Math.floor(maxOpen / 2));
  let refused = 0;
  server.on('drop', () => {
    refused++;
    if (refused > 1) return;
    setTimeout(() => {
      log.warn(
        { refused, maxConnections: server.maxConnections, maxOpenFiles: maxOpen },
        'connections were refused: as many are open as the limit of open files allows (ulimit -n)',
      );
      refused = 0;
    }, reportMs).unref();
  });
}
