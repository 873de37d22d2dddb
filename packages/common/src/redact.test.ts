import { expect, it } from 'vitest';
import { redact } from './redact.ts';

const secret = 'abc.DEF-123_/+=';

it.each([
  ['a header as JSON', `{"authorization":"Bearer ${secret}","accept":"*/*"}`],
  ['JSON in a string', JSON.stringify({ excerpt: JSON.stringify({ headers: { 'x-api-key': secret } }) })],
  [
    'JSON in a string in a string',
    JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ apiKey: secret }) }) }),
  ],
  ['a cookie of several', `{"cookie":"a=1; session=${secret}; b=2"}`],
  ['a list', `{"webhookKeys":["${secret}","${secret}"]}`],
  [
    'a signed address',
    `GET https://storage.example/a.png?X-Amz-Signature=abc123&token=${encodeURIComponent(secret)}`,
  ],
  ['a signed address in JSON', String.raw`{"url":"https://storage.example/a.png?sv=1\u0026sig=abc123"}`],
  ['a signature with a name of its own', `{"x-my-signature=${secret}","mysignature=${secret}"}`],
  ['a header in a message', `refused: Bearer ${secret} is not known`],
  ['a header in words', `commerce-api-key: ${secret} is not known`],
  ['headers as they are sent', `X-Api-Key:${secret}\r\nAuthorization: Basic ${secret}\r\nAccept: */*`],
  ['a cookie as it is sent', `Cookie: a=1; session=${secret}; b=2`],
  ['another letter case', `{"Commerce-API-Key":"${secret}"}`],
])('takes the secret out of %s', (_what, text) => {
  expect(redact(text)).not.toMatch(/abc|123/);
  expect(redact(text)).toContain('[secret]');
});

it.each([
  '{"tokenId":"123","tokens":"12"}',
  'the token is not known',
  'token: must be text',
  '{"msg":"authorization failed"}',
])('leaves alone what is none: %s', (text) => expect(redact(text)).toBe(text));

it('keeps JSON readable', () => {
  const line = JSON.stringify({
    apiKey: secret,
    webhookKeys: [secret],
    excerpt: JSON.stringify({ token: secret }),
  });
  expect(JSON.parse(redact(line))).toEqual({
    apiKey: '[secret]',
    webhookKeys: '[secret]',
    excerpt: '{"token":"[secret]"}',
  });
});

it.each(['a-', 'cookie: ', 'x-api-key:', 'token":[', 'token\\', 'Bearer ', 'signature'])(
  'takes no time for many times %j',
  (part) => {
    const text = part.repeat(500_000 / part.length);
    const startedAt = performance.now();
    redact(text);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  },
);
