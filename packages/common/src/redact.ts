/** Header and field names whose values are secrets wherever they stand. */
export const secretNames = [
  'commerce-api-key',
  'x-api-key',
  'authorization',
  'cookie',
  'apiKey',
  'token',
  'webhookKeys',
  'signingSecrets',
  'signedUrl',
  'password',
];

const names = secretNames.join('|');
/** `"name":"value"`, also inside a string that holds JSON itself, where quotes are escaped. */
const quoted = new RegExp(`((?:${names})\\\\*"\\s*:\\s*\\\\*")[^"\\\\]+`, 'gi');
const listed = new RegExp(`((?:${names})\\\\*"\\s*:\\s*)\\[[^\\]]*\\]`, 'gi');
/** In an address, a form or a cookie. */
const assigned = new RegExp(`\\b((?:${names}|[\\w-]*signature|sig)=)[^&"'\\\\\\s]+`, 'gi');
const bearer = /\b(Bearer\s+)[^"'\\\s,]+/gi;

/**
 * Takes secrets out of a text by the names that stand before them. What an upstream says may quote what it
 * was sent, and an error may hold the request that failed.
 */
export function redact(text: string): string {
  return text
    .replace(quoted, '$1[secret]')
    .replace(listed, '$1"[secret]"')
    .replace(assigned, '$1[secret]')
    .replace(bearer, '$1[secret]');
}
