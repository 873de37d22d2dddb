import { createHash, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Issuer } from '../src/config/config.ts';
import { startTestGateway, type TestGateway } from './_util/gateway.ts';
import { GraphQLCaller } from './_util/graphql-caller.ts';
import { TestIssuer } from './_util/issuer.ts';
import { type RecordingProxy, startRecordingProxy } from './_util/recording-proxy.ts';
import { turnSandbox } from './_util/sandbox.ts';
import {
  extensionFault,
  keyFault,
  noTokenFault,
  scopeFault,
  sizeFault,
  spaceFault,
  takenFault,
  tokenFault,
} from './_util/typed-faults.ts';
import {
  announceLength,
  type Case,
  createUploads,
  proxy,
  put,
  refusalOf,
  rejection,
  showUploads,
  uploadFile,
  used,
} from './_util/upload-ways.ts';

/** Files must be smaller; low, so that the service's own refusal is met as well. */
const limit = 200_000;

let gateway: TestGateway;
let upstream: RecordingProxy;
let issuer: TestIssuer;
/** Acts by the gateway for an issuer whose configured key the service does not know. */
let misconfigured: GraphQLCaller;
/** Tokens with one scope each. */
let reader: GraphQLCaller;
let uploader: GraphQLCaller;

beforeAll(async () => {
  upstream = await startRecordingProxy();
  gateway = await startTestGateway({
    sandbox: { fileLimitBytes: limit },
    upstreams: { commerceUrl: upstream.url },
    issuers: ([first, second, ...others]) => [
      {
        ...(first as Issuer),
        tokens: [
          ...(first as Issuer).tokens,
          { token: 'reads-only', scopes: ['read'] },
          { token: 'uploads-only', scopes: ['upload'] },
        ],
      },
      {
        ...(second as Issuer),
        apiKey: wrongKey,
        tokens: [{ token: 'misconfigured', scopes: ['read', 'upload', 'issue'] }],
      },
      ...others,
    ],
  });
  upstream.target = gateway.info.commerceUrl;
  issuer = new TestIssuer(gateway.info);
  misconfigured = as({ authorization: 'Bearer misconfigured' });
  reader = as({ authorization: 'Bearer reads-only' });
  uploader = as({ authorization: 'Bearer uploads-only' });
});
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
});
afterEach(async () => {
  upstream.afterAnswer = undefined;
  await turnSandbox(gateway.sandbox.sandbox, { clockOffsetMs: 0 });
});

const wrongKey = 'a-key-that-is-nobodys';
const as = (headers: Record<string, string>) => new GraphQLCaller(gateway.app.url, headers);
const fresh = (extension: string) => `${randomUUID()}.${extension}`;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const commerce = (endpoint: string, body: object, headers = {}) => refusalOf(issuer, endpoint, body, headers);
const signing = (filename: string) => ({ action: 'write', payload: [{ filename, category: 'artwork' }] });

