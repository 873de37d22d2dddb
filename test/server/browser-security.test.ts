import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { postQuery } from '../_util/graphql-caller.ts';
import { type LoneGateway, startLoneGateway } from '../_util/lone-gateway.ts';

let gateway: LoneGateway;
/** One that lists the origins of its pages. */
let strict: LoneGateway;
beforeAll(async () => {
  gateway = await startLoneGateway();
  strict = await startLoneGateway({
    CORS_ORIGINS: 'https://shop.example,https://admin.example',
    PUBLIC_URL: 'https://gateway.example',
  });
});
afterAll(async () => {
  await gateway?.stop();
  await strict?.stop();
});

const ask = (url: string, headers: Record<string, string>) => postQuery(url, '{ __typename }', headers);

describe('the security headers', () => {
  it.each(['/graphql?query={__typename}', '/health/live', '/nothing-here'])(
    'forbid type sniffing and framing in every response (%s)',
    async (path) => {
      const { headers } = await fetch(gateway.app.url + path);
      expect(Object.fromEntries(headers)).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
      });
      expect(headers.has('strict-transport-security')).toBe(false);
      expect(headers.has('x-powered-by') || headers.has('server')).toBe(false);
    },
  );

  it('include HSTS if PUBLIC_URL is https', async () => {
    const { headers } = await fetch(`${strict.address}/health/live`);
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
  });
});

describe('pages of other origins', () => {
  const requestedHeaders =
    'authorization,baggage,traceparent,apollographql-client-name,apollographql-client-version,x-of-somebody';
  const preflight = (url: string, origin: string, path = '/graphql') =>
    fetch(url + path, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': requestedHeaders,
      },
    });

  it.each(['/graphql', '/uploads/artwork/a.png'])('may all call by default (%s)', async (path) => {
    const { status, headers } = await preflight(gateway.app.url, 'https://anybody.example', path);
    expect([status, headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    expect(headers.get('access-control-allow-headers')).toBe(requestedHeaders);
    expect(headers.get('access-control-allow-methods')).toBe('GET, POST, PUT, DELETE');
    expect(headers.get('access-control-max-age')).toBe('86400');
    expect(headers.get('vary')).toContain('access-control-request-headers');
    // With this header a page could act with the credentials of its reader.
    expect(headers.has('access-control-allow-credentials')).toBe(false);
  });

  it('may read the headers about caching, paging, budgets, retries and request ids', async () => {
    const { headers } = await ask(gateway.app.url, { origin: 'https://anybody.example' });
    expect(headers.get('access-control-expose-headers')?.split(', ')).toEqual([
      'cache-status',
      'content-range',
      'etag',
      'link',
      'location',
      'ratelimit',
      'ratelimit-policy',
      'retry-after',
      'x-request-id',
    ]);
  });

  it('may call only if CORS_ORIGINS lists them', async () => {
    const yes = await preflight(strict.address, 'https://shop.example');
    expect(yes.headers.get('access-control-allow-origin')).toBe('https://shop.example');
    for (const origin of [
      'https://evil.example',
      'https://shop.example.evil.example',
      'http://shop.example',
      'null',
    ]) {
      const no = await preflight(strict.address, origin);
      expect([...no.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
      const answer = await ask(strict.address, { origin });
      expect(answer.headers.has('access-control-allow-origin')).toBe(false);
      expect(answer.headers.get('vary')).toContain('origin');
      const other = await fetch(`${strict.address}/health/live`, { headers: { origin } });
      expect(other.headers.get('vary')).toBe('origin');
    }
  });

  it('may open a WebSocket only if listed, although browsers send no preflight for it', async () => {
    const statusFor = async (url: string, origin: string | undefined) => {
      const headers = origin === undefined ? {} : { origin };
      const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
        headers,
      });
      onTestFinished(() => socket.on('error', () => {}).terminate());
      const [answer] = await Promise.race([
        once(socket, 'upgrade'),
        once(socket, 'unexpected-response').then(([, refused]) => [refused]),
      ]);
      return answer.statusCode;
    };
    for (const origin of ['https://evil.example', 'http://shop.example', 'null'])
      expect([origin, await statusFor(strict.address, origin)]).toEqual([origin, 403]);
    for (const origin of [undefined, 'https://shop.example', strict.address])
      expect([origin, await statusFor(strict.address, origin)]).toEqual([origin, 101]);
    expect(await statusFor(gateway.app.url, 'https://anybody.example')).toBe(101);
  });

  it.each([
    ['a form', 'application/x-www-form-urlencoded', 'query=%7B__typename%7D'],
    ['a file form', 'multipart/form-data; boundary=x', '--x--'],
    ['plain text', 'text/plain', '{"query":"{ __typename }"}'],
  ])('cannot send %s without a preflight', async (_what, type, body) => {
    const post = (headers: Record<string, string>) =>
      fetch(`${gateway.app.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': type, ...headers },
        body,
      });
    const refused: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'null' },
    ];
    for (const headers of refused) {
      const answer = await post(headers);
      expect(answer.status).toBe(403);
      expect(await answer.text()).toContain('apollo-require-preflight');
    }
    // Not from a browser, from the gateway's own page, or with a header that forces a preflight.
    const taken: Record<string, string>[] = [
      {},
      { origin: gateway.app.url },
      { origin: 'https://a.example', 'apollo-require-preflight': '1' },
    ];
    for (const headers of taken) expect((await post(headers)).status).not.toBe(403);
  });
});
