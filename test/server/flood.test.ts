import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, expect, it } from 'vitest';
import { type LoneGateway, startLoneGateway } from '../_util/lone-gateway.ts';

const slowConnections = 5_000;
const floodPerSecond = 200;
const floodSeconds = 5;

let gateway: LoneGateway | undefined;
const sockets: Socket[] = [];
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await gateway?.stop();
});

const ask = (url: string, address: string) =>
  fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: '{"query":"{ __typename sources { kind } }"}',
  });

it('5,000 stalled connections and a flood from one caller leave other callers served', async () => {
  gateway = await startLoneGateway({ RATE_LIMIT: '100', TRUSTED_PROXIES: '1' });
  const { address: url } = gateway;
  const port = Number(new URL(url).port);
  // A hundred at a time, because the queue of pending connections is short.
  while (sockets.length < slowConnections) {
    const more = Array.from({ length: 100 }, () => connect(port, '127.0.0.1'));
    for (const socket of more) socket.on('error', () => {}).resume();
    sockets.push(...more);
    await Promise.all(more.map((socket) => once(socket, 'connect')));
    // Half of them stall within their headers, half within their bodies.
    for (const [n, socket] of more.entries())
      socket.write(
        n % 2 === 0
          ? 'POST /graphql HTTP/1.1\r\nhost: x\r\n'
          : 'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{',
      );
  }

  const statuses: number[] = [];
  const served: number[] = [];
  for (let second = 0; second < floodSeconds; second++) {
    const flood = Array.from({ length: floodPerSecond }, async () => {
      statuses.push((await ask(url, '192.0.2.66')).status);
    });
    // Other callers send requests during the flood.
    for (let n = 0; n < 10; n++) {
      const startedAt = performance.now();
      const answer = await ask(url, `192.0.2.${n}`);
      expect(answer.status).toBe(200);
      served.push(performance.now() - startedAt);
    }
    await Promise.all(flood);
  }
  const refused = statuses.filter((status) => status === 429).length;
  // A new minute may begin meanwhile, and with it a new budget.
  expect(refused).toBeGreaterThanOrEqual(statuses.length - 200);

  // The header time-out closes the connections that stall within their headers.
  await expect
    .poll(() => sockets.filter((socket) => socket.destroyed || socket.readyState !== 'open').length, {
      timeout: 50_000,
    })
    .toBeGreaterThanOrEqual(slowConnections / 2);

  const sorted = served.toSorted((a, b) => a - b);
  const at = (part: number) => (sorted[Math.floor((sorted.length - 1) * part)] ?? 0).toFixed(0);
  console.log(
    `${slowConnections} slow connections, ${statuses.length} requests of one caller: ${refused} of them refused; ` +
      `${served.length} others served, median ${at(0.5)} ms, slowest ${at(1)} ms`,
  );
  expect(Number(at(0.5))).toBeLessThan(1_000);
}, 180_000);
