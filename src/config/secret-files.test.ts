import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { faultsOf } from '../../test/_util/faults-of.ts';
import { loadConfig } from './config.ts';
import { secretNames } from './env.ts';

describe('a secret in a file', () => {
  const key = Buffer.alloc(32, 1).toString('base64');
  const directory = mkdtempSync(join(tmpdir(), 'secrets-'));
  const fileWith = (content: string) => {
    const file = join(mkdtempSync(join(directory, 'one-')), 'secret');
    writeFileSync(file, content);
    return file;
  };

  it.each([
    ['', ''],
    ['', '\n'],
    ['\ufeff', '\r\n'],
  ])('has the value of the variable without what editors put around it: %j, %j', (begin, end) => {
    const fileOf = (content: string) => fileWith(`${begin}${content}${end}`);
    const { secrets } = loadConfig({
      DATABASE_URL_FILE: fileOf('postgres://gateway:p%20w@db.example/x'),
      SECRETS_KEY_FILE: fileOf(key),
      SUBGRAPH_API_KEY_FILE: fileOf('with spaces'),
      METRICS_TOKEN_FILE: fileOf('a-metrics-token'),
      OTEL_EXPORTER_OTLP_HEADERS_FILE: fileOf('authorization=Bearer%20x'),
    });
    expect(secrets).toMatchObject({
      databaseUrl: 'postgres://gateway:p%20w@db.example/x',
      sealingKeys: [Buffer.alloc(32, 1)],
      subgraphApiKey: 'with spaces',
      metricsToken: 'a-metrics-token',
      traceHeaders: { authorization: 'Bearer x' },
    });
  });

  it.each(secretNames)('is refused with its path when it is unusable: %s', (name) => {
    const variable = `${name}_FILE`;
    const faultOf = (path: string, others = {}) => faultsOf({ [variable]: path, ...others });
    const absent = join(directory, 'absent');
    expect(faultOf(absent)).toEqual([`${variable}: ${absent} does not exist`]);
    expect(faultOf(directory)).toEqual([`${variable}: ${directory} is a directory; name a file in it`]);
    for (const nothing of ['', '\n', '\r\n']) {
      const empty = fileWith(nothing);
      expect(faultOf(empty)).toEqual([`${variable}: ${empty} is empty`]);
    }
    const both = faultOf(fileWith('one'), { [name]: 'super-secret-key' });
    expect(both).toContain(`${name}, ${variable}: set one of them, not both`);
    expect(both.filter((fault) => fault.startsWith(`${variable}:`))).toEqual([]);
    expect(both.join()).not.toContain('super-secret-key');
    const unreadable = fileWith('one');
    chmodSync(unreadable, 0);
    // Root can read any file.
    if (process.getuid?.() !== 0)
      expect(faultOf(unreadable)).toEqual([
        `${variable}: ${unreadable} cannot be read by the user that runs this program`,
      ]);
  });

  it('has faults that name the variable with the path, and do not quote the content', () => {
    const file = fileWith('super-secret-key');
    expect(faultsOf({ DATABASE_URL_FILE: file, SECRETS_KEY_FILE: file }).toSorted()).toEqual([
      'DATABASE_URL_FILE: must be a postgres:// address of one host; percent-encode what is not a letter or digit in the password',
      'SECRETS_KEY_FILE: must be 32 bytes in base64 (openssl rand -base64 32)',
    ]);
  });

  it('is absent when the path is empty', () => {
    expect(loadConfig({ DATABASE_URL_FILE: '' }).secrets.databaseUrl).toBeUndefined();
  });
});
