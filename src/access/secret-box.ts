import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '@srr-gateway/common/start-error';

const nonceBytes = 12;
const tagBytes = 16;

/**
 * Encrypts stored secrets (AES-256-GCM). `label` binds a sealed value to its purpose: it cannot be opened under
 * another label. The first key encrypts, and all keys decrypt. To rotate, put the new key before the old one.
 */
export class SecretBox {
  readonly #keys: readonly [Buffer, ...Buffer[]];

  constructor(...keys: [Buffer, ...Buffer[]]) {
    this.#keys = keys;
  }

  /** Whether there are older keys, whose values must be sealed again. */
  get hasOlderKeys(): boolean {
    return this.#keys.length > 1;
  }

  /** Identify the keys without revealing them. */
  get fingerprints(): string[] {
    return this.#keys.map((key) => createHmac('sha256', key).update('fingerprint').digest('base64url'));
  }

  /** Encrypts a secret under a label. */
  seal(secret: string, label: string): Buffer {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', this.#keys[0], nonce).setAAD(Buffer.from(label));
    return Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  }

  /** Decrypts a sealed value. @throws when it was not sealed with one of these keys under this label. */
  open(sealed: Buffer, label: string): string {
    const failures: unknown[] = [];
    for (const key of this.#keys)
      try {
        return openWith(key, sealed, label);
      } catch (error) {
        failures.push(error);
      }
    throw new AggregateError(
      failures,
      'A stored secret cannot be decrypted: its key is not in SECRETS_KEY. Add the former key after the present one.',
    );
  }
}

function openWith(key: Buffer, sealed: Buffer, label: string): string {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes))
    .setAAD(Buffer.from(label))
    .setAuthTag(sealed.subarray(-tagBytes));
  const text = decipher.update(sealed.subarray(nonceBytes, -tagBytes));
  return Buffer.concat([text, decipher.final()]).toString('utf8');
}

/** The key for the embedded database. Made once in `dataDir`, in a file that only its owner can read. */
export function localSealingKey(dataDir: string): Buffer {
  const file = join(dataDir, 'secrets.key');
  if (!existsSync(file)) {
    // Write and rename, because after a full disk or a kill half a key would be used from then on.
    writeFileSync(`${file}.new`, randomBytes(32).toString('base64'), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }
  const key = Buffer.from(readFileSync(file, 'utf8'), 'base64');
  if (key.length === 32) return key;
  throw new StartError(
    `DATA_DIR: ${file} has no key of 32 bytes in base64. Restore it from a backup. If nothing was encrypted with it yet, delete it.`,
  );
}
