import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config/config.ts';
import { envSchema } from '../../src/config/env.ts';
import { project } from '../_util/gateway-process.ts';
import { type LoneGateway, startLoneGateway } from '../_util/lone-gateway.ts';
import { baseManifests, directory, type Manifest, rendered } from './manifests.ts';

const base = baseManifests();
const example = rendered('deploy/kubernetes/example');
if (!example) console.warn('kustomize is not run: kubectl is not installed here. base is checked as it is.');
const all = [...base, ...(example ?? [])];

const named = (kind: string): Manifest => base.find((one) => one.kind === kind) as Manifest;
const deployment = named('Deployment').spec;
const pod = deployment.template.spec;
const [container] = pod.containers;

/** The literals of both kustomizations, which become the ConfigMap. */
const settings = Object.fromEntries(
  ['base', 'example'].flatMap((folder) => {
    const text = readFileSync(join(directory, folder, 'kustomization.yaml'), 'utf8');
    const [{ literals }] = parse(text).configMapGenerator as [{ literals: string[] }];
    return literals.map((one) => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)]);
  }),
);

describe('the manifests for Kubernetes', () => {
  it.each(all.map((one) => [one.kind, one] as const))(
    'are valid by the schema of the API: %s',
    async (kind, one) => {
      const models = await import(`kubernetes-models/${one.apiVersion}`);
      expect(() => new models[kind](one).validate()).not.toThrow();
    },
  );

  it('have no field that is unknown to the API', () => {
    // The schemas allow unknown fields, which the API server drops. The compiler reports them.
    const lines = all.flatMap((one, i) => [
      `import type { I${one.kind} as T${i} } from 'kubernetes-models/${one.apiVersion}';`,
      `export const manifest${i}: T${i} = ${JSON.stringify(one)};`,
    ]);
    const folder = mkdtempSync(join(project, 'node_modules/.cache/manifests-'));
    const file = join(folder, 'manifests.ts');
    const options = ['--noEmit', '--ignoreConfig', '--skipLibCheck', '--module', 'nodenext'];
    const compile = (text: string) => {
      writeFileSync(file, text);
      return spawnSync('npx', ['tsc', ...options, file], { cwd: project, encoding: 'utf8' }).stdout;
    };
    try {
      expect(compile(lines.join('\n'))).toBe('');
      expect(compile(lines.join('\n').replace('"minReplicas"', '"minReplica"'))).toContain(
        `'"minReplica"' does not exist in type`,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('are listed in their kustomization, and the example has only known settings', () => {
    const { resources } = parse(readFileSync(join(directory, 'base/kustomization.yaml'), 'utf8'));
    const files = globSync('*.yaml', { cwd: join(directory, 'base') });
    expect(resources.toSorted()).toEqual(files.filter((file) => file !== 'kustomization.yaml').toSorted());
    expect(Object.keys(settings).filter((name) => !(name in envSchema.shape))).toEqual([]);
    const map = example?.find(({ kind }) => kind === 'ConfigMap');
    if (map) expect(map.data).toEqual(settings);
  });

  it('give the gateway a valid configuration, with secrets from files', () => {
    const secrets = mkdtempSync(join(tmpdir(), 'secrets-'));
    const { mountPath } = container.volumeMounts.find(({ name }: { name: string }) => name === 'secrets');
    const content: Record<string, string> = {
      'database-url': 'postgres://gateway@db.example/gateway\n',
      'secrets-key': `${Buffer.alloc(32).toString('base64')}\n`,
      'metrics-token': 'a-metrics-token\n',
      'issuers.json': '[]',
    };
    for (const [name, text] of Object.entries(content)) writeFileSync(join(secrets, name), text);
    const env = Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [name, value.replace(mountPath, secrets)]),
    );
    const { config } = loadConfig(env);
    rmSync(secrets, { recursive: true });
    // A stop consists of preStop, the drain and two more seconds.
    const { seconds } = container.lifecycle.preStop.sleep;
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(
      seconds + config.timeouts.drain / 1000 + 2,
    );
    // PostgreSQL allows 100 connections by default, and keeps three for superusers.
    const { maxReplicas } = named('HorizontalPodAutoscaler').spec;
    const replicas = maxReplicas + deployment.strategy.rollingUpdate.maxSurge;
    expect(replicas * (config.databasePool + 1)).toBeLessThanOrEqual(97);
    const data = pod.volumes.find(({ name }: { name: string }) => name === 'data');
    const caches = config.ipfsCache.maxBytes + config.pictureCache.maxBytes;
    expect(Number.parseInt(data.emptyDir.sizeLimit, 10) * 2 ** 30).toBeGreaterThan(caches);
    expect(config.ipfsCache.directory).toMatch(/^\/data\//);
  });

  it('run the gateway without privileges, with a file system that is read-only except for its volume', () => {
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 1000,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(pod.automountServiceAccountToken).toBe(false);
    const dockerfile = readFileSync(join(project, 'Dockerfile'), 'utf8');
    expect(dockerfile).toMatch(/^USER node$/m);
    const [, volume] = /^VOLUME (\S+)$/m.exec(dockerfile) ?? [];
    expect(container.volumeMounts).toEqual([
      { name: 'data', mountPath: volume },
      { name: 'secrets', mountPath: '/run/secrets/srr-gateway', readOnly: true },
    ]);
  });

  it('all select the same pods and the same port', () => {
    const { labels } = deployment.template.metadata;
    expect(deployment.selector.matchLabels).toEqual(labels);
    expect(named('Service').spec.selector).toEqual(labels);
    expect(named('PodDisruptionBudget').spec.selector.matchLabels).toEqual(labels);
    expect(named('NetworkPolicy').spec.podSelector.matchLabels).toEqual(labels);
    expect(container.ports).toEqual([{ name: 'http', containerPort: 4000 }]);
    expect(named('Service').spec.ports[0].targetPort).toBe('http');
    expect(named('NetworkPolicy').spec.ingress[0].ports[0].port).toBe('http');
    const { kind, name } = named('HorizontalPodAutoscaler').spec.scaleTargetRef;
    expect(named(kind).metadata.name).toBe(name);
  });

  describe('have probes', () => {
    let gateway: LoneGateway;
    beforeAll(async () => {
      gateway = await startLoneGateway();
    });
    afterAll(() => gateway?.stop());

    it.each(['startupProbe', 'readinessProbe', 'livenessProbe'])(
      'that the gateway answers with 200: %s',
      async (probe) => {
        const { path, port } = container[probe].httpGet;
        expect(port).toBe('http');
        expect((await fetch(`${gateway.app.url}${path}`)).status).toBe(200);
      },
    );
  });
});
