import { isIP } from 'node:net';
import { parseAddress } from '@srr-gateway/common/address';
import { encodePassword } from '@srr-gateway/common/database/postgres-url';
import { wholeNumber } from '@srr-gateway/common/whole-number';
import { z } from 'zod';

// Zod schemas for values of environment variables.

// `abort`: text that is not an address gets one error, without those of later checks.
const httpUrl = z.url({
  protocol: /^https?$/,
  error: 'must be an http:// or https:// address',
  abort: true,
});
/** An address without user and password, which no request would send, and which logs and clients might show. */
const withoutCredentials = (advice = '') =>
  httpUrl.refine(
    (url) => URL.parse(url)?.username === '' && URL.parse(url)?.password === '',
    `must have no user and password${advice}`,
  );
export const plainUrl = withoutCredentials();
export const collectorUrl = withoutCredentials('; put credentials into OTEL_EXPORTER_OTLP_HEADERS');
export const purgeUrl = withoutCredentials('; put credentials into CDN_PURGE_HEADERS');
export const withoutTrailingSlash = (url: string) => url.replace(/\/+$/, '');
/** An address to which paths are added. */
export const baseUrl = plainUrl
  .refine((url) => !/[?#]/.test(url), 'must have no ? and no #: paths are added to it')
  .transform(withoutTrailingSlash);
const serverUrl = (protocol: RegExp, schemes: string) =>
  z
    .url({ protocol, hostname: /./, error: `must be a ${schemes} address; ${encodePassword}`, abort: true })
    .refine(hasPlainCredentials, 'must have a user and a password that are percent-encoded');
export const valkeyUrl = serverUrl(/^(redis|valkey)s?$/, 'redis://, rediss://, valkey:// or valkeys://');
export const signalsUrl = serverUrl(
  /^(nats|tls|rediss?|valkeys?)$/,
  'nats://, tls://, redis://, rediss://, valkey:// or valkeys://',
);
/** The gateway adds the path itself, but people often copy it along with the address. */
export const commerceBase = baseUrl.refine(
  (url) => !/\/port\/api\/v1/.test(url),
  'must be the base address, without /port/api/v1',
);
const list = (url: z.ZodType<string, string>) => z.string().transform(commaList(url, 'address'));
export const gatewayUrls = list(baseUrl);
export const endpointUrls = list(plainUrl.transform(withoutTrailingSlash));
export const onOff = z.enum(['on', 'off'], 'must be "on" or "off"').transform((word) => word === 'on');
/** Node's timers allow 24 days; a longer one would fire at once. */
const longestSeconds = 2_000_000;
/** Seconds of a timer, so fractions are allowed. */
export const seconds = z.coerce
  .number(`must be a number of seconds, more than 0 and at most ${longestSeconds}`)
  .positive()
  .max(longestSeconds);
export const bytes = wholeNumber({ of: 'bytes', min: 1 });
export const count = wholeNumber({ min: 1 });
export const days = wholeNumber({ of: 'days', min: 1, max: 36_500 });
export const address = z
  .string()
  .refine(
    (text) => parseAddress(text) !== undefined,
    'must be 0x and 40 hex digits, all in one case or with the right checksum',
  );
export const name = z.string().regex(/^[A-Za-z][A-Za-z0-9_-]*$/, 'must be a plain name');
export const json = z.string().transform((text, ctx) => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    ctx.addIssue({ code: 'custom', message: 'must be JSON' });
    return z.NEVER;
  }
});

const sealingKey = z
  .string()
  .transform((text) => Buffer.from(text, 'base64'))
  .refine(({ length }) => length === 32, 'must be 32 bytes in base64 (openssl rand -base64 32)');
/** The present key, then former ones that are still needed to decrypt stored values. */
export const sealingKeys = z
  .string()
  .transform(commaList(sealingKey, 'key'))
  .transform((keys) => keys as [Buffer, ...Buffer[]]);

const origin = z
  .string()
  .refine(
    (text) => URL.canParse(text) && new URL(text).origin === text,
    'must be an origin such as https://shop.example, without a path; * alone is all of them',
  );
const parseOrigins = commaList(origin, 'entry');
export const origins = z
  .string()
  .transform((text, ctx) => (text.trim() === '*' ? ('*' as const) : parseOrigins(text, ctx)));

/** A key that is sent as a header. A request with other characters in it could not be sent. */
export const headerKey = z
  .string()
  .regex(
    /^[!-~]([ -~]*[!-~])?$/,
    'must be ASCII without control characters, and without spaces at its ends, since it is sent as a header',
  );
/** A token that is sent after `Bearer `. Receivers would end it at the first space. */
export const bearerToken = z
  .string()
  .regex(/^[!-~]*$/, 'must be ASCII without spaces, since it is sent as a bearer token');

const headerName = /^[\w!#$%&'*+.^`|~-]+$/;
/** Characters of an HTTP header's value. */
const headerValue = /^[\x20-\x7e]+$/;

const network = z.string().transform((text, ctx) => {
  const [, address = '', prefix = ''] = /^([0-9a-fA-F.:]+)\/(\d{1,3})$/.exec(text) ?? [];
  const family = isIP(address);
  if (family !== 0 && Number(prefix) <= (family === 4 ? 32 : 128))
    return { address, prefix: Number(prefix), family: family === 4 ? ('ipv4' as const) : ('ipv6' as const) };
  ctx.addIssue({
    code: 'custom',
    message: 'must be a network such as fd00::/8: an address, a slash and the length of its prefix',
  });
  return z.NEVER;
});
export type Network = z.infer<typeof network>;
export const networks = z.string().transform(commaList(network, 'network'));

/** `name=value,name=value` with percent-encoded values, as in all OpenTelemetry SDKs. */
export const headerPairs = z.string().transform((text, ctx) => {
  const pairs = text.split(',').map((pair): [string, string] => {
    const [name = '', ...rest] = pair.split('=');
    return [name.trim(), decode(rest.join('=').trim())];
  });
  if (pairs.every((pair) => headerName.test(pair[0]) && headerValue.test(pair[1])))
    return Object.fromEntries(pairs);
  ctx.addIssue({
    code: 'custom',
    message: 'must be name=value pairs with commas between them, and values percent-encoded',
  });
  return z.NEVER;
});

function hasPlainCredentials(url: string): boolean {
  const { username, password } = new URL(url);
  return [username, password].every((text) => text === '' || decode(text) !== '');
}

/** Returns '', which is never a valid value, when the percent-encoding is broken. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/** For `transform`: parses a comma-separated list. With several items an error has the item's number. */
function commaList<Item>(item: z.ZodType<Item, string>, word: string) {
  return (text: string, ctx: z.RefinementCtx): Item[] => {
    const parts = text.split(',');
    return parts.flatMap((part, i) => {
      const parsed = item.safeParse(part.trim());
      if (parsed.success) return [parsed.data];
      const which = parts.length > 1 ? `${word} ${i + 1} ` : '';
      for (const { message } of parsed.error.issues)
        ctx.addIssue({ code: 'custom', message: `${which}${message}` });
      return [];
    });
  };
}
