import { createHash, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { type FaultBench, fileLimit, startFaultBench, testEachCase } from '../_util/fault-bench.ts';
import { extensionFault, sizeFault, spaceFault, takenFault } from '../_util/typed-faults.ts';
import {
  announceLength,
  type Case,
  createUploads,
  proxy,
  put,
  readyFile,
  rejection,
  showUploads,
  uploadFile,
} from '../_util/upload-calls.ts';

let at: FaultBench;
beforeAll(async () => {
  at = await startFaultBench();
});
afterAll(() => at?.stop());
afterEach(() => at.reset());

const signing = (filename: string) => ({ action: 'write', payload: [{ filename, category: 'artwork' }] });
const fresh = (extension: string) => `${randomUUID()}.${extension}`;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const cases: Case[] = [
  {
    name: 'a file that does not exist',
    sandbox: [
      () => at.refusal('fileMetadata', { payload: [{ filename: 'never.png', category: 'artwork' }] }),
      () => [404, [{ index: 0, filePath: `${at.issuer.address}/artwork/never.png` }]],
    ],
    gateway: [
      [
        'issueSRRs',
        () => rejection(at.gateway, { file: { filename: 'never.png', category: 'ARTWORK' } }),
        {
          code: 'FILE_NOT_FOUND',
          message: expect.stringMatching(/artwork\/never\.png\. Upload the bytes first/),
        },
      ],
    ],
  },
  {
    name: 'a name with a space',
    sandbox: [() => at.refusal('signedUrls', signing('a b.png')), [400, ['space is not allowed']]],
    gateway: [
      [
        'createUploads',
        () => createUploads(at.gateway.caller, { filename: 'a b.png' }),
        { ...spaceFault, path: ['input', 'files', '0', 'filename'] },
      ],
      [
        'uploads',
        () => showUploads(at.gateway.caller, 'a b.png'),
        { ...spaceFault, path: ['files', '0', 'filename'] },
      ],
      [
        'uploadFile, by the part',
        () => uploadFile(at.gateway.caller, 'a b.png'),
        { ...spaceFault, path: ['input', 'file'] },
      ],
      [
        'uploadFile, by filename',
        () => uploadFile(at.gateway.caller, 'a.png', 'x', { filename: 'a b.png' }),
        { ...spaceFault, path: ['input', 'filename'] },
      ],
      [
        'proxyUrl',
        () => proxy(at.gateway.caller, 'a b.png'),
        { status: 400, ...spaceFault, path: ['filename'] },
      ],
    ],
  },
  {
    name: 'a name without an extension',
    sandbox: [() => at.refusal('signedUrls', signing('picture')), [400, ['extension is missing']]],
    gateway: [
      [
        'createUploads',
        () => createUploads(at.gateway.caller, { filename: 'picture' }),
        { ...extensionFault, path: ['input', 'files', '0', 'filename'] },
      ],
      [
        'uploads',
        () => showUploads(at.gateway.caller, 'picture'),
        { ...extensionFault, path: ['files', '0', 'filename'] },
      ],
      [
        'uploadFile',
        () => uploadFile(at.gateway.caller, 'picture'),
        { ...extensionFault, path: ['input', 'file'] },
      ],
      [
        'proxyUrl',
        () => proxy(at.gateway.caller, 'picture'),
        { status: 400, ...extensionFault, path: ['filename'] },
      ],
    ],
  },
  {
    name: 'a size that is too large',
    sandbox: [
      async () => {
        const { url, contentType } = await at.issuer.sign(fresh('png'), 'artwork');
        return put(url, contentType, 'x'.repeat(fileLimit));
      },
      [400, 'EntityTooLarge: The object is not smaller than the size limit.'],
    ],
    gateway: [
      [
        'createUploads',
        () => createUploads(at.gateway.caller, { filename: 'a.png', size: String(2 ** 31) }),
        { ...sizeFault, path: ['input', 'files', '0', 'size'] },
      ],
      [
        'proxyUrl, as announced',
        () => announceLength(at.gateway.caller, 2 ** 31),
        { status: 413, ...sizeFault },
      ],
      [
        'proxyUrl, as the service reports',
        () => proxy(at.gateway.caller, fresh('png'), { body: 'x'.repeat(fileLimit) }),
        { status: 413, ...sizeFault },
      ],
      [
        'uploadFile, as the service reports',
        () => uploadFile(at.gateway.caller, fresh('png'), 'x'.repeat(fileLimit)),
        sizeFault,
      ],
    ],
  },
  {
    name: 'a negative size',
    gateway: [
      [
        'createUploads',
        () => createUploads(at.gateway.caller, { filename: 'a.png', size: '-1' }),
        {
          code: 'INVALID_INPUT',
          message: expect.stringMatching(/0 or more/),
          path: ['input', 'files', '0', 'size'],
        },
      ],
    ],
  },
  {
    name: 'an invalid digest',
    gateway: ['', 'abc', 'g'.repeat(64), `sha512-${'0'.repeat(64)}`].map((digest) => [
      `createUploads, "${digest}"`,
      () => createUploads(at.gateway.caller, { filename: 'a.png', sha256: digest }),
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
        const { url, contentType, filename } = await at.issuer.sign(fresh('png'), 'artwork');
        await put(url, contentType, 'old');
        return put((await at.issuer.sign(filename, 'artwork')).url, contentType, 'new');
      },
      [412, 'PreconditionFailed: A used name cannot take new content.'],
    ],
    gateway: [
      [
        'proxyUrl',
        async () => proxy(at.gateway.caller, await readyFile(at.issuer, at.reader)),
        { status: 409, ...takenFault },
      ],
      [
        'uploadFile',
        async () => uploadFile(at.gateway.caller, await readyFile(at.issuer, at.reader)),
        takenFault,
      ],
      [
        'createUploads',
        async () =>
          createUploads(at.gateway.caller, {
            filename: await readyFile(at.issuer, at.reader),
            sha256: sha256('new'),
          }),
        { ...takenFault, path: ['input', 'files', '0', 'filename'] },
      ],
    ],
  },
];

testEachCase(cases, () => at);
