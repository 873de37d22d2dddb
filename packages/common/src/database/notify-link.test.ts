import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { Pool } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { silent } from '../../testing/database.ts';
import { openNotifyLink } from './notify-link.ts';

/** Messages of PostgreSQL's protocol. */
const authenticated = [0x52, 0, 0, 0, 8, 0, 0, 0, 0];
const completed = [0x43, 0, 0, 0, 5, 0];
const ready = [0x5a, 0, 0, 0, 5, 0x49];

it('a connection to a server that has stopped responding ends when it is closed', async () => {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    onTestFinished(() => void socket.destroy());
    socket
      .on('error', () => {})
      .once('data', () => {
        socket.write(Buffer.from([...authenticated, ...ready]));
        socket.on('data', (data) => {
          // It answers queries (Q), and not the end of the connection.
          if (data[0] === 0x51) socket.write(Buffer.from([...completed, ...ready]));
        });
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `postgres://gateway@127.0.0.1:${(server.address() as AddressInfo).port}/records`;
  const pool = { query: async () => {} } as never;
  const link = await openNotifyLink({ url, pool, channel: 'signals', log: silent }, () => {});
  await link.close();
  // Without the end, the channel would never open another connection.
  await link.ended;
});

const url = process.env.TEST_DATABASE_URL;

it.skipIf(url === undefined)('a connection that cannot listen is closed', async () => {
  const pool = new Pool({ connectionString: url });
  onTestFinished(() => pool.end());
  const name = `listener_${randomUUID()}`;
  const own = new URL(url as string);
  own.searchParams.set('application_name', name);
  const opening = openNotifyLink({ url: own.href, pool, channel: 'no"name', log: silent }, () => {});
  await expect(opening).rejects.toThrow('syntax');
  const sessions = async () =>
    (await pool.query('select from pg_stat_activity where application_name = $1', [name])).rowCount;
  // Or each new attempt would leave a session open.
  await expect.poll(sessions).toBe(0);
});
