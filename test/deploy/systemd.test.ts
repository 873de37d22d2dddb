import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { missing } from '@srr-gateway/common/testing/debian-server';
import { freePorts } from '@srr-gateway/common/testing/free-ports';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config/config.ts';
import { gatewayProcess, project } from '../_util/gateway-process.ts';
import { closedPort } from '../_util/http-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'systemd-'));
afterAll(() => rmSync(folder, { recursive: true }));
const read = (name: string) => readFileSync(join(project, 'deploy/systemd', name), 'utf8');

const unit = read('srr-gateway@.service').replaceAll('/opt/srr-gateway', project);
/** The values of a setting of the unit, for the instance of this port. */
const values = (name: string, port: number) =>
  [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) =>
    value.replaceAll('%i', String(port)).replaceAll('%S', folder),
  );

/** The settings of the replicas, with their secrets in the folder of this test. */
const settings = parseEnv(read('env').replaceAll('/etc/srr-gateway/secrets', folder)) as Record<
  string,
  string
>;
for (const [name, text] of Object.entries({
  'database-url': 'postgres://gateway@db.example/gateway',
  'secrets-key': Buffer.alloc(32).toString('base64'),
  'metrics-token': 'a-metrics-token',
  'issuers.json': '[]',
}))
  writeFileSync(join(folder, name), text);

describe('the unit of deploy/systemd', () => {
  const lacking = missing('systemd-analyze');
  it.skipIf(lacking)(`is valid for systemd${lacking}`, () => {
    const verify = (text: string) => {
      const file = join(folder, 'srr-gateway@.service');
      writeFileSync(file, text);
      const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
      return stdout + stderr;
    };
    expect(verify(unit)).toBe('');
    expect(verify(unit.replace('KillMode', 'KillMod'))).toMatch(/Unknown key.*'KillMod'/);
  });

  it('has valid settings for the gateway, and waits for its drain', () => {
    const { config, secrets } = loadConfig(settings);
    expect(secrets.metricsToken).toBe('a-metrics-token');
    const [seconds] = values('TimeoutStopSec', 0).map(Number);
    expect(seconds).toBeGreaterThanOrEqual(config.timeouts.drain / 1000 + 5);
  });

  it('starts a replica on its port, and stops it', async () => {
    const [port = 0] = await freePorts(1);
    const [command, ...parameters] = values('ExecStart', port).flatMap((line) => line.split(' '));
    expect([command, parameters.at(-1)]).toEqual([join(project, 'node_modules/.bin/node'), 'src/main.ts']);
    const variables = values('Environment', port).flatMap((line) => line.split(' '));
    expect(parseEnv(variables.join('\n')).IPFS_CACHE_DIR).toBe(
      join(folder, ...values('StateDirectory', port)),
    );
    const nowhere = await closedPort();
    const upstreams = { COMMERCE_URL: nowhere, SUBGRAPH_URL: nowhere, IPFS_GATEWAYS: nowhere };
    // The replica uses the database of this test, and the key that belongs to it.
    const own = { DATABASE_URL_FILE: '', SECRETS_KEY_FILE: '' };
    const replica = await gatewayProcess({
      env: { ...parseEnv(variables.join('\n')), ...settings, ...upstreams, ...own },
      nodeArguments: parameters.slice(0, -1),
    });
    onTestFinished(() => replica.remove());
    expect(new URL(replica.url).port).toBe(String(port));
    await replica.start();
    expect(await replica.stop('SIGTERM')).toBe(0);
  });
});
