import { randomUUID } from 'node:crypto';
import { turnSandbox } from '@srr-gateway/sandbox/testing/sandbox';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type FaultBench, startFaultBench, testEachCase, wrongKey } from '../_util/fault-bench.ts';
import { keyFault, noTokenFault, scopeFault, tokenFault } from '../_util/typed-faults.ts';
import { type Case, createUploads, proxy, put, showUploads, uploadFile } from '../_util/upload-calls.ts';

let at: FaultBench;
beforeAll(async () => {
  at = await startFaultBench();
});
afterAll(() => at?.stop());
afterEach(() => at.reset());

const signing = (filename: string) => ({ action: 'write', payload: [{ filename, category: 'artwork' }] });
const fresh = (extension: string) => `${randomUUID()}.${extension}`;

const cases: Case[] = [
  {
    name: 'a Content-Type other than the signed one',
    sandbox: [
      async () => put((await at.issuer.sign(fresh('png'), 'artwork')).url, 'image/jpeg', 'x'),
      [403, 'SignatureDoesNotMatch: Method, address and Content-Type must be those that were signed.'],
    ],
    gateway: [
      [
        'proxyUrl',
        () => proxy(at.gateway.caller, fresh('png'), { 'content-type': 'image/jpeg' }),
        {
          status: 400,
          code: 'INVALID_INPUT',
          message: 'Send this file with Content-Type: image/png (Upload.contentType), not image/jpeg.',
          path: ['Content-Type'],
        },
      ],
    ],
  },
  {
    name: 'an expired signature',
    sandbox: [
      async () => {
        const { url, contentType } = await at.issuer.sign(fresh('png'), 'artwork');
        await turnSandbox(at.gateway.sandbox.sandbox, { clockOffsetMs: 15 * 60_000 + 1_000 });
        return put(url, contentType, 'x');
      },
      [403, 'ExpiredToken: The signed address has expired. Request a new one.'],
    ],
    gateway: ['proxyUrl', 'uploadFile'].map((way) => [
      way,
      () => {
        // The signed URL expires before the gateway uses it.
        at.upstream.afterAnswer = ({ call }) =>
          call === 'signedUrls'
            ? turnSandbox(at.gateway.sandbox.sandbox, { clockOffsetMs: 16 * 60_000 })
            : Promise.resolve();
        return way === 'proxyUrl'
          ? proxy(at.gateway.caller, fresh('png'))
          : uploadFile(at.gateway.caller, fresh('png'));
      },
      {
        status: way === 'proxyUrl' ? 403 : 200,
        code: 'FORBIDDEN',
        message: expect.stringMatching(/expired.*send the bytes again/),
        upstreamMessage: expect.stringMatching(/^ExpiredToken/),
      },
    ]),
  },
  {
    name: 'a wrong API key',
    sandbox: [
      () => at.refusal('signedUrls', signing('a.png'), { 'commerce-api-key': wrongKey }),
      () => [401, `API Key is not valid for ${at.issuer.address}`],
    ],
    gateway: [
      ['configured, createUploads', () => createUploads(at.misconfigured, { filename: 'a.png' }), keyFault],
      ['configured, uploads', () => showUploads(at.misconfigured, 'a.png'), keyFault],
      ['configured, uploadFile', () => uploadFile(at.misconfigured, 'a.png'), keyFault],
      ['configured, proxyUrl', () => proxy(at.misconfigured, 'a.png'), { status: 401, ...keyFault }],
      [
        'passed through, createUploads',
        () => createUploads(at.passing(wrongKey), { filename: 'a.png' }),
        { status: 401, ...keyFault },
      ],
      ['passed through, proxyUrl', () => proxy(at.passing(wrongKey), 'a.png'), { status: 401, ...keyFault }],
    ],
  },
  ...(['commerce-api-key', 'issuer-address'] as const).map((header): Case => {
    const without = () => {
      const { [header]: _, ...rest } = at.passing(at.issuer.apiKey).headers;
      return at.as(rest);
    };
    const fault = {
      status: 401,
      code: 'UNAUTHENTICATED',
      message: 'Missing header: commerce-api-key and issuer-address go together.',
    };
    return {
      name: `a missing header: ${header}`,
      sandbox: [
        () => at.refusal('signedUrls', signing('a.png'), { [header]: undefined }),
        [401, 'Missing header'],
      ],
      gateway: [
        ['createUploads', () => createUploads(without(), { filename: 'a.png' }), fault],
        ['proxyUrl', () => proxy(without(), 'a.png'), fault],
      ],
    };
  }),
  {
    name: 'a bad token',
    gateway: ['Bearer nobody-knows-this', 'Bearer ', 'Basic dXNlcjpwYXNz'].flatMap((authorization) => {
      const stranger = () => at.as({ authorization });
      return [
        [
          `createUploads, ${authorization.split(' ')[0]}`,
          () => createUploads(stranger(), { filename: 'a.png' }),
          tokenFault,
        ],
        [`proxyUrl, ${authorization.split(' ')[0]}`, () => proxy(stranger(), 'a.png'), tokenFault],
      ] as Case['gateway'];
    }),
  },
  {
    name: 'no token',
    gateway: [
      ['createUploads', () => createUploads(at.as({}), { filename: 'a.png' }), noTokenFault],
      ['uploads', () => showUploads(at.as({}), 'a.png'), noTokenFault],
      ['uploadFile', () => uploadFile(at.as({}), 'a.png'), noTokenFault],
      ['proxyUrl', () => proxy(at.as({}), 'a.png'), { status: 401, ...noTokenFault }],
    ],
  },
  {
    name: 'a missing scope',
    gateway: [
      ['createUploads', () => createUploads(at.reader, { filename: 'a.png' }), scopeFault],
      ['uploadFile', () => uploadFile(at.reader, 'a.png'), scopeFault],
      ['proxyUrl', () => proxy(at.reader, 'a.png'), { status: 403, ...scopeFault }],
      ['uploads', () => showUploads(at.uploader, 'a.png'), scopeFault],
    ],
  },
];

testEachCase(cases, () => at);

it('one scope is enough for its operations', async () => {
  const { createUploads: made } = await at.uploader.data(
    `mutation { createUploads(input: { files: [{ filename: "scoped.png", category: ARTWORK }] }) {
      uploads { filename status signedUrl } userErrors { code } } }`,
  );
  expect(made).toMatchObject({
    uploads: [{ filename: 'scoped.png', status: 'AWAITING_BYTES' }],
    userErrors: [],
  });
  const { uploads } = await at.reader.data(
    '{ uploads(files: [{ filename: "scoped.png", category: ARTWORK }]) { status } }',
  );
  expect(uploads).toEqual([{ status: 'AWAITING_BYTES' }]);
});

it('a file can be read back only with the scope read or upload', async () => {
  const { gateway, reader, uploader } = at;
  const filename = fresh('png');
  await gateway.caller.upload(filename, 'ARTWORK', 'a work');
  const read = async (headers: Record<string, string>) => {
    const response = await fetch(`${gateway.app.url}/uploads/artwork/${filename}`, { headers });
    const text = await response.text();
    return [response.status, response.ok ? text : JSON.parse(text).error.code];
  };
  for (const { headers } of [gateway.caller, reader, uploader])
    expect(await read(headers)).toEqual([200, 'a work']);
  expect(await read({ authorization: 'Bearer issues-only' })).toEqual([403, 'FORBIDDEN']);
  expect(await read({})).toEqual([401, 'UNAUTHENTICATED']);
});
