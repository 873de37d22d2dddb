import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** The direction in which packets are lost: from the client to the server, or back. */
export type Direction = 'requests' | 'answers';

/** An address in front of one server on loopback, like that of a failover pair; its network can fail. */
export interface Forwarder extends AsyncDisposable {
  port: number;
  /** Sets the port for new connections, and breaks the open ones. Undefined: refuses new connections. */
  lead(to: number | undefined): void;
  /**
   * Forwards nothing in this direction, not even the end of a connection, and closes none, so that the sender
   * notices nothing. `heal` forwards the data that has waited, as TCP does.
   */
  cut(direction: Direction): void;
  heal(): void;
}

interface Pair {
  requests: [from: Socket, to: Socket];
  answers: [from: Socket, to: Socket];
}

export async function forwarder(target: number): Promise<Forwarder> {
  let port: number | undefined = target;
  let broken: Direction | undefined;
  const pairs = new Set<Pair>();

  const forward = ([from, to]: [Socket, Socket]) => {
    if (from.destroyed) to.destroy();
    else from.pipe(to);
  };
  const server = createServer((client) => {
    if (port === undefined) return void client.destroy();
    const upstream = connect(port, '127.0.0.1');
    const pair: Pair = { requests: [client, upstream], answers: [upstream, client] };
    pairs.add(pair);
    for (const direction of ['requests', 'answers'] as const) {
      const [from, to] = pair[direction];
      from.on('error', () => {});
      from.on('close', () => {
        if (direction !== broken) to.destroy();
        if (from.destroyed && to.destroyed) pairs.delete(pair);
      });
      if (direction !== broken) forward(pair[direction]);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const breakAll = () => {
    for (const { requests } of pairs) for (const socket of requests) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    lead(to) {
      port = to;
      breakAll();
    },
    cut(direction) {
      broken = direction;
      for (const pair of pairs) {
        const [from, to] = pair[direction];
        from.unpipe(to).pause();
      }
    },
    heal() {
      const healed = broken;
      broken = undefined;
      if (healed) for (const pair of pairs) forward(pair[healed]);
    },
    async [Symbol.asyncDispose]() {
      broken = undefined;
      breakAll();
      server.close();
      await once(server, 'close');
    },
  };
}
