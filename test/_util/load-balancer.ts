import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** One address in front of several servers on loopback; a connection that one refuses goes to the next. */
export interface LoadBalancer {
  url: string;
  /** Resets the connections of clients (TCP RST) for which `pick` returns true. */
  reset(pick: () => boolean): void;
  /** Breaks connections to these servers and opens none, like a balancer whose probe fails; [] ends this. */
  leaveOut(ports: readonly number[]): void;
  close(): Promise<void>;
}

export async function loadBalancer(ports: number[]): Promise<LoadBalancer> {
  let turn = 0;
  let leftOut: readonly number[] = [];
  const clients = new Set<Socket>();
  const upstreams = new Map<Socket, number>();
  const server = createServer((client) => {
    clients.add(client);
    client.on('close', () => clients.delete(client));
    pass(client, ports.length);
  });

  function pass(client: Socket, untried: number): void {
    const port = ports[turn++ % ports.length] as number;
    const next = () => (untried > 1 ? pass(client, untried - 1) : client.destroy());
    if (leftOut.includes(port)) return void next();
    const upstream = connect(port, '127.0.0.1');
    upstreams.set(upstream, port);
    let connected = false;
    upstream.on('error', () => {});
    upstream.once('connect', () => {
      connected = true;
      client.pipe(upstream).pipe(client);
    });
    // The server refused, was left out during connect, or died; its client must see a closed connection.
    upstream.once('close', () => {
      upstreams.delete(upstream);
      if (connected) client.destroy();
      else if (!client.destroyed) next();
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
    leaveOut: (some) => {
      leftOut = some;
      for (const [upstream, port] of upstreams) if (some.includes(port)) upstream.destroy();
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const client of clients) client.destroy();
      await closed;
    },
  };
}
