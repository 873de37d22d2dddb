import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type IssueBench, startIssueBench } from './issue-bench.ts';

let at: IssueBench;
beforeAll(async () => {
  at = await startIssueBench();
});
afterAll(() => at?.stop());

describe('without the right credentials', () => {
  const endpoints = ['signedUrls', 'fileMetadata', 'srrs', 'collection'];

  it.each(endpoints)('%s requires both headers, and a key that belongs to the address', async (endpoint) => {
    for (const name of ['commerce-api-key', 'issuer-address'])
      expect(await at.issuer.post(endpoint, {}, { [name]: undefined })).toEqual({
        status: 401,
        body: { statusCode: 401, message: 'Missing header' },
      });
    for (const headers of [
      { 'commerce-api-key': 'wrong' },
      { 'issuer-address': at.other.address },
      { 'issuer-address': 'nonsense' },
    ])
      expect(await at.issuer.post(endpoint, '{', headers)).toEqual({
        status: 401,
        body: {
          statusCode: 401,
          message: `API Key is not valid for ${headers['issuer-address'] ?? at.issuer.address}`,
        },
      });
    const lower = await at.issuer.post(endpoint, {}, { 'issuer-address': at.issuer.address.toLowerCase() });
    expect(lower.status).toBe(400);
  });
});

describe('a body that cannot be read', () => {
  const categoryRule =
    'payload.0.category must be one of the following values: certificate,for_authenticity,artwork,installation,non_attachment_file';

  it.each([
    ['an extension that is missing', { filename: 'picture' }, ['extension is missing']],
    ['a name that is all extension', { filename: '.png' }, ['extension is missing']],
    ['a name that ends in a dot', { filename: 'a.' }, ['extension is missing']],
    ['a space', { filename: 'a b.png' }, ['space is not allowed']],
    ['both', { filename: 'a b' }, ['extension is missing', 'space is not allowed']],
    ['no category', { category: undefined }, [categoryRule]],
    ['an unknown category', { category: 'Artwork' }, [categoryRule]],
    ['a filename that is no text', { filename: 5 }, ['payload.0.filename must be a string']],
  ])('is refused for %s', async (_, fault, message) => {
    const payload = [{ filename: 'a.png', category: 'artwork', ...fault }];
    const refusal = { status: 400, body: { statusCode: 400, message } };
    expect(await at.issuer.post('signedUrls', { action: 'write', payload })).toEqual(refusal);
    expect(await at.issuer.post('fileMetadata', { payload })).toEqual(refusal);
  });

  it.each(['signedUrls', 'fileMetadata', 'srrs', 'collection'])(
    '%s answers in its envelope, whatever it is',
    async (endpoint) => {
      const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
      const bodies = ['', '{', 'null', '[]', '"text"', '{"payload":null}', '{"payload":[null,1,[]]}'];
      bodies.push(deep, '{"payload":[{"filename":"a\\u0000.png"}]}', '{"__proto__":{"a":1}}');
      bodies.push('{"payload":{"name":"\\ud800","symbol":"a"}}');
      for (const body of bodies) {
        const answer = await at.issuer.post(endpoint, body);
        expect(answer, body.slice(0, 80)).toMatchObject({ status: 400, body: { statusCode: 400 } });
        expect(answer.body.message.length, body.slice(0, 80)).toBeGreaterThan(0);
      }
      expect((await at.issuer.post(endpoint, 'a=b', { 'content-type': 'text/plain' })).status).toBe(400);
    },
  );

  it('of a collection requires name, symbol and a salt of 32 bytes', async () => {
    expect(
      (await at.issuer.post('collection', { payload: { symbol: '', salt: '0x12' } })).body.message,
    ).toEqual([
      'payload.name must be a string',
      'payload.name should not be empty',
      'payload.symbol should not be empty',
      'payload.salt must be 0x followed by 64 hexadecimal digits',
    ]);
  });
});

it('an unknown path gets an error in the service’s envelope', async () => {
  const response = await fetch(`${at.test.sandbox.url}/port/api/v1/nothing`);
  expect(response.status).toBe(404);
  expect(await response.json()).toEqual({ statusCode: 404, message: 'Cannot GET /port/api/v1/nothing' });
});

describe('file information', () => {
  it('keeps the order, and says which hashes are still being calculated', async () => {
    const filename = `${randomUUID()}.png`;
    onTestFinished(() => at.turn({ hashDelayMs: 0 }));
    await at.turn({ hashDelayMs: 3_600_000 });
    await at.issuer.upload(filename, 'artwork', 'not yet');
    const { body } = await at.issuer.post('fileMetadata', {
      payload: [
        { filename, category: 'artwork' },
        { filename: 'ready.png', category: 'non_attachment_file' },
      ],
    });
    expect(body.results).toEqual([
      { filename, message: 'HASH_STILL_IN_CALCULATION' },
      { filename: 'ready.png', hash: expect.stringMatching(/^sha256-/), cid: expect.any(String), size: 7 },
    ]);
  });

  it('lists only the files that are missing', async () => {
    const answer = await at.issuer.post('fileMetadata', {
      payload: [
        { filename: 'ready.png', category: 'non_attachment_file' },
        { filename: 'never.png', category: 'artwork' },
        { filename: 'ready.pdf', category: 'installation' },
      ],
    });
    expect(answer).toEqual({
      status: 404,
      body: {
        statusCode: 404,
        message: [
          { index: 1, filePath: `${at.issuer.address}/artwork/never.png` },
          { index: 2, filePath: `${at.issuer.address}/installation/ready.pdf` },
        ],
      },
    });
  });
});