const cases: Case[] = [
  {
    name: 'a Content-Type other than the signed one',
    sandbox: [
      async () => put((await issuer.sign(fresh('png'), 'artwork')).url, 'image/jpeg', 'x'),
      [403, 'SignatureDoesNotMatch: Method, address and Content-Type must be those that were signed.'],
    ],
    gateway: [
      [
        'proxyUrl',
        () => proxy(gateway.caller, fresh('png'), { 'content-type': 'image/jpeg' }),
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
        const { url, contentType } = await issuer.sign(fresh('png'), 'artwork');
        await turnSandbox(gateway.sandbox.sandbox, { clockOffsetMs: 15 * 60_000 + 1_000 });
        return put(url, contentType, 'x');
      },
      [403, 'ExpiredToken: The signed address has expired. Request a new one.'],
    ],
    gateway: ['proxyUrl', 'uploadFile'].map((way) => [
      way,
      () => {
        // Time passes between the gateway's signature and its use.
        upstream.afterAnswer = ({ call }) =>
          call === 'signedUrls'
            ? turnSandbox(gateway.sandbox.sandbox, { clockOffsetMs: 16 * 60_000 })
            : Promise.resolve();
        return way === 'proxyUrl'
          ? proxy(gateway.caller, fresh('png'))
          : uploadFile(gateway.caller, fresh('png'));
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
    name: 'a file that does not exist',
    sandbox: [
      () => commerce('fileMetadata', { payload: [{ filename: 'never.png', category: 'artwork' }] }),
      () => [404, [{ index: 0, filePath: `${issuer.address}/artwork/never.png` }]],
    ],
    gateway: [
      [
        'issueSRRs',
        () => rejection(gateway, { file: { filename: 'never.png', category: 'ARTWORK' } }),
        {
          code: 'FILE_NOT_FOUND',
          message: expect.stringMatching(/artwork\/never\.png\. Upload the bytes first/),
        },
      ],
    ],
  },
  {
    name: 'a wrong API key',
    sandbox: [
      () => commerce('signedUrls', signing('a.png'), { 'commerce-api-key': wrongKey }),
      () => [401, `API Key is not valid for ${issuer.address}`],
    ],
    gateway: [
      ['configured, createUploads', () => createUploads(misconfigured, { filename: 'a.png' }), keyFault],
      ['configured, uploads', () => showUploads(misconfigured, 'a.png'), keyFault],
      ['configured, uploadFile', () => uploadFile(misconfigured, 'a.png'), keyFault],
      ['configured, proxyUrl', () => proxy(misconfigured, 'a.png'), { status: 401, ...keyFault }],
      [
        'passed through, createUploads',
        () => createUploads(passing(wrongKey), { filename: 'a.png' }),
        { status: 401, ...keyFault },
      ],
      ['passed through, proxyUrl', () => proxy(passing(wrongKey), 'a.png'), { status: 401, ...keyFault }],
    ],
  },
  ...(['commerce-api-key', 'issuer-address'] as const).map((header): Case => {
    const without = () => {
      const { [header]: _, ...rest } = passing(issuer.apiKey).headers;
      return as(rest);
    };
    const fault = {
      status: 401,
      code: 'UNAUTHENTICATED',
      message: 'Missing header: commerce-api-key and issuer-address go together.',
    };
    return {
      name: `a missing header: ${header}`,
      sandbox: [
        () => commerce('signedUrls', signing('a.png'), { [header]: undefined }),
        [401, 'Missing header'],
      ],
      gateway: [
        ['createUploads', () => createUploads(without(), { filename: 'a.png' }), fault],
        ['proxyUrl', () => proxy(without(), 'a.png'), fault],
      ],
    };
  }),
  {
    name: 'a name with a space',
    sandbox: [() => commerce('signedUrls', signing('a b.png')), [400, ['space is not allowed']]],
    gateway: [
      [
        'createUploads',
        () => createUploads(gateway.caller, { filename: 'a b.png' }),
        { ...spaceFault, path: ['input', 'files', '0', 'filename'] },
      ],
      [
        'uploads',
        () => showUploads(gateway.caller, 'a b.png'),
        { ...spaceFault, path: ['files', '0', 'filename'] },
      ],
      [
        'uploadFile, by the part',
        () => uploadFile(gateway.caller, 'a b.png'),
        { ...spaceFault, path: ['input', 'file'] },
      ],
      [
        'uploadFile, by filename',
        () => uploadFile(gateway.caller, 'a.png', 'x', { filename: 'a b.png' }),
        { ...spaceFault, path: ['input', 'filename'] },
      ],
      [
        'proxyUrl',
        () => proxy(gateway.caller, 'a b.png'),
        { status: 400, ...spaceFault, path: ['filename'] },
      ],
    ],
  },
  {
    name: 'a name without an extension',
    sandbox: [() => commerce('signedUrls', signing('picture')), [400, ['extension is missing']]],
    gateway: [
      [
        'createUploads',
        () => createUploads(gateway.caller, { filename: 'picture' }),
        { ...extensionFault, path: ['input', 'files', '0', 'filename'] },
      ],
      [
        'uploads',
        () => showUploads(gateway.caller, 'picture'),
        { ...extensionFault, path: ['files', '0', 'filename'] },
      ],
      [
        'uploadFile',
        () => uploadFile(gateway.caller, 'picture'),
        { ...extensionFault, path: ['input', 'file'] },
      ],
      [
        'proxyUrl',
        () => proxy(gateway.caller, 'picture'),
        { status: 400, ...extensionFault, path: ['filename'] },
      ],
    ],
  },
  {
    name: 'a size that is too large',
    sandbox: [
      async () => {
        const { url, contentType } = await issuer.sign(fresh('png'), 'artwork');
        return put(url, contentType, 'x'.repeat(limit));
      },
      [400, 'EntityTooLarge: The object is not smaller than the size limit.'],
    ],
    gateway: [
      [
        'createUploads',
        () => createUploads(gateway.caller, { filename: 'a.png', size: String(2 ** 31) }),
        { ...sizeFault, path: ['input', 'files', '0', 'size'] },
      ],
      [
        'proxyUrl, as announced',
        () => announceLength(gateway.caller, 2 ** 31),
        { status: 413, ...sizeFault },
      ],
      [
        'proxyUrl, as the service finds',
        () => proxy(gateway.caller, fresh('png'), { body: 'x'.repeat(limit) }),
        { status: 413, ...sizeFault },
      ],
      [
        'uploadFile, as the service finds',
        () => uploadFile(gateway.caller, fresh('png'), 'x'.repeat(limit)),
        sizeFault,
      ],
    ],
  },
  {
    name: 'a size that is none',
    gateway: [
      [
        'createUploads',
        () => createUploads(gateway.caller, { filename: 'a.png', size: '-1' }),
        {
          code: 'INVALID_INPUT',
          message: expect.stringMatching(/cannot be negative/),
          path: ['input', 'files', '0', 'size'],
        },
      ],
    ],
  },
  {
    name: 'a digest that is none',
    gateway: ['', 'abc', 'g'.repeat(64), `sha512-${'0'.repeat(64)}`].map((digest) => [
      `createUploads, "${digest}"`,
      () => createUploads(gateway.caller, { filename: 'a.png', sha256: digest }),
      {
        code: 'INVALID_INPUT',
        message: expect.stringMatching(/64 hex digits/),
        path: ['input', 'files', '0', 'sha256'],
      },
    ]),
  },
  {
    name: 'a used name with new content',
    sandbox: [
      async () => {
        const { url, contentType, filename } = await issuer.sign(fresh('png'), 'artwork');
        await put(url, contentType, 'old');
        return put((await issuer.sign(filename, 'artwork')).url, contentType, 'new');
      },
      [412, 'PreconditionFailed: A used name cannot take new content.'],
    ],
    gateway: [
      [
        'proxyUrl',
        async () => proxy(gateway.caller, await used(issuer, reader)),
        { status: 409, ...takenFault },
      ],
      ['uploadFile', async () => uploadFile(gateway.caller, await used(issuer, reader)), takenFault],
      [
        'createUploads',
        async () =>
          createUploads(gateway.caller, { filename: await used(issuer, reader), sha256: sha256('new') }),
        { ...takenFault, path: ['input', 'files', '0', 'filename'] },
      ],
    ],
  },
  {
    name: 'a bad token',
    gateway: ['Bearer nobody-knows-this', 'Bearer ', 'Basic dXNlcjpwYXNz'].flatMap((authorization) => {
      const stranger = () => as({ authorization });
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
      ['createUploads', () => createUploads(as({}), { filename: 'a.png' }), noTokenFault],
      ['uploads', () => showUploads(as({}), 'a.png'), noTokenFault],
      ['uploadFile', () => uploadFile(as({}), 'a.png'), noTokenFault],
      ['proxyUrl', () => proxy(as({}), 'a.png'), { status: 401, ...noTokenFault }],
    ],
  },
  {
    name: 'a missing scope',
    gateway: [
      ['createUploads', () => createUploads(reader, { filename: 'a.png' }), scopeFault],
      ['uploadFile', () => uploadFile(reader, 'a.png'), scopeFault],
      ['proxyUrl', () => proxy(reader, 'a.png'), { status: 403, ...scopeFault }],
      ['uploads', () => showUploads(uploader, 'a.png'), scopeFault],
    ],
  },
];

describe.each(cases)('$name', (one) => {
  if (one.sandbox) {
    const [ask, expected] = one.sandbox;
    it('is refused by the service as documented', async () => {
      expect(await ask()).toEqual(typeof expected === 'function' ? expected() : expected);
    });
  }

  it.each(one.gateway)('is a typed error of the gateway: %s', async (_, ask, expected) => {
    const answer = await ask();
    expect(answer).toMatchObject(expected);
    expect(answer.status).toBeLessThan(500);
    // No key and no signature may come back in an error.
    expect(JSON.stringify(answer)).not.toMatch(new RegExp(`${wrongKey}|${issuer.apiKey}|Signature=`));
  });
});

it('a scope that is there is enough', async () => {
  const { createUploads: made } = await uploader.data(
    `mutation { createUploads(input: { files: [{ filename: "scoped.png", category: ARTWORK }] }) {
      uploads { filename status signedUrl } userErrors { code } } }`,
  );
  expect(made).toMatchObject({
    uploads: [{ filename: 'scoped.png', status: 'AWAITING_BYTES' }],
    userErrors: [],
  });
  const { uploads } = await reader.data(
    '{ uploads(files: [{ filename: "scoped.png", category: ARTWORK }]) { status } }',
  );
  expect(uploads).toEqual([{ status: 'AWAITING_BYTES' }]);
});

function passing(apiKey: string): GraphQLCaller {
  return as({ 'commerce-api-key': apiKey, 'issuer-address': issuer.address });
}
