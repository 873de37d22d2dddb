import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { project } from '../_util/gateway-process.ts';
import { parseDockerfile } from '../_util/image/dockerfile.ts';
import { faultsOf } from './workflow-faults.ts';

const read = (path: string) => readFileSync(join(project, path), 'utf8');
const workflows = globSync('.github/workflows/*', { cwd: project });

interface Step {
  uses?: string;
  run?: string;
  name?: string;
  with?: Record<string, string>;
}
const steps: Step[] = workflows.flatMap((file) =>
  Object.values(parse(read(file)).jobs as Record<string, { steps?: Step[] }>).flatMap(
    (job) => job.steps ?? [],
  ),
);

describe('the workflows', () => {
  it.each(workflows)('are valid for GitHub: %s', async (file) => {
    expect(await faultsOf(file, read(file))).toEqual([]);
    expect(await faultsOf(file, read(file).replaceAll('runs-on:', 'run-on:'))).not.toEqual([]);
    expect(await faultsOf(file, read(file).replaceAll('steps:', 'needs: nobody\n    steps:'))).not.toEqual(
      [],
    );
  });

  it('pin every action to a commit, with its version in a comment', () => {
    const uses = workflows.flatMap((file) =>
      [...read(file).matchAll(/uses: (?!\.\/)(.*)/g)].map(([, one]) => one),
    );
    expect(uses.length).toBeGreaterThan(8);
    for (const one of uses) expect(one).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    expect(
      parse(read('.github/dependabot.yml')).updates.map(
        (one: Record<string, string>) => one['package-ecosystem'],
      ),
    ).toEqual(['npm', 'docker', 'docker-compose', 'github-actions']);
  });

  it('run .ci/run, and build existing targets of the Dockerfile', () => {
    expect(steps.map(({ run }) => run)).toContain('.ci/run');
    expect(existsSync(join(project, '.ci/run'))).toBe(true);
    const targets = parseDockerfile(read('Dockerfile')).map(({ name }) => name);
    const { matrix } = parse(read('.github/workflows/release.yaml')).jobs.image.strategy;
    const built = matrix.include.map(({ target }: { target: string }) => target);
    expect(built).toEqual(['gateway', 'gateway-with-sandbox']);
    expect(targets).toEqual(expect.arrayContaining([...built, 'sbom']));
  });

  it('take the release note from the changelog, and refuse a tag that is not the version', () => {
    const folder = mkdtempSync(join(tmpdir(), 'release-'));
    const runOf = (name: string) => steps.find((step) => step.name === name)?.run ?? 'false';
    const run = (name: string, tag: string) =>
      execFileSync('bash', ['-euo', 'pipefail', '-c', runOf(name)], {
        cwd: folder,
        env: { PATH: process.env.PATH, GITHUB_REF_NAME: tag },
        stdio: 'pipe',
      });
    for (const file of ['CHANGELOG.md', 'package.json']) execFileSync('cp', [join(project, file), folder]);
    const { version } = JSON.parse(read('package.json'));
    const note = 'The section of the changelog is the release note';
    run(note, `v${version}`);
    const notes = readFileSync(join(folder, 'notes.md'), 'utf8');
    expect(read('CHANGELOG.md')).toContain(notes.trim());
    expect(notes).toMatch(/^### /m);
    expect(notes).not.toMatch(/^## /m);
    expect(() => run(note, 'v9.9.9')).toThrow();
    rmSync(folder, { recursive: true });
  });

  it('use the Node version of the base image in CI and in the development container', () => {
    const [, version] = /^FROM node:([\d.]+)-slim@/m.exec(read('Dockerfile')) ?? [];
    expect(version).toBe(JSON.parse(read('package.json')).devDependencies.node);
    const image = parse(read('.github/workflows/ci.yaml')).jobs.check.container.image;
    expect(image).toMatch(new RegExp(`^node:${version}-bookworm@sha256:[0-9a-f]{64}$`));
    const container = JSON.parse(read('.devcontainer/devcontainer.json'));
    expect(container.image).toBe(image);
    expect(Object.keys(container.portsAttributes).map(Number)).toEqual(container.forwardPorts);
  });
});
