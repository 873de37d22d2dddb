import { randomBytes } from 'node:crypto';
import type { SecretBox } from '../access/secret-box.ts';
import type { ConfiguredEndpoint } from '../config/config.ts';
import { isSigningSecret } from '../lib/signing-secret.ts';
import type { EndpointRow } from './endpoints.ts';

/** How long the previous secret signs too: receivers adopt the new one within a working day. */
export const rotationMs = 86_400_000;

/** 32 bytes: as many as the signature's SHA-256 has. */
export const generateSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** Binds the secret to its endpoint, so that a sealed secret copied to another row cannot be opened. */
export const sealSecret = (box: SecretBox, endpointId: string, secret: string): Buffer =>
  box.seal(secret, `webhook ${endpointId}`);

export const openSecret = (box: SecretBox, endpointId: string, sealed: Buffer): string =>
  box.open(sealed, `webhook ${endpointId}`);

/** Null for a secret whose key was lost: only its endpoint needs a new secret, and the others go on. */
export function openIfReadable(box: SecretBox, endpointId: string, sealed: Buffer | null): string | null {
  try {
    return sealed && openSecret(box, endpointId, sealed);
  } catch {
    return null;
  }
}

/**
 * The live secrets, newest first; none for an endpoint that left this replica's configuration. Leaves out a secret
 * that an earlier release accepted but that cannot sign: the others still can.
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
