import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Only passes deliveries on, without GraphQL, event log or authorization: the limit of what Node can do. */
const subscribers = new Set<ServerResponse>();
let id = 0;

const server = createServer((req, res) => {
  if (req.method === 'POST' && req.url === '/hook') {
    const pieces: Buffer[] = [];
    req.on('data', (piece: Buffer) => pieces.push(piece));
    req.on('end', () => {
      const { data } = JSON.parse(Buffer.concat(pieces).toString()) as { data: object[] };
      for (const entry of data) {
        const message = Buffer.from(`id: ${++id}\ndata: ${JSON.stringify(entry)}\n\n`);
        for (const subscriber of subscribers) subscriber.write(message);
      }
      res.end('{}');
    });
    return;
  }
  req.resume();
  res.writeHead(200, { 'content-type': 'text/event-stream' }).write('\n\n');
  subscribers.add(res);
  res.on('close', () => subscribers.delete(res));
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
