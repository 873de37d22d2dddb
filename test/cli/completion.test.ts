import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectCode, srr } from '../_util/srr.ts';

const has = (shell: string) => spawnSync(shell, ['-c', ':']).status === 0;
const folder = mkdtempSync(join(tmpdir(), 'completion-'));
const scripts: Record<string, string> = {};
beforeAll(async () => {
  for (const shell of ['bash', 'zsh']) {
    const { code, out } = await srr(['completion', shell]);
    expect(code).toBe(0);
    scripts[shell] = join(folder, `srr.${shell}`);
    writeFileSync(scripts[shell], out);
  }
});

const run = (shell: string, ...parameters: string[]) => {
  const { status, stdout, stderr } = spawnSync(shell, parameters, { encoding: 'utf8', cwd: folder });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout.trim().split(/\s+/).toSorted();
};

const lines: [string, string[]][] = [
  ['srr ev', ['events']],
  ['srr events t', ['tail']],
  ['srr events tail --fr', ['--from']],
  ['srr events tail --from B', ['BEGINNING']],
  ['srr --url http://x listen --f', ['--forward-to', '--from']],
  ['srr trigger SRR_IS', ['SRR_ISSUED']],
  ['srr listen --events TRANSFER_C', ['TRANSFER_COMPLETED']],
  ['srr completion z', ['zsh']],
  ['srr endpoints de', ['delete', 'deliveries']],
  ['srr endpoints update x --e', ['--enable', '--events']],
  ['srr endpoints deliveries x --status F', ['FAILED']],
  ['srr export --format c', ['csv']],
  ['srr issue --dr', ['--dry-run']],
  ['srr issue srr.b', ['srr.bash']],
  ['srr issue --files srr.z', ['srr.zsh']],
];

describe.skipIf(!has('bash'))('in bash', () => {
  it('is a script without faults', () => {
    run('bash', '-n', scripts.bash as string);
  });

  it.each(lines)('completes "%s"', (line, words) => {
    const typed = line.split(' ').map((word) => `'${word}'`);
    const program = `source ${scripts.bash}; COMP_WORDS=(${typed.join(' ')}); COMP_CWORD=${typed.length - 1}; _srr; echo "\${COMPREPLY[@]}"`;
    expect(run('bash', '--norc', '-c', program)).toEqual(words);
  });
});

describe.skipIf(!has('zsh'))('in zsh', () => {
  it('is a script without faults', () => {
    run('zsh', '-n', scripts.zsh as string);
  });

  it.each(lines.filter(([line]) => !line.includes('srr.')))('completes "%s"', (line, words) => {
    const typed = line.split(' ');
    const prefix = typed.at(-1) ?? '';
    // The script gives zsh all candidates; zsh itself filters them by what is typed.
    const program = `
      compdef() { :; }; _files() { :; }
      compadd() { shift; print -l -- "$@"; }
      source ${scripts.zsh}
      words=(${typed.map((word) => `'${word}'`).join(' ')}); CURRENT=${typed.length}; _srr`;
    expect(run('zsh', '-f', '-c', program).filter((word) => word.startsWith(prefix))).toEqual(words);
  });
});

it('names the supported shells', async () => {
  const result = await srr(['completion', 'fish']);
  expectCode(result, 2);
  expect(result.err).toContain('Allowed choices are bash, zsh.');
});
