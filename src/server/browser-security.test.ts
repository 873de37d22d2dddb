import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { crossSite, socketOrigins } from './browser-security.ts';
import type { GatewayResponse } from './response.ts';

const host = 'gateway.example';
const requestOf = (headers: IncomingMessage['headers'], method = 'POST') =>
  ({ method, headers: { host, ...headers } }) as IncomingMessage;

describe('a request of a page that no preflight announced', () => {
  const form = 'application/x-www-form-urlencoded';
  const foreign = { origin: 'https://evil.example' };
  const isRefused = (req: IncomingMessage, origins: '*' | string[] = '*') => {
    try {
      crossSite(origins)(req, {} as GatewayResponse, new URL('http://gateway.example'));
      return false;
    } catch (error) {
      expect(error).toMatchObject({ status: 403 });
      return true;
    }
  };

  it.each([
    ['a form', { 'content-type': form }],
    ['a form with a parameter', { 'content-type': `${form}; charset=utf-8` }],
    ['a body without a type', {}],
    ['a form, by Sec-Fetch-Site', { 'content-type': form, 'sec-fetch-site': 'same-site' }],
  ])('is refused when a foreign page sends %s', (_what, headers) => {
    expect(isRefused(requestOf({ ...foreign, ...headers }))).toBe(true);
  });

  it.each<[string, IncomingMessage['headers'], string?]>([
    ['reads', {}, 'GET'],
    ['sends JSON, which needs a preflight', { 'content-type': 'application/json' }],
    ['has a token', { 'content-type': form, authorization: 'Bearer a' }],
    ['has an API key', { 'content-type': form, 'commerce-api-key': 'a' }],
    // Sec-Fetch-Site counts before Origin: behind a proxy Host is another.
    ['is of the same origin', { 'content-type': form, 'sec-fetch-site': 'same-origin' }],
    ['is of an extension of the browser', { 'content-type': form, 'sec-fetch-site': 'none' }],
  ])('passes when it %s', (_what, headers, method) => {
    expect(isRefused(requestOf({ ...foreign, ...headers }, method))).toBe(false);
  });

  it('passes when CORS_ORIGINS lists the page', () => {
    const req = requestOf({ origin: 'https://shop.example', 'content-type': form });
    expect(isRefused(req, ['https://shop.example'])).toBe(false);
    expect(isRefused(req, ['https://admin.example'])).toBe(true);
  });
});

describe('a WebSocket of a page that CORS_ORIGINS does not list', () => {
  const refusal = (origin: string, publicUrl?: string) =>
    socketOrigins(['https://shop.example'], publicUrl)(requestOf({ origin }));

  it.each([
    ['of the gateway itself', `https://${host}`, undefined],
    ['of the gateway behind a proxy', 'https://public.example', 'https://public.example/api'],
  ])('is accepted from a page %s', (_whose, origin, publicUrl) => {
    expect(refusal(origin, publicUrl)).toBeUndefined();
  });

  it.each(['https://evil.example', 'null'])('is refused from %s', (origin) => {
    expect(refusal(origin)).toContain('CORS_ORIGINS');
    expect(refusal(origin, 'https://public.example')).toContain('CORS_ORIGINS');
  });
});
