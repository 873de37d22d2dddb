import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A connection to a local port with a slow uplink, like that of a home, which can be cut. */
export interface CutProxy extends AsyncDisposable {
  /** Breaks every connection and refuses new ones for this long. */
  cut(ms: number): Promise<void>;
}

export async function cutProxy(from: number, to: number, upwardBytesPerSecond: number): Promise<CutProxy> {
  const open = new Set<Socket>();
  let down = false;
  const server = createServer((client) => {
    if (down) return void client.destroy();
    const upstream = connect(to, '127.0.0.1');
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    upstream.pipe(client);
    client.on('data', (bytes: Buffer) => {
      upstream.write(bytes);
      client.pause();
      setTimeout(() => client.resume(), (bytes.length / upwardBytesPerSecond) * 1000);
    });
    client.on('end', () => upstream.end());
  });
  server.listen(from, '127.0.0.1');
  await once(server, 'listening');
  const breakAll = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    async cut(ms) {
      down = true;
      breakAll();
      await sleep(ms);
      down = false;
    },
    async [Symbol.asyncDispose]() {
      breakAll();
      server.close();
      await once(server, 'close');
    },
  };
}
