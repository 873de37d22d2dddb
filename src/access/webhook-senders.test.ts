import { parseAddress } from '@srr-gateway/common/address';
import { expect, it } from 'vitest';
import { Issuers } from './issuers.ts';
import { WebhookSenders } from './webhook-senders.ts';

const [withBoth, signsOnly, withNeither, unknown] = ['1', '2', '3', '4'].map((digit) =>
  parseAddress(`0x${digit.repeat(40)}`),
) as [`0x${string}`, `0x${string}`, `0x${string}`, `0x${string}`];
const signingSecrets = [`whsec_${Buffer.alloc(24, 1).toString('base64')}`];
const issuer = { apiKey: 'a-configured-key', webhookKeys: [], signingSecrets: [], tokens: [] };

const senders = new WebhookSenders(
  new Issuers([
    { ...issuer, address: withBoth, webhookKeys: ['a-webhook-key'], signingSecrets },
    { ...issuer, address: signsOnly, signingSecrets },
    { ...issuer, address: withNeither },
  ]),
);

it.each([
  ['a key, which its signature does not replace', withBoth],
  ['neither a key nor a signing secret', withNeither],
  ['no entry in the configuration', unknown],
])('a path that names an issuer with %s does not identify the sender', (_what, named) => {
  for (const key of [undefined, 'made-up'])
    expect(() => senders.issuerOf(key, named)).toThrow(/must have a webhook key/);
});

it('a path names the issuer of a delivery with its key, or of one that only signs', () => {
  expect(senders.issuerOf('a-webhook-key', withBoth)).toBe(withBoth);
  expect(senders.issuerOf(undefined, signsOnly)).toBe(signsOnly);
});
