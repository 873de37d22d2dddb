import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const nonceBytes = 12;
const tagBytes = 16;

/**
 * Encrypts secrets that must be stored (AES-256-GCM). `label` binds a sealed value to its place, so that it
 * cannot be opened elsewhere. The first key seals and all keys open: to change the key, put the new one
 * before the old one.
 */
export class SecretBox {
  readonly #keys: readonly [Buffer, ...Buffer[]];

  constructor(...keys: [Buffer, ...Buffer[]]) {
    this.#keys = keys;
  }

  seal(secret: string, label: string): Buffer {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', this.#keys[0], nonce).setAAD(Buffer.from(label));
    return Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  }

  /** @throws when the value was not sealed with one of these keys under this label. */
  open(sealed: Buffer, label: string): string {
    const failures: unknown[] = [];
    for (const key of this.#keys)
      try {
        return openWith(key, sealed, label);
      } catch (error) {
        failures.push(error);
      }
    throw new AggregateError(failures, 'A sealed value cannot be opened: its key is not among SECRETS_KEY.');
  }
}

function openWith(key: Buffer, sealed: Buffer, label: string): string {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes))
    .setAAD(Buffer.from(label))
    .setAuthTag(sealed.subarray(-tagBytes));
  const text = decipher.update(sealed.subarray(nonceBytes, -tagBytes));
  return Buffer.concat([text, decipher.final()]).toString('utf8');
}

/** The sealing key for the embedded database: made once in `dataDir`, readable by its owner only. */
export function localSealingKey(dataDir: string): Buffer {
  const file = join(dataDir, 'secrets.key');
  mkdirSync(dataDir, { recursive: true });
  try {
    writeFileSync(file, randomBytes(32).toString('base64'), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return Buffer.from(readFileSync(file, 'utf8'), 'base64');
}
