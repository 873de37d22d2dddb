import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { variableNames as ofSandbox, readSettings } from '@srr-gateway/sandbox/settings';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig, variableNames } from '../../src/config/config.ts';
import { project } from '../_util/gateway-process.ts';
import { readCompose } from '../_util/image/compose.ts';
import { parseDockerfile } from '../_util/image/dockerfile.ts';

const { services, volumes } = readCompose();
const read = (path: string) => readFileSync(join(project, path), 'utf8');
const readConfig = (path: string) => read(join('deploy/compose', path));
const entries = Object.entries(services);

let secrets: string;
const makeSecrets = () =>
  execFileSync(process.execPath, [join(project, 'deploy/compose/make-secrets.mjs'), secrets]);
beforeAll(() => {
  secrets = mkdtempSync(join(tmpdir(), 'compose-'));
  makeSecrets();
});
afterAll(() => rmSync(secrets, { recursive: true, force: true }));

/** The variables of a service, with its secrets in the folder of this test. */
const envOf = (name: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(services[name]?.environment ?? {}).map(([variable, value]) => [
      variable,
      value.replace('/run/secrets', secrets),
    ]),
  );

// `npm run lint` checks the file against the schema of compose files. These tests check what a schema cannot.
describe('compose.yaml', () => {
  it('creates each secret that a service reads, and keeps existing secrets', () => {
    const made = readdirSync(secrets);
    const files = read('compose.yaml') + readConfig('prometheus.yml');
    const named = new Set([...files.matchAll(/\/run\/secrets\/([\w.-]+)/g)].map(([, name]) => name));
    expect(named.size).toBeGreaterThan(5);
    expect([...named].filter((name) => !made.includes(name as string))).toEqual([]);
    const before = made.map((name) => readFileSync(join(secrets, name), 'utf8'));
    makeSecrets();
    expect(made.map((name) => readFileSync(join(secrets, name), 'utf8'))).toEqual(before);
  });

  it('has only valid and known settings for gateway and sandbox', () => {
    const { config, secrets: given } = loadConfig(envOf('gateway'));
    expect(config.upstreams?.commerceUrl).toBe(readSettings(envOf('sandbox')).publicUrl);
    expect(given.issuers).toHaveLength(1);
    expect(given.sealingKeys).toHaveLength(1);
    const unknown = (name: string, known: string[]) =>
      Object.keys(services[name]?.environment ?? {}).filter((one) => !known.includes(one));
    expect(unknown('gateway', variableNames)).toEqual([]);
    expect(unknown('sandbox', [...ofSandbox, 'DATABASE_URL_FILE'])).toEqual([]);
    const grace = Number.parseInt(String(services.gateway?.stop_grace_period), 10);
    expect(grace * 1000).toBeGreaterThan(config.timeouts.drain);
  });

  it.each(entries)('runs %s without root, hardened, with limits and a health check', (name, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      pids_limit: expect.any(Number),
      mem_limit: expect.stringMatching(/^\d+[mg]$/),
    });
    // Images of this project have the health check and the user of the Dockerfile.
    const ours = name === 'gateway' || name === 'secrets';
    expect(ours || Array.isArray(service.healthcheck?.test)).toBe(true);
    for (const port of (service.ports ?? []) as string[]) expect(port).toMatch(/^127\.0\.0\.1:/);
  });

  it('mounts existing files, and builds existing targets of the Dockerfile', () => {
    const targets = parseDockerfile(read('Dockerfile')).map(({ name }) => name);
    for (const [, { build, volumes: mounts = [] }] of entries) {
      if (build) expect(targets).toContain((build as { target: string }).target);
      for (const mount of mounts) {
        const [source = ''] = mount.split(':');
        if (source.startsWith('./')) expect(existsSync(join(project, source)), source).toBe(true);
        else expect(Object.keys(volumes)).toContain(source);
      }
    }
  });

  it('pins each third-party image to a version', () => {
    const others = entries.filter(([, { build }]) => !build).map(([, { image }]) => image);
    expect(others).toHaveLength(3);
    for (const image of others) expect(image).toMatch(/:v?\d+\.\d+(\.\d+)?(-\w+)?(@sha256:[0-9a-f]{64})?$/);
  });

  it('connects Prometheus and Grafana with each other, with the alerts and with the dashboard', () => {
    const targetOf = (name: string, source: string) =>
      services[name]?.volumes?.find((one) => one.startsWith(`${source}:`))?.split(':')[1];
    const prometheus = parse(readConfig('prometheus.yml'));
    expect(prometheus.rule_files).toEqual([targetOf('prometheus', './docs/operate/alerts.yml')]);
    expect(prometheus.scrape_configs[0].static_configs[0].targets).toEqual(['gateway:4000']);
    expect(services.sandbox?.networks).toEqual({ default: { aliases: ['gateway'] } });
    const dashboard = targetOf('grafana', './docs/operate/dashboard.json') as string;
    const [provider] = parse(readConfig('grafana/dashboards/srr-gateway.yaml')).providers;
    expect(dashboard.startsWith(`${provider.options.path}/`)).toBe(true);
    const [source] = parse(readConfig('grafana/datasources/prometheus.yaml')).datasources;
    expect(new URL(source.url).hostname).toBe('prometheus');
  });
});
