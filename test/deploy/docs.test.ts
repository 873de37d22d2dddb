import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/config.ts';
import { snippetsOf } from '../_util/doc-snippets.ts';
import { project } from '../_util/gateway-process.ts';
import { parseDockerfile } from '../_util/image/dockerfile.ts';

const lines = snippetsOf('docs/operate/deploying.md')
  .filter(({ language }) => language === 'sh')
  .flatMap(({ code }) => code.trimEnd().split('\n'))
  .map((line) => line.trim());
const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;
if (!hasKubectl) console.warn('Lines with kubectl are not run: it is not installed here.');

/** Lines that need Docker, a cluster or GitHub. The page says that no test runs them. */
const needsMore = /^(docker|gh|kubectl (apply|label|create namespace)) /;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'deploying-'));
  writeFileSync(join(folder, 'issuers.json'), '[]');
  execFileSync('ln', ['-s', join(project, 'deploy'), folder]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (line: string) => execFileSync('sh', ['-ec', line], { cwd: folder, encoding: 'utf8' });

describe('the lines of docs/operate/deploying.md', () => {
  it('that create the secrets create a valid configuration of the gateway', () => {
    for (const line of lines.filter((one) => !needsMore.test(one) && !one.startsWith('kubectl'))) run(line);
    const file = (name: string) => join(folder, 'secrets', name);
    expect(readdirSync(join(folder, 'secrets')).toSorted()).toEqual(
      ['database-url', 'issuers.json', 'metrics-token', 'secrets-key'].toSorted(),
    );
    const { secrets } = loadConfig({
      DATABASE_URL_FILE: file('database-url'),
      SECRETS_KEY_FILE: file('secrets-key'),
      METRICS_TOKEN_FILE: file('metrics-token'),
      ISSUERS_FILE: file('issuers.json'),
    });
    expect(secrets.metricsToken).toHaveLength(48);
  });

  it('that configure the purge of a CDN are valid settings of the gateway', () => {
    const settings = snippetsOf('docs/operate/deploying.md').filter(({ language }) => language === 'dotenv');
    expect(
      settings.map(({ code }) => loadConfig(parseEnv(code) as Record<string, string>).secrets.cdnPurge),
    ).toEqual([
      { url: 'http://varnish.example/cdn-purge', headers: {} },
      { url: expect.stringContaining('fastly'), headers: { 'fastly-key': 'TOKEN' } },
      { url: expect.stringContaining('cloudflare'), headers: { authorization: 'Bearer TOKEN' } },
    ]);
  });

  it.skipIf(!hasKubectl)('with kubectl that need no cluster have the described effect', () => {
    const offline = lines.filter((line) => line.startsWith('kubectl') && !needsMore.test(line));
    expect(offline).toHaveLength(2);
    const [secret = '', kustomize = ''] = offline;
    const made = JSON.parse(run(`${secret} --dry-run=client --output=json`));
    expect(made.metadata).toMatchObject({ name: 'srr-gateway', namespace: 'srr-gateway' });
    expect(Object.keys(made.data)).toHaveLength(4);
    expect(run(kustomize)).toContain('kind: NetworkPolicy');
  });

  it('with docker name existing targets of the Dockerfile, whose default is the gateway', () => {
    const stages = parseDockerfile(readFileSync(join(project, 'Dockerfile'), 'utf8')).map(({ name }) => name);
    const targets = lines.flatMap((line) => /--target (\S+)/.exec(line)?.[1] ?? []);
    expect(targets).toEqual(['gateway-with-sandbox', 'sbom']);
    expect(targets.filter((one) => !stages.includes(one))).toEqual([]);
    expect(stages.at(-1)).toBe('gateway');
  });

  it('have the label that the network policy admits', () => {
    const [, label, value] = /(may-call-[\w-]+)=(\w+)/.exec(lines.join('\n')) ?? [];
    const policy = readFileSync(join(project, 'deploy/kubernetes/base/network-policy.yaml'), 'utf8');
    expect(policy).toContain(`${label}: "${value}"`);
  });
});
