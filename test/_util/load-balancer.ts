import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** One address in front of several servers on loopback; a connection that one refuses goes to the next. */
export interface LoadBalancer {
  url: string;
  /** Resets connections of clients (TCP RST), those that are picked. */
  reset(pick: () => boolean): void;
  close(): Promise<void>;
}

export async function loadBalancer(ports: number[]): Promise<LoadBalancer> {
  let turn = 0;
  const clients = new Set<Socket>();
  const server = createServer((client) => {
    clients.add(client);
    client.on('close', () => clients.delete(client));
    pass(client, ports.length);
  });

  function pass(client: Socket, untried: number): void {
    const upstream = connect(ports[turn++ % ports.length] as number, '127.0.0.1');
    const next = () => (untried > 1 ? pass(client, untried - 1) : client.destroy());
    upstream.once('error', next);
    upstream.once('connect', () => {
      upstream.off('error', next).on('error', () => {});
      // A server that dies takes its connections along, and its clients must hear of it.
      upstream.on('close', () => client.destroy());
      client.pipe(upstream).pipe(client);
    });
    client.on('error', () => {}).on('close', () => upstream.destroy());
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    reset: (pick) => {
      for (const client of clients) if (pick()) client.resetAndDestroy();
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const client of clients) client.destroy();
      await closed;
    },
  };
}
