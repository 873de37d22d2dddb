import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { debianServer } from './debian-server.ts';

/** A PgBouncer in transaction mode. */
export interface Pooler {
  /** The address of a database through PgBouncer, from its direct address. */
  through(directUrl: string): string;
  stop(): Promise<void>;
}

/** So few that clients share them: each transaction of a client may run in another session. */
const serverConnections = 3;

/** Starts PgBouncer, from Debian's package, in front of the server at `serverUrl`. */
export async function startPgBouncer(serverUrl: string): Promise<Pooler> {
  const { hostname, port, username } = new URL(serverUrl);
  // Not in the run's temporary directory, which the user postgres may not read.
  const directory = await mkdtemp('/tmp/pgbouncer-');
  await chmod(directory, 0o755);
  const settings = join(directory, 'pgbouncer.ini');
  const users = join(directory, 'users.txt');
  const server = await debianServer('pgbouncer', () => [settings], { asPostgres: true });
  await writeFile(users, `"${username}" ""\n`);
  await writeFile(
    settings,
    `[databases]
* = host=${hostname} port=${port || 5432}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${server.port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${serverConnections}
`,
  );
  await server.start();
  return {
    through: (directUrl) => {
      const url = new URL(directUrl);
      url.host = `127.0.0.1:${server.port}`;
      return url.href;
    },
    stop: async () => {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
