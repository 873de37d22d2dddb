import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSettings, SettingsError } from './settings.ts';

function faultsOf(env: Record<string, string>): string[] {
  try {
    readSettings(env);
  } catch (error) {
    if (error instanceof SettingsError) return error.faults;
    throw error;
  }
  return [];
}

describe('settings', () => {
  it('need no variable, and treat an empty one as absent', () => {
    expect(readSettings({ SANDBOX_PORT: '' })).toMatchObject({
      port: 4001,
      rpcPort: 8545,
      fileLimitBytes: 2 ** 31,
      vendor: { path: 'vendor', prefix: 'vendor' },
      webhook: undefined,
    });
  });

  it.each([
    ['SANDBOX_FIXTURES', 'yes', 'must be "on" or "off"'],
    ['SANDBOX_MISSING_FILES', 'list', 'must be "envelope" or "array"'],
  ])('say what %s may be, and not %s', (name, value, fault) => {
    expect(faultsOf({ [name]: value })).toEqual([`${name}: ${fault}`]);
  });

  it.each(['http://sandbox.example?', 'http://sandbox.example/a?b=c', 'http://sandbox.example/#a'])(
    'refuse the public address %s, to which no path can be appended',
    (SANDBOX_PUBLIC_URL) => {
      expect(faultsOf({ SANDBOX_PUBLIC_URL })).toEqual([
        'SANDBOX_PUBLIC_URL: must be an address without ? and #',
      ]);
    },
  );

  it('take the webhook key from a file', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'secrets-')), 'key');
    const env = { SANDBOX_WEBHOOK_URL: 'http://127.0.0.1:4000/', SANDBOX_WEBHOOK_KEY_FILE: file };
    expect(faultsOf(env)).toEqual([`SANDBOX_WEBHOOK_KEY_FILE: ${file} does not exist`]);
    writeFileSync(file, 'a-webhook-key\n');
    expect(readSettings(env).webhook?.key).toBe('a-webhook-key');
  });

  it.each(['ключ', 'two\nlines', ' blank'])('refuse the webhook key %j, which no header can have', (key) => {
    const env = { SANDBOX_WEBHOOK_URL: 'http://127.0.0.1:4000/', SANDBOX_WEBHOOK_KEY: key };
    expect(faultsOf(env)).toEqual([
      'SANDBOX_WEBHOOK_KEY: must be ASCII without control characters, since it is sent as a header',
    ]);
  });

  it('report all faults at once', () => {
    const faults = faultsOf({
      SANDBOX_PORT: 'http',
      SANDBOX_MINING_INTERVAL_MS: '0',
      SANDBOX_WEBHOOK_ATTEMPTS: '6',
      SANDBOX_WEBHOOK_URL: 'http://127.0.0.1:4000/webhooks/commerce',
    });
    expect(faults.map((fault) => fault.split(':')[0])).toEqual([
      'SANDBOX_PORT',
      'SANDBOX_MINING_INTERVAL_MS',
      'SANDBOX_WEBHOOK_ATTEMPTS',
      'SANDBOX_WEBHOOK_URL, SANDBOX_WEBHOOK_KEY',
    ]);
  });
});
