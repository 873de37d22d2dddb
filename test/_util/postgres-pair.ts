import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '@srr-gateway/common/testing/free-ports';
import { Client } from 'pg';
import { addressOf, createDatabase, postgresHome } from './postgres-server.ts';

/** A primary PostgreSQL, and a standby that has each transaction before it counts as committed. */
export interface PostgresPair extends AsyncDisposable {
  primary: number;
  standby: number;
  /** Creates an empty database, and returns its name. */
  createDatabase(): Promise<string>;
  /** Sends SIGKILL to every process of the primary. */
  killPrimary(): Promise<void>;
  /** Promotes the standby, and returns when it accepts writes. */
  promote(): Promise<void>;
}

export async function postgresPair(): Promise<PostgresPair> {
  const home = await postgresHome();
  const [primary, standby] = (await freePorts(2)) as [number, number];
  const [first, second] = [join(home.directory, 'first'), join(home.directory, 'second')];
  await home.initialise(first);
  await home.start(first, primary);
  await home.run('pg_basebackup', '-D', second, '-d', addressOf(primary, 'postgres'), '-R', '-c', 'fast');
  await home.start(second, standby, '-c cluster_name=standby');
  const client = new Client({ connectionString: addressOf(primary, 'postgres') });
  await client.connect();
  // This is set after the copy, so that the standby does not wait for a standby of its own.
  await client.query(`alter system set synchronous_standby_names = 'standby'`);
  await client.query('select pg_reload_conf()');
  for (;;) {
    const { rows } = await client.query(`select from pg_stat_replication where sync_state = 'sync'`);
    if (rows.length > 0) break;
    await sleep(50);
  }
  await client.end();
  let killed = false;
  return {
    primary,
    standby,
    createDatabase: async () => new URL(await createDatabase(primary)).pathname.slice(1),
    async killPrimary() {
      const [line] = (await readFile(join(first, 'postmaster.pid'), 'utf8')).split('\n');
      const children = await readFile(`/proc/${line}/task/${line}/children`, 'utf8');
      // The postmaster comes first, because it would start the others again.
      for (const pid of [line, ...children.trim().split(' ')]) process.kill(Number(pid), 'SIGKILL');
      killed = true;
    },
    promote: () => home.control(second, 'promote'),
    async [Symbol.asyncDispose]() {
      if (!killed) await home.control(first, '-m', 'immediate', 'stop');
      await home.control(second, '-m', 'immediate', 'stop');
      await home.remove();
    },
  };
}
