/** Names of headers and fields whose values are always secrets. */
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
// Each of these takes linear time in the text's length, because an upstream may quote a long one.
/** `"name":"value"`, also in JSON inside a string, where quotes are escaped. */
const quoted = new RegExp(`((?:${names})\\\\*"\\s*:\\s*\\\\*")[^"\\\\]+`, 'gi');
const listed = new RegExp(`((?:${names})\\\\*"\\s*:\\s*)\\[[^\\][]*\\]`, 'gi');
/** `name=value` in a URL, a form or a cookie. In JSON an & may be written as \u0026. */
const assigned = new RegExp(`((?:(?:\\b|u0026)(?:${names}|sig)|signature)=)[^&"'\\\\\\s]+`, 'gi');
/** A header as it is sent, also within a sentence. */
const header = /\b((?:commerce-api-key|x-api-key|authorization):\s*(?:(?:basic|bearer)\s+)?)[^\s"'\\,]+/gi;
const cookie = /\b(cookie:\s*)[^\r\n"\\]+/gi;
/** A Standard Webhooks secret, which its prefix identifies. */
const signing = /\bwhsec_[A-Za-z0-9+/=_-]+/g;
const bearer = /\b(Bearer\s+)[^"'\\\s,]+/gi;

/**
 * Replaces secrets in a text, found by the names before them. An upstream's message may quote the request,
 * and an error may contain it.
 */
export function redact(text: string): string {
  return text
    .replace(quoted, '$1[secret]')
    .replace(listed, '$1"[secret]"')
    .replace(assigned, '$1[secret]')
    .replace(header, '$1[secret]')
    .replace(cookie, '$1[secret]')
    .replace(bearer, '$1[secret]')
    .replace(signing, 'whsec_[secret]');
}
