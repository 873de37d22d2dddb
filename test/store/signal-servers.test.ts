import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '@srr-gateway/common/database/open-database';
import { silent, testDatabase } from '@srr-gateway/common/testing/database';
import { type DebianServer, debianServer, missing } from '@srr-gateway/common/testing/debian-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Signals } from '../../src/store/signals.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { capturedLog } from '../_util/captured-log.ts';

const password = 'a/password&of-signals';

const directory = mkdtempSync(join(tmpdir(), 'signal-servers-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** The access rights of a user of Redis. */
const rights = (user: string) =>
  user === 'u' ? ['+@all', '&*'] : ['+@all', '&*', user === 'reader' ? '-publish' : '-subscribe'];

const servers = [
  {
    name: 'NATS',
    program: 'nats-server',
    schemes: ['nats', 'tls'],
    argumentsFor: (port: number) => {
      const settings = join(directory, 'nats.conf');
      const users = [
        { user: 'u', password },
        { user: 'reader', password, permissions: { publish: { deny: '>' } } },
        { user: 'writer', password, permissions: { subscribe: { deny: '>' } } },
      ];
      writeFileSync(settings, `listen: "127.0.0.1:${port}"\nauthorization: ${JSON.stringify({ users })}\n`);
      return ['-c', settings];
    },
  },
  {
    name: 'Redis or Valkey',
    program: 'redis-server',
    schemes: ['valkey', 'rediss'],
    argumentsFor: (port: number) => [
      ...['--bind', '127.0.0.1', '--port', `${port}`, '--save', ''],
      ...['u', 'reader', 'writer'].flatMap((user) => ['--user', user, 'on', `>${password}`, ...rights(user)]),
    ],
  },
];

/** A replica, and the number of its wake-ups for one key. */
interface Replica {
  store: Store;
  woken(): number;
}

for (const { name, program, schemes, argumentsFor } of servers)
  describe.skipIf(missing(program))(`signals over ${name}${missing(program)}`, () => {
    let server: DebianServer;
    let test: Awaited<ReturnType<typeof testDatabase>>;
    const running = new AsyncDisposableStack();
    const key = 'x';

    beforeAll(async () => {
      server = await debianServer(program, argumentsFor);
      running.defer(() => server.stop());
      await server.start();
      test = await testDatabase();
      running.defer(() => test.drop());
    });
    afterAll(() => running.disposeAsync());

    const [scheme, encrypted] = schemes as [string, string];
    const url = (secret = password, by = scheme, user = 'u') =>
      `${by}://${user}:${encodeURIComponent(secret)}@127.0.0.1:${server.port}`;

    /** Another replica of a store. On the embedded database all replicas share its handle. */
    async function replica(at = url(), log = silent, of = test): Promise<Replica> {
      const own = of.url ? await openDatabase({ url: of.url, dataDir: '' }, silent) : undefined;
      running.defer(async () => own?.close());
      const store = await openStore(own ?? of.database, { url: at, log });
      running.defer(() => store.close());
      let woken = 0;
      store.signals.on('events', key, () => woken++);
      return { store, woken: () => woken };
    }

    /** A replica that is connected, and has woken its waiters once in case they missed a signal. */
    async function connected(log = silent, of = test): Promise<Replica> {
      const one = await replica(url(), log, of);
      await expect.poll(one.woken).toBe(1);
      return one;
    }

    const send = ({ store }: Replica) => Signals.send(store.db, 'events', key);

    it('wake this and the other replica once each, and no replica of another database', async () => {
      const another = await testDatabase();
      running.defer(() => another.drop());
      const [one, two] = [await connected(), await connected()];
      const stranger = await connected(silent, another);
      for (let i = 1; i <= 3; i++) {
        await send(one);
        await expect.poll(two.woken).toBe(2 * i);
        await send(two);
        await expect.poll(one.woken).toBe(1 + 2 * i);
        expect(two.woken()).toBe(1 + 2 * i);
      }
      expect(stranger.woken()).toBe(1);
    });

    it('arrive again after an outage of the server, and waiters are woken once more', async () => {
      const { log, lines, text } = capturedLog();
      const [one, two] = [await connected(), await connected(log)];
      await server.stop();
      await expect.poll(() => lines().filter(({ level }) => level === 40).length).toBe(1);
      expect(lines()[0]?.msg).toBe(
        `SIGNALS_URL: no connection to 127.0.0.1:${server.port}; work and events are found by polling until there is one`,
      );
      await send(one);
      expect([one.woken(), two.woken()]).toEqual([2, 1]);
      await server.start();
      await expect.poll(() => [one.woken(), two.woken()]).toEqual([3, 2]);
      await send(one);
      await expect.poll(two.woken).toBe(3);
      expect(lines().filter(({ level }) => level === 40)).toHaveLength(1);
      expect(text()).not.toContain('password');
    });

    it('do not delay a start while the server is down, and arrive once it is up', async () => {
      await server.stop();
      const { log, text } = capturedLog();
      const [one, two] = [await replica(), await replica(url(), log)];
      await expect.poll(text).toContain('SIGNALS_URL: no connection to');
      let ticks = 0;
      const stop = new AbortController();
      const polling = (async () => {
        for await (const _ of two.store.signals.ticks('events', key, stop.signal, 50)) ticks++;
      })();
      await expect.poll(() => ticks).toBeGreaterThan(3);
      stop.abort();
      await polling;
      expect(two.woken()).toBe(0);
      await server.start();
      await expect.poll(() => [one.woken(), two.woken()]).toEqual([1, 1]);
      await send(one);
      await expect.poll(two.woken).toBe(2);
    });

    it.each([
      ['a wrong password', () => url('another-password')],
      ['an encrypted address of a server without TLS', () => url(password, encrypted)],
      ['a user who may not subscribe', () => url(password, scheme, 'writer')],
      ['a user who may not publish', () => url(password, scheme, 'reader')],
    ])('fail with %s, and the log has the reason without the password', async (_what, at) => {
      const { log, text } = capturedLog();
      const [one, two] = [await connected(), await replica(at(), log)];
      const output = async () => {
        await send(two);
        return text();
      };
      await expect.poll(output).toContain(`no connection to 127.0.0.1:${server.port}`);
      expect(one.woken()).toBe(1);
      expect(text()).not.toMatch(/password(?! pair)/);
      expect(text()).not.toContain(encodeURIComponent(password));
      expect(text()).not.toContain('Connection is closed');
    });
  });
