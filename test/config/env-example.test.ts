import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type ConfigError, loadConfig } from '../../src/config/config.ts';
import { envSchema, secretNames } from '../../src/config/env.ts';
import { project } from '../_util/gateway-process.ts';

const read = (path: string) => readFileSync(join(project, path), 'utf8');
const example = read('.env.example');
/** The variables that the example sets. A container engine neither unquotes nor expands their values. */
const set = parseEnv(example) as Record<string, string>;
const named = parseEnv(example.replaceAll(/^#(?=[A-Z])/gm, '')) as Record<string, string>;

describe('.env.example', () => {
  it('names no variable that the gateway does not read', () => {
    expect(Object.keys(named).filter((name) => !(name in envSchema.shape))).toEqual([]);
  });

  it('names every variable in the table of the README, and every secret with its _FILE variable', () => {
    const table = read('README.md')
      .split('\n')
      .filter((line) => /^\| `[A-Z]/.test(line));
    const ofReadme = table.flatMap((line) =>
      [...(line.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name),
    );
    expect(ofReadme.length).toBeGreaterThan(10);
    const secrets = secretNames.flatMap((name) => [name, `${name}_FILE`]);
    expect([...ofReadme, ...secrets].filter((name) => !((name as string) in named))).toEqual([]);
  });

  it('lacks only SECRETS_KEY for a start, and the fault says how to make one', () => {
    let faults: string[] = [];
    try {
      loadConfig(set);
    } catch (error) {
      ({ faults } = error as ConfigError);
    }
    expect(faults).toEqual([expect.stringMatching(/^SECRETS_KEY: missing.*openssl rand/)]);
    const key = Buffer.alloc(32).toString('base64');
    expect(loadConfig({ ...set, SECRETS_KEY: key }).config.publicUrl).toBe('https://gateway.example');
  });

  it('shows the actual defaults', () => {
    const parsed = envSchema.parse({});
    const differing = Object.keys(named).filter((name) => {
      const standard = parsed[name as keyof typeof parsed];
      if (name in set || standard === undefined) return false;
      const written = envSchema.parse({ [name]: named[name] })[name as keyof typeof parsed];
      return JSON.stringify(written) !== JSON.stringify(standard);
    });
    expect(differing).toEqual([]);
  });

  it('holds no secret', () => {
    for (const name of secretNames) {
      const value = named[name] as string;
      if (name.endsWith('_URL')) expect(new URL(value).password).toBe('');
      else expect(value).toBe('');
    }
  });
});
