import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { localSealingKey, SecretBox } from './secret-box.ts';

const [old, current, other] = [randomBytes(32), randomBytes(32), randomBytes(32)];

it('a box opens secrets that were sealed with the current or an old key', () => {
  const sealed = new SecretBox(old).seal('a-key', 'label');
  const rotated = new SecretBox(current, old);
  expect(rotated.open(sealed, 'label')).toBe('a-key');
  expect(rotated.open(rotated.seal('another', 'label'), 'label')).toBe('another');
});

it('a box seals only with its first key, so that the old one can be removed', () => {
  const sealed = new SecretBox(current, old).seal('a-key', 'label');
  expect(new SecretBox(current).open(sealed, 'label')).toBe('a-key');
  expect(() => new SecretBox(old).open(sealed, 'label')).toThrow('SECRETS_KEY');
});

it('a box opens no secret that was moved, changed or sealed with a foreign key', () => {
  const box = new SecretBox(current, old);
  const sealed = box.seal('a-key', 'label');
  expect(() => box.open(sealed, 'another label')).toThrow();
  expect(() => box.open(new SecretBox(other).seal('a-key', 'label'), 'label')).toThrow();
  for (let i = 0; i < sealed.length; i++) {
    const changed = Buffer.from(sealed);
    changed[i] = (changed[i] ?? 0) ^ 1;
    expect(() => box.open(changed, 'label')).toThrow();
  }
});

it('a box never seals the same secret to the same bytes twice', () => {
  const box = new SecretBox(current);
  expect(box.seal('a-key', 'label').equals(box.seal('a-key', 'label'))).toBe(false);
});

describe('the key for the embedded database', () => {
  const directory = () => mkdtempSync(join(tmpdir(), 'sealing-key-'));

  it('is created once, with access for its owner only', () => {
    const dataDir = directory();
    const key = localSealingKey(dataDir);
    expect(key).toHaveLength(32);
    expect(localSealingKey(dataDir)).toEqual(key);
    expect(readdirSync(dataDir)).toEqual(['secrets.key']);
    expect(statSync(join(dataDir, 'secrets.key')).mode & 0o777).toBe(0o600);
  });

  it.each(['', 'c2hvcnQ='])('is refused when its file is truncated: %j', (content) => {
    const dataDir = directory();
    writeFileSync(join(dataDir, 'secrets.key'), content);
    expect(() => localSealingKey(dataDir)).toThrow(/^DATA_DIR: .*secrets\.key has no key/);
  });
});
