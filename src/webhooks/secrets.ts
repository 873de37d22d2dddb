import { randomBytes } from 'node:crypto';
import type { SecretBox } from '../access/secret-box.ts';
import type { ConfiguredEndpoint } from '../config/config.ts';
import { isSigningSecret } from '../lib/signing-secret.ts';
import type { EndpointRow } from './endpoints.ts';

/** How long the secret before the last change signs too: receivers take the new one within a working day. */
export const rotationMs = 86_400_000;

/** 32 bytes: as much as the hash that signs. */
export const drawSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** Bound to its endpoint, so that a sealed secret copied to another row cannot be opened. */
export const sealSecret = (box: SecretBox, endpointId: string, secret: string): Buffer =>
  box.seal(secret, `webhook ${endpointId}`);

export const openSecret = (box: SecretBox, endpointId: string, sealed: Buffer): string =>
  box.open(Buffer.from(sealed), `webhook ${endpointId}`);

/** Null for a secret whose key was lost: its endpoint needs a new one, and others must not stop with it. */
export function openIfReadable(box: SecretBox, endpointId: string, sealed: Buffer | null): string | null {
  try {
    return sealed && openSecret(box, endpointId, sealed);
  } catch {
    return null;
  }
}

/**
 * The live secrets, newest first; none for an endpoint that left this replica's configuration. One that an earlier
 * release took and that cannot sign is left out: the others still do.
 */
export function secretsOf(
  box: SecretBox,
  row: EndpointRow,
  configured: ConfiguredEndpoint | undefined,
): string[] {
  if (row.configured) return configured?.secrets ?? [];
  const isLive = row.previous_until !== null && row.previous_until.getTime() > Date.now();
  const previous = isLive ? openIfReadable(box, row.id, row.sealed_previous) : null;
  return [...(row.sealed_secret ? [openSecret(box, row.id, row.sealed_secret)] : []), previous ?? ''].filter(
    isSigningSecret,
  );
}
