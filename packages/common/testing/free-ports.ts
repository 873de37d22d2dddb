import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that systems give to connections and to servers on port 0: one of those could take it meanwhile.
 * Above 10080, which browsers and fetch refuse.
 */
const [lowest, highest] = [11_000, 32_767];

const given = new Set<number>();

/** Distinct ports that are free now, for a process that must have the same port after each restart. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = randomInt(lowest, highest + 1);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    ports.push(port);
  }
  return ports;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  const free = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  if (free) await new Promise((closed) => server.close(closed));
  return free;
}
