import { Webhook } from 'standardwebhooks';

/** Whether text is a secret of Standard Webhooks: whsec_ and 24 to 64 bytes in base64 that a signer can decode. */
export function isSigningSecret(text: string): boolean {
  const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  const { length } = Buffer.from(base64, 'base64');
  if (length < 24 || length > 64) return false;
  try {
    return Boolean(new Webhook(text));
  } catch {
    return false;
  }
}
