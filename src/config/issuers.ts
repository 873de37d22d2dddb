import { type Address, parseAddress } from '@srr-gateway/common/address';
import { z } from 'zod';
import { isJsonObject } from '../lib/json-object.ts';
import { jsonbFault } from '../lib/jsonb-safe.ts';
import { isSigningSecret } from '../lib/signing-secret.ts';
import { eventTypes } from '../model/event-type.ts';
import { scopes } from '../model/scope.ts';
import { bearerToken, headerKey, plainUrl } from './values.ts';

/** Required text. The error says what it is for. */
const required = (what: string) =>
  z.string({ error: ({ input }) => `${input === undefined ? 'is missing' : 'must be text'}: ${what}` });

const listOf = <Item extends z.ZodType>(item: Item, what: string) =>
  z.array(item, `must be a list of ${what}`);

const issuerAddress = required('the issuer’s Ethereum address').transform((text, ctx): Address => {
  const address = parseAddress(text);
  if (address) return address;
  ctx.addIssue({
    code: 'custom',
    message: 'must be an Ethereum address (0x, 40 hex digits, right checksum)',
  });
  return z.NEVER;
});

// Short keys can be guessed over the network, and real ones are much longer.
const secret = (what: string) => required(what).min(8, 'must have at least 8 characters');
const keyOf = (what: string) => secret(what).pipe(headerKey);

const signingSecret = required('whsec_ and base64').refine(
  isSigningSecret,
  'must be whsec_ and 24 to 64 bytes in base64 (echo "whsec_$(openssl rand -base64 32)")',
);

/** An object with only these fields, so that a misspelt field does not count as omitted. */
const only = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: ({ code, keys }) =>
      code === 'unrecognized_keys'
        ? `has ${(keys as string[]).join(', ')}; it may have ${Object.keys(shape).join(', ')}`
        : `must be an object with ${Object.keys(shape).join(', ')}`,
  });

const scopesText = `one or more of ${scopes.join(', ')}`;

const token = only({
  token: secret('what callers send as "Authorization: Bearer <token>"').pipe(bearerToken),
  scopes: listOf(z.enum(scopes, `must be ${scopesText}`), scopesText).min(1, `must be ${scopesText}`),
});

const webhookEndpoint = only({
  /** Normalised as in the API: the same address is the same endpoint. */
  url: plainUrl
    .refine((url) => !url.includes('#'), 'must have no fragment (#…): it would not be sent')
    .transform((url) => new URL(url).href)
    .pipe(z.string().max(2_000, 'must have at most 2,000 characters, percent-encoded')),
  /** The first signs; while secrets are rotated, the second signs too. */
  secrets: listOf(signingSecret, 'secrets').min(1, 'must have one secret').max(2, 'must have one or two'),
  types: listOf(z.enum(eventTypes, `must be one of ${eventTypes.join(', ')}`), 'event types')
    .min(1, 'must name an event type; leave it out for all')
    .optional(),
  description: required('a name for people')
    .max(500, 'must have at most 500 characters')
    .refine(
      (text) => !jsonbFault(text),
      'must have no NUL and no half of a surrogate pair: it cannot be stored',
    )
    .optional(),
});

/** An endpoint of the configuration. */
export type ConfiguredEndpoint = z.infer<typeof webhookEndpoint>;

const issuer = only({
  address: issuerAddress,
  apiKey: keyOf('the issuer’s commerce-api-key at the service'),
  webhookKeys: listOf(keyOf('what deliveries carry as x-api-key'), 'keys').default([]),
  /**
   * If set, deliveries must be signed with one of them, in addition to the key. Without webhookKeys the
   * signature alone is enough.
   */
  signingSecrets: listOf(signingSecret, 'secrets').default([]),
  tokens: listOf(token, 'tokens, {"token", "scopes"} each').default([]),
  /** Where the issuer's events are sent. */
  webhookEndpoints: listOf(webhookEndpoint, 'endpoints, {"url", "secrets"} each')
    .refine(
      (all) => new Set(all.map(({ url }) => url)).size === all.length,
      'must not have the same url twice',
    )
    .optional(),
});

/**
 * A configured issuer: its address, its upstream key, and its callers' tokens. All but the address is secret.
 */
export type Issuer = z.infer<typeof issuer>;

/** The schema of ISSUERS and ISSUERS_FILE. */
export const issuersFromJson = listOf(issuer, 'issuers, [{"address", "apiKey", …}]').superRefine(
  (issuers, ctx) => {
    const repeated = (name: string, values: string[]) => {
      if (new Set(values).size < values.length)
        ctx.addIssue({
          code: 'custom',
          message: `the same ${name} occurs twice; each must belong to one issuer`,
        });
    };
    repeated(
      'address',
      issuers.map((one) => one.address),
    );
    repeated(
      'signing secret',
      issuers.flatMap((one) => one.signingSecrets),
    );
    repeated(
      'token',
      issuers.flatMap((one) => one.tokens.map(({ token }) => token)),
    );
  },
);

/** The faults of a list of issuers as text, each with its path and, if known, the issuer's address. */
export function issuerFaults(
  name: string,
  issues: readonly { path: readonly PropertyKey[]; message: string }[],
  content: unknown,
): string[] {
  return issues.map(({ path, message }) => {
    const entry: unknown = Array.isArray(content) ? content[Number(path[0])] : undefined;
    const address = isJsonObject(entry) ? entry.address : undefined;
    const whose = typeof address === 'string' && parseAddress(address) ? ` (issuer ${address})` : '';
    return `${[name, ...path].join('.')}: ${message}${whose}`;
  });
}
