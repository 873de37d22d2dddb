import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { silent } from '@srr-gateway/common/testing/database';
import { expect, it, onTestFinished } from 'vitest';
import { GatewayResponse } from '../response.ts';
import { createRouter, requestListener } from '../server.ts';
import { uploadRoutes } from './uploads.ts';

it('a download whose reader stops reading is aborted, and so are those pipelined behind it', async () => {
  const opened: Readable[] = [];
  const byLink = async () => {
    const body = new Readable({ read: () => body.push(Buffer.alloc(1_000_000)) });
    opened.push(body);
    return { status: 200, headers: {}, body };
  };
  const routes = uploadRoutes({ uploads: { downloads: { byLink } } } as never, 100);
  const server = createServer({ ServerResponse: GatewayResponse });
  server.on(
    'request',
    requestListener(
      [
        createRouter(() => {
          throw new Error('not GraphQL');
        }, routes),
      ],
      silent,
    ),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const reader = connect((server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => {
    reader.destroy();
    server.close();
  });
  const request = 'GET /uploads/artwork/a.png?signature=x HTTP/1.1\r\nhost: x\r\n\r\n';
  reader
    .on('error', () => {})
    .pause()
    .write(request.repeat(3));
  await expect.poll(() => opened.map(({ destroyed }) => destroyed)).toEqual([true, true, true]);
});
