// Sends a body without looking at the answer until all of it is out or the connection breaks, as many
// clients do. In a process of its own: beside the server it would only send while the server listens.
import { request } from 'node:http';

const { url, method, headers, bytes, times } = JSON.parse(process.argv[2] ?? '');

function send() {
  return new Promise((resolve) => {
    const sending = request(url, { method, headers, agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    });
    sending.on('error', (error) => resolve(error.code));
    const piece = Buffer.alloc(64 * 1024);
    let sent = 0;
    const go = () => {
      while (sent < bytes) {
        sent += piece.length;
        if (!sending.write(piece)) return sending.once('drain', go);
      }
      return sending.end();
    };
    go();
  });
}

const outcomes = [];
for (let i = 0; i < times; i++) outcomes.push(await send());
process.stdout.write(JSON.stringify(outcomes));
