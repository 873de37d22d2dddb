import { z } from 'zod';

const name = /^[\w!#$%&'*+.^`|~-]+$/;
/** What an HTTP header can carry. */
const value = /^[\x20-\x7e]+$/;

/** `name=value,name=value` with percent-encoded values, as every OpenTelemetry program reads them. */
export const otlpHeaders = z.string().transform((text, ctx) => {
  const pairs = text.split(',').map((pair): [string, string] => {
    const [name = '', ...rest] = pair.split('=');
    return [name.trim(), decoded(rest.join('=').trim())];
  });
  if (pairs.every((pair) => name.test(pair[0]) && value.test(pair[1]))) return Object.fromEntries(pairs);
  ctx.addIssue({
    code: 'custom',
    message: 'must be name=value pairs with commas between them, and values percent-encoded',
  });
  return z.NEVER;
});

/** Returns '', which is never a valid value, when the percent-encoding is broken. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
