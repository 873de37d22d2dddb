// Creates the secrets of compose.yaml in the directory of its argument. Existing ones are kept: the database already has
// its password, and SECRETS_KEY must be the same at every start.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [directory] = process.argv.slice(2);

/** Returns the secret of this name; creates it first if it does not exist. */
function secret(name, make = () => randomBytes(24).toString('base64url')) {
  const file = join(directory, name);
  if (!existsSync(file)) {
    // Rename the complete file, so that a stop meanwhile does not leave half a key.
    writeFileSync(`${file}.new`, make(), { mode: 0o644 });
    renameSync(`${file}.new`, file);
  }
  return readFileSync(file, 'utf8');
}

const password = secret('postgres-password');
secret('database-url', () => `postgres://gateway:${password}@postgres:5432/gateway`);
secret('secrets-key', () => randomBytes(32).toString('base64'));
secret('metrics-token');
secret('grafana-password');
const webhookKey = secret('webhook-key');

// The sandbox's first issuer, whose key is public, with the same token as for npm start.
const token = { token: 'demo-token', scopes: ['read', 'upload', 'issue', 'webhooks'] };
const issuer = { address: '0x2f7F932D30E46702EE02a4f5F4D8Ef045a368A70', apiKey: 'play-key-lantern-hall' };
secret('issuers.json', () => JSON.stringify([{ ...issuer, webhookKeys: [webhookKey], tokens: [token] }]));
