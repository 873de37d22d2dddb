import { globSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { retryingClient } from '../../_util/crash/client.ts';
import { startFleet } from '../../_util/crash/fleet.ts';
import { entry } from '../../_util/entries.ts';
import type { GatewayProcess } from '../../_util/gateway-process.ts';
import { postgresServer } from '../../_util/postgres-server.ts';

/** A small disk in a mount namespace of the gateway's own. */
const onSmallDisk = [
  ...['unshare', '--mount', 'sh', '-c'],
  'export IPFS_CACHE_DIR="$DATA_DIR/ipfs"; mkdir -p "$IPFS_CACHE_DIR"; mount -t tmpfs -o size=256k tmpfs "$IPFS_CACHE_DIR"; exec "$@"',
  'sh',
];

it('content is read while the disk of the IPFS cache is full, and cached when it has space', async () => {
  const server = await postgresServer();
  const fleet = await startFleet({
    databaseUrl: await server.createDatabase(),
    replica: () => ({ wrapper: onSmallDisk, env: { LOG_LEVEL: 'info' } }),
  });
  try {
    const gateway = fleet.replicas[0] as GatewayProcess;
    const disk = join(`/proc/${gateway.pid()}/root`, gateway.dataDir, 'ipfs');
    const cached = () => globSync('*.content', { cwd: disk }).length;
    const client = retryingClient(fleet.caller);
    const picture = await client.upload('picture.png');
    /** Issues a record, and reads its metadata for the first time. */
    const readNewOne = async (name: string): Promise<string> => {
      await client.issue(name, [entry(fleet.info, name, picture)]);
      expect((await client.finish(name)).status).toBe('COMPLETED');
      const { issuance } = await fleet.caller.data(
        `query ($name: String!) { issuance(requestId: $name) {
          entries { edges { node { srr { metadataStatus metadata { name } } } } } } }`,
        { name },
      );
      const { srr } = issuance.entries.edges[0].node;
      expect(srr).toEqual({ metadataStatus: 'VERIFIED', metadata: { name } });
      return name;
    };
    const full = () => gateway.output().match(/ENOSPC/g)?.length ?? 0;

    await readNewOne('with-space');
    await expect.poll(cached).toBeGreaterThan(0);
    const before = cached();
    fill(join(disk, 'filler'));
    for (let n = 0; n < 5; n++) await readNewOne(`without-space-${n}`);
    await expect.poll(full).toBe(1);
    expect(cached()).toBe(before);
    expect((await fetch(`${gateway.url}/health/ready`)).status).toBe(200);
    rmSync(join(disk, 'filler'));
    await readNewOne('with-space-again');
    await expect.poll(cached).toBeGreaterThan(before);
    fleet.expectNoExit();
    process.stdout.write(
      `\nThe disk of the IPFS cache is full: 5 of 5 new records read, ${full()} line in the log, ` +
        `${cached() - before} files cached once there is space\n\n`,
    );
  } finally {
    await fleet.stop();
    await server.remove();
  }
});

/** Fills the disk of the file. */
function fill(file: string): void {
  expect(() => {
    for (;;) writeFileSync(file, Buffer.alloc(4_096), { flag: 'a' });
  }).toThrow(/ENOSPC/);
}
