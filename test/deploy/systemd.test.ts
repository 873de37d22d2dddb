import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { missing } from '@srr-gateway/common/testing/debian-server';
import { freePorts } from '@srr-gateway/common/testing/free-ports';
import { afterAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/config.ts';
import { project } from '../_util/gateway-process.ts';
import { closedPort } from '../_util/http-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'systemd-'));
afterAll(() => rmSync(folder, { recursive: true }));
const read = (name: string) => readFileSync(join(project, 'deploy/systemd', name), 'utf8');

const unit = read('srr-gateway@.service').replaceAll('/opt/srr-gateway', project);
/** The values of a setting of the unit, for one instance. */
const values = (name: string, port: number) =>
  [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) =>
    value.replaceAll('%i', String(port)).replaceAll('%S', folder),
  );

/** The settings of the replicas, with their secrets in the test's folder. */
const settings = parseEnv(read('env').replaceAll('/etc/srr-gateway/secrets', folder)) as Record<
  string,
  string
>;
for (const [name, text] of Object.entries({
  'database-url': process.env.TEST_DATABASE_URL ?? 'postgres://gateway@db.example/gateway',
  'secrets-key': Buffer.alloc(32).toString('base64'),
  'metrics-token': 'a-metrics-token',
  'issuers.json': '[]',
}))
  writeFileSync(join(folder, name), text);

describe('the unit of deploy/systemd', () => {
  const lacking = missing('systemd-analyze');
  it.skipIf(lacking)(`is one that systemd takes whole${lacking}`, () => {
    const verify = (text: string) => {
      const file = join(folder, 'srr-gateway@.service');
      writeFileSync(file, text);
      const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
      return stdout + stderr;
    };
    expect(verify(unit)).toBe('');
    expect(verify(unit.replace('KillMode', 'KillMod'))).toMatch(/Unknown key.*'KillMod'/);
  });

  it('has settings that the gateway takes, and waits for its drain', () => {
    const { config, secrets } = loadConfig(settings);
    expect(secrets.metricsToken).toBe('a-metrics-token');
    const [seconds] = values('TimeoutStopSec', 0).map(Number);
    expect(seconds).toBeGreaterThanOrEqual(config.timeouts.drain / 1000 + 5);
  });

  it('starts a replica at its port, and stops it', async () => {
    const [port = 0] = await freePorts(1);
    const nowhere = await closedPort();
    const given = values('Environment', port).flatMap((line) => line.split(' '));
    const env: Record<string, string> = {
      ...(parseEnv(given.join('\n')) as Record<string, string>),
      ...settings,
      COMMERCE_URL: nowhere,
      SUBGRAPH_URL: nowhere,
      IPFS_GATEWAYS: nowhere,
    };
    // The embedded database, in the directory of the unit.
    if (!process.env.TEST_DATABASE_URL) delete env.DATABASE_URL_FILE;
    const [command = '', ...parameters] = values('ExecStart', port).flatMap((line) => line.split(' '));
    const replica = spawn(command, parameters, { cwd: values('WorkingDirectory', port)[0], env });
    const closed = once(replica, 'close');
    let printed = '';
    for (const stream of [replica.stdout, replica.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
      });
    const ready = () =>
      fetch(`http://127.0.0.1:${port}/health/ready`).then(
        ({ status }) => status,
        () => printed,
      );
    await expect.poll(ready, { timeout: 40_000 }).toBe(200);
    replica.kill('SIGTERM');
    expect(await closed).toEqual([0, null]);
  });
});
