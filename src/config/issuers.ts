import { z } from 'zod';
import { type Address, parseAddress } from '../lib/address.ts';

const issuerAddress = z.string().transform((text, ctx): Address => {
  const address = parseAddress(text);
  if (address) return address;
  ctx.addIssue({
    code: 'custom',
    message: 'must be an Ethereum address (0x, 40 hex digits, right checksum)',
  });
  return z.NEVER;
});

// Short keys can be guessed over the network; real ones are far longer.
const secret = z.string().min(8, 'must have at least 8 characters');

/** As Standard Webhooks writes it: 24 to 64 bytes in base64. */
const signingSecret = z
  .string()
  .regex(/^whsec_[A-Za-z0-9+/]+=*$/, 'must be whsec_ and base64')
  .refine((text) => {
    const { length } = Buffer.from(text.slice('whsec_'.length), 'base64');
    return length >= 24 && length <= 64;
  }, 'must have 24 to 64 bytes (echo "whsec_$(openssl rand -base64 32)")');

const issuer = z.strictObject({
  address: issuerAddress,
  apiKey: secret,
  webhookKeys: z.array(secret).default([]),
  /** Set: deliveries must be signed by one of them, on top of a key or, without webhookKeys, in its place. */
  signingSecrets: z.array(signingSecret).default([]),
  tokens: z
    .array(z.strictObject({ token: secret, scopes: z.array(z.enum(['read', 'upload', 'issue'])).min(1) }))
    .default([]),
});

/** An issuer that this gateway acts for: its address, its upstream key, and who may use it. All secret but the address. */
export type Issuer = z.infer<typeof issuer>;

export const issuersFromJson = z.array(issuer).superRefine((issuers, ctx) => {
  const repeated = (name: string, values: string[]) => {
    if (new Set(values).size < values.length)
      ctx.addIssue({ code: 'custom', message: `the same ${name} stands twice; each must name one issuer` });
  };
  repeated(
    'address',
    issuers.map((one) => one.address),
  );
  repeated(
    'webhook key',
    issuers.flatMap((one) => one.webhookKeys),
  );
  repeated(
    'signing secret',
    issuers.flatMap((one) => one.signingSecrets),
  );
  repeated(
    'token',
    issuers.flatMap((one) => one.tokens.map(({ token }) => token)),
  );
});
