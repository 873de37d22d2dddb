import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The fault of a request: its body breaks off, its answer is lost, or it is refused. */
export type Mishap = 'cut' | 'lose' | { status: number; headers?: Record<string, string>; body?: string };

export interface FaultyProxy {
  url: string;
  /** Each request received, as `METHOD path`. */
  seen: string[];
  /** Injects the fault into the next request that `hits` matches, once. */
  next(hits: (req: IncomingMessage, body: string) => boolean, mishap: Mishap): void;
  close(): Promise<void>;
}

/** A proxy in front of a server on loopback that injects faults. */
export async function faultyProxy(target: string): Promise<FaultyProxy> {
  const seen: string[] = [];
  let planned: { hits: (req: IncomingMessage, body: string) => boolean; mishap: Mishap }[] = [];
  const server = createServer(async (req, res) => {
    seen.push(`${req.method} ${req.url}`);
    // Read the body first only for GraphQL, whose document `hits` looks at: a large body must be cut in transit.
    const isText = req.headers['content-type']?.includes('json');
    const body = isText ? Buffer.concat(await req.toArray()) : undefined;
    const plan = planned.find(({ hits }) => hits(req, body?.toString() ?? ''));
    planned = planned.filter((one) => one !== plan);
    const mishap = plan?.mishap;
    if (mishap === 'cut') return void req.once('data', () => req.socket.resetAndDestroy());
    if (typeof mishap === 'object') return void res.writeHead(mishap.status, mishap.headers).end(mishap.body);
    const passed = request(new URL(req.url ?? '', target), { method: req.method, headers: req.headers });
    passed.on('error', () => res.destroy());
    passed.on('response', (answer) => {
      if (mishap === 'lose') return void answer.resume().once('end', () => req.socket.resetAndDestroy());
      res.writeHead(answer.statusCode ?? 0, answer.headers).flushHeaders();
      answer.on('error', () => res.destroy()).pipe(res);
      res.on('close', () => passed.destroy());
    });
    if (body) passed.end(body);
    else req.on('error', () => passed.destroy()).pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    next: (hits, mishap) => planned.push({ hits, mishap }),
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
