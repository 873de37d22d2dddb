import { createServer, type Socket } from 'node:net';
import { Client, DatabaseError, Pool } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { closedPort } from '../../test/_util/http-server.ts';
import { databaseUnavailable } from './database-unavailable.ts';

const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

/** A server that does not speak PostgreSQL, but calls `handle` for each connection. */
async function server(handle: (socket: Socket) => void): Promise<number> {
  const listening = createServer(handle);
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void listening.close());
  const address = listening.address();
  return typeof address === 'object' && address ? address.port : 0;
}

describe('an unavailable database', () => {
  it('is recognised by a refused connection', async () => {
    const { port } = new URL(await closedPort());
    const pool = new Pool({ host: '127.0.0.1', port: Number(port) });
    const fault = databaseUnavailable(await errorOf(pool.query('select 1')));
    expect(fault?.code).toBe('UPSTREAM_UNAVAILABLE');
    await pool.end();
  });

  it('is recognised by a connection that breaks', async () => {
    const port = await server((socket) => socket.end());
    const error = await errorOf(new Client({ host: '127.0.0.1', port }).connect());
    expect(databaseUnavailable(error)?.code).toBe('UPSTREAM_UNAVAILABLE');
  });

  it('is recognised by a server that does not answer in time', async () => {
    const port = await server((socket) => void onTestFinished(() => void socket.destroy()));
    const pool = new Pool({ host: '127.0.0.1', port, connectionTimeoutMillis: 50 });
    expect(databaseUnavailable(await errorOf(pool.query('select 1')))?.code).toBe('UPSTREAM_UNAVAILABLE');
    await pool.end();
  });

  it.each([
    ['57P01', true],
    ['53300', true],
    ['28P01', true],
    ['3D000', true],
    ['57014', true],
    ['08006', true],
    ['40P01', true],
    ['53100', true],
    ['25006', true],
    ['25P03', true],
    ['55P03', true],
    ['EMFILE', true],
    ['42P01', false],
    ['23505', false],
    ['22021', false],
  ])('is distinguished from a faulty statement by its code: %s', (code, isUnavailable) => {
    const error = Object.assign(new DatabaseError('said by the server', 0, 'error'), { code });
    expect(databaseUnavailable(error) !== undefined).toBe(isUnavailable);
  });
});
