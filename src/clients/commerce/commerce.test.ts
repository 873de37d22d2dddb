import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { clientOf, credentials } from '../../../test/_util/commerce-client.ts';
import { failure } from '../../../test/_util/failure.ts';
import { closedPort, reply, serve } from '../../../test/_util/http-server.ts';
import { GatewayError } from '../../model/errors.ts';
import { CommerceRefusal, createCommerce } from './commerce.ts';

const file = (filename: string) => ({ filename, category: 'artwork' as const });

describe('signed URLs', () => {
  const signed = ({ filename }: { filename: string }) => ({
    filename,
    contentType: 'image/png',
    url: `https://storage.test/${filename}?signature=x`,
    finalUrl: `https://static.test/${filename}`,
  });

  it('are requested as documented, and returned in the order of the files', async () => {
    const server = await serve((request, response) =>
      reply(response, 201, {
        results: (request.json() as { payload: { filename: string }[] }).payload.map(signed),
      }),
    );
    const files = [file('b.png'), file('a.png')];
    const answer = await clientOf(server.url).signedUrls(credentials, 'write', files);
    expect(answer).toEqual(files.map(signed));
    expect(server.received).toHaveLength(1);
    expect(server.received[0]).toMatchObject({ method: 'POST', url: '/port/api/v1/commerce/signedUrls' });
    expect(server.received[0]?.headers).toMatchObject({
      'commerce-api-key': credentials.apiKey,
      'issuer-address': credentials.issuer,
      'content-type': 'application/json',
      accept: 'application/json',
    });
    expect(server.received[0]?.json()).toEqual({ action: 'write', payload: files });
  });

  it('in another order are sorted by their filenames', async () => {
    const server = await serve((_, response) =>
      reply(response, 201, { results: [signed(file('a.png')), signed(file('b.png'))] }),
    );
    const answer = await clientOf(server.url).signedUrls(credentials, 'read', [file('b.png'), file('a.png')]);
    expect(answer.map(({ filename }) => filename)).toEqual(['b.png', 'a.png']);
  });

  it('are read from a response that starts with a byte order mark', async () => {
    const answer = { results: [signed(file('a.png'))] };
    const server = await serve((_, response) =>
      response.writeHead(201).end(`\ufeff${JSON.stringify(answer)}`),
    );
    const read = clientOf(server.url).signedUrls(credentials, 'read', [file('a.png')]);
    expect(await read).toEqual(answer.results);
  });

  it('for files that were not requested are a bad response', async () => {
    const server = await serve((_, response) => reply(response, 201, { results: [signed(file('z.png'))] }));
    const error = await failure(clientOf(server.url).signedUrls(credentials, 'read', [file('b.png')]));
    expect(error).toMatchObject({ code: 'UPSTREAM_BAD_RESPONSE' });
  });

  it('are requested again after a temporary failure', async () => {
    const server = await serve((_, response, nth) =>
      nth === 0
        ? reply(response, 502, { statusCode: 502, message: 'Bad Gateway' })
        : nth === 1
          ? response.destroy()
          : reply(response, 201, { results: [signed(file('a.png'))] }),
    );
    const answer = await clientOf(server.url).signedUrls(credentials, 'read', [file('a.png')]);
    expect(answer).toHaveLength(1);
    expect(server.received).toHaveLength(3);
  });

  it('that are refused for several reasons give a fault with a path for each reason', async () => {
    const message = ['payload.0.filename extension is missing', 'payload.1.filename space is not allowed'];
    const server = await serve((_, response) => reply(response, 400, { statusCode: 400, message }));
    const error = await failure<CommerceRefusal>(
      clientOf(server.url).signedUrls(credentials, 'write', [file('a'), file('b .png')]),
    );
    expect(error).toBeInstanceOf(CommerceRefusal);
    expect(error.faults.map(({ code, path }) => [code, path])).toEqual([
      ['FILENAME_EXTENSION_MISSING', ['payload', '0', 'filename']],
      ['FILENAME_HAS_SPACE', ['payload', '1', 'filename']],
    ]);
    expect(server.received).toHaveLength(1);
  });

  it.each(['SERVICE_ERROR: the signer is away', 'UNKNOWN_ERROR: external ID: x', 'Internal server error'])(
    'are requested again after a 500 with the message %s',
    async (message) => {
      const server = await serve((_, response, nth) =>
        nth === 0
          ? reply(response, 500, { statusCode: 500, message })
          : reply(response, 201, { results: [signed(file('a.png'))] }),
      );
      await clientOf(server.url).signedUrls(credentials, 'read', [file('a.png')]);
      expect(server.received).toHaveLength(2);
    },
  );

  it('fail with the message of the service after repeated 500s, which do not open the breaker', async () => {
    const message = 'SERVICE_ERROR: the signer is away';
    const server = await serve((_, response) => reply(response, 500, { statusCode: 500, message }));
    const commerce = clientOf(server.url);
    for (let turn = 0; turn < 3; turn++) {
      const error = await failure<GatewayError>(commerce.signedUrls(credentials, 'read', [file('a.png')]));
      expect(error).toMatchObject({ name: 'UpstreamError', code: 'UPSTREAM_UNAVAILABLE' });
      expect(error.faults[0].upstreamMessage).toBe(message);
    }
    // That is more failures in a row than would open the breaker if they counted.
    expect(server.received).toHaveLength(9);
  });

  it('are requested again after the Retry-After of a 429', async () => {
    const at: number[] = [];
    const server = await serve((_, response, nth) => {
      at.push(Date.now());
      if (nth > 0) return reply(response, 201, { results: [signed(file('a.png'))] });
      response.setHeader('retry-after', '1');
      reply(response, 429, {});
    });
    await clientOf(server.url).signedUrls(credentials, 'read', [file('a.png')]);
    expect((at[1] as number) - (at[0] as number)).toBeGreaterThanOrEqual(950);
  });

  it('fail at once when the caller aborts, also between attempts', async () => {
    const reason = new Error('gave up');
    const abort = new AbortController();
    const server = await serve((_, response) => {
      response.setHeader('retry-after', '4');
      reply(response, 503, {});
      setTimeout(() => abort.abort(reason), 20);
    });
    const started = Date.now();
    const error = await failure<Error>(
      clientOf(server.url).signedUrls(credentials, 'read', [file('a.png')], abort.signal),
    );
    expect(error).toBe(reason);
    expect(Date.now() - started).toBeLessThan(2_000);
  });
});

describe('file metadata', () => {
  const ready = { filename: 'a.png', hash: 'sha256-00', cid: 'bafkrei', size: 712 };
  const pending = { filename: 'b.png', message: 'HASH_STILL_IN_CALCULATION' };

  it.each([
    ['as a bare list', [ready, pending]],
    ['as results', { results: [ready, pending] }],
    ['as payload', { payload: [ready, pending] }],
  ])('is accepted %s', async (_form, body) => {
    const server = await serve((_, response) => reply(response, 200, body));
    const states = await clientOf(server.url).fileMetadata(credentials, [file('a.png'), file('b.png')]);
    expect(states).toEqual([
      { ...ready, missing: false, inaccessible: false },
      { ...pending, missing: false, inaccessible: false },
    ]);
  });

  it('has its hash in lower case, as callers announce it', async () => {
    const hash = `sha256-${'AB'.repeat(32)}`;
    const server = await serve((_, response) => reply(response, 200, [{ ...ready, hash }]));
    const [state] = await clientOf(server.url).fileMetadata(credentials, [file('a.png')]);
    expect(state?.hash).toBe(`sha256-${'ab'.repeat(32)}`);
  });

  it.each([
    ['712', 712],
    [712, 712],
    [null, undefined],
    ['712 B', undefined],
    [712.5, undefined],
    [-1, undefined],
    [1e30, undefined],
    ['9'.repeat(30), undefined],
  ])('with the size %j has the size %j', async (given, size) => {
    const server = await serve((_, response) => reply(response, 200, [{ ...ready, size: given }]));
    const [state] = await clientOf(server.url).fileMetadata(credentials, [file('a.png')]);
    expect(state).toMatchObject({ hash: ready.hash, cid: ready.cid });
    expect(state?.size).toBe(size);
  });

  it('ignores unknown fields, and identifies an element without a filename by its position', async () => {
    const { filename: _, ...nameless } = ready;
    const server = await serve((_request, response) =>
      reply(response, 200, { results: [{ ...nameless, colour: 'red' }, pending], page: 1 }),
    );
    const states = await clientOf(server.url).fileMetadata(credentials, [file('a.png'), file('b.png')]);
    expect(states).toMatchObject([ready, pending]);
  });

  it.each([
    ['in an envelope', (list: unknown) => ({ statusCode: 403, message: list })],
    ['bare', (list: unknown) => list],
  ])(
    'reports the files in the list of a 403, %s, as inaccessible and not as missing',
    async (_form, wrap) => {
      const server = await serve((request, response, nth) =>
        nth === 0
          ? reply(response, 403, wrap([{ index: 1, filePath: 'x/b.png' }]))
          : reply(response, 200, { results: (request.json() as { payload: object[] }).payload }),
      );
      const states = await clientOf(server.url).fileMetadata(credentials, [file('a.png'), file('b.png')]);
      expect(states).toEqual([
        { filename: 'a.png', missing: false, inaccessible: false },
        {
          filename: 'b.png',
          message: 'not accessible (HTTP status 403)',
          missing: false,
          inaccessible: true,
        },
      ]);
    },
  );

  it('fails as unavailable when a 5xx has a list of files', async () => {
    const server = await serve((_, response) => reply(response, 500, [{ index: 0, filePath: 'x/a.png' }]));
    const error = await failure(clientOf(server.url).fileMetadata(credentials, [file('a.png')]));
    expect(error).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    expect(server.received).toHaveLength(3);
  });

  it.each([
    ['in an envelope', (list: unknown) => ({ statusCode: 404, message: list })],
    ['bare', (list: unknown) => list],
  ])(
    'reports the files in the list of a 404, %s, as missing together with the other files',
    async (_form, wrap) => {
      const server = await serve((request, response) => {
        const { payload } = request.json() as { payload: { filename: string }[] };
        const gone = payload.flatMap(({ filename }, index) =>
          filename.startsWith('gone') ? [{ index, filePath: `issuer/${filename}` }] : [],
        );
        if (gone.length > 0) return reply(response, 404, wrap(gone));
        reply(response, 200, { results: payload.map(({ filename }) => ({ ...ready, filename })) });
      });
      const names = ['gone1.png', 'a.png', 'gone2.png', 'b.png'];
      const states = await clientOf(server.url).fileMetadata(credentials, names.map(file));
      expect(states.map(({ filename, missing, cid }) => [filename, missing, cid])).toEqual([
        ['gone1.png', true, undefined],
        ['a.png', false, 'bafkrei'],
        ['gone2.png', true, undefined],
        ['b.png', false, 'bafkrei'],
      ]);
      expect(server.received).toHaveLength(2);
    },
  );

  it.each([
    ['from 1, with paths', (i: number, filename: string) => ({ index: i + 1, filePath: `0xab/${filename}` })],
    ['from 1, without paths', (i: number) => ({ index: i + 1 })],
    ['from 0, with paths of its own', (i: number) => ({ index: i, filePath: `objects/${i}c4d` })],
    [
      'from 1, with encoded paths',
      (i: number, filename: string) => ({ index: i + 1, filePath: encodeURIComponent(filename) }),
    ],
  ])('reports no other file as missing when the service counts %s', async (_form, itemOf) => {
    const names = ['a.png', '風景.png', 'b.png', 'gone.png'];
    const server = await serve((request, response) => {
      const { payload } = request.json() as { payload: { filename: string }[] };
      const gone = payload.flatMap(({ filename }, i) =>
        filename === 'gone.png' || filename === '風景.png' ? [itemOf(i, filename)] : [],
      );
      if (gone.length > 0) return reply(response, 404, { statusCode: 404, message: gone });
      reply(response, 200, { results: payload.map(({ filename }) => ({ ...ready, filename })) });
    });
    const states = await clientOf(server.url).fileMetadata(credentials, names.map(file));
    expect(states.map(({ filename, missing }) => [filename, missing])).toEqual(
      names.map((name) => [name, name === 'gone.png' || name === '風景.png']),
    );
  });

  it.each([
    ['as it is', 'gone(1).png'],
    ['with every special character encoded', 'gone%281%29.png'],
  ])('finds a missing file by its path %s, whatever its index counts from', async (_how, inPath) => {
    const server = await serve((request, response) => {
      const { payload } = request.json() as { payload: { filename: string }[] };
      if (payload.length === 3) return reply(response, 404, [{ index: 2, filePath: `issuer/${inPath}` }]);
      reply(response, 200, { results: payload.map(({ filename }) => ({ ...ready, filename })) });
    });
    const names = ['a.png', 'gone(1).png', 'b.png'];
    const states = await clientOf(server.url).fileMetadata(credentials, names.map(file));
    expect(states.map(({ missing }) => missing)).toEqual([false, true, false]);
  });

  it('is a bad response when files with the same name come in another order', async () => {
    const server = await serve((_, response) =>
      reply(response, 200, { results: ['b.png', 'a.png', 'a.png'].map((filename) => ({ filename })) }),
    );
    const certificate = { filename: 'a.png', category: 'certificate' } as const;
    const files = [file('a.png'), file('b.png'), certificate];
    const error = await failure(clientOf(server.url).fileMetadata(credentials, files));
    expect(error).toMatchObject({ code: 'UPSTREAM_BAD_RESPONSE' });
  });

  it('of missing files only takes one call', async () => {
    const server = await serve((_, response) =>
      reply(response, 404, { statusCode: 404, message: [{ index: 0, filePath: 'x/a.png' }] }),
    );
    const states = await clientOf(server.url).fileMetadata(credentials, [file('a.png')]);
    expect(states).toEqual([{ filename: 'a.png', missing: true, inaccessible: false }]);
    expect(server.received).toHaveLength(1);
  });

  it('of thousands of missing files is read in linear time', async () => {
    const files = Array.from({ length: 8_000 }, (_, i) => file(`${i}.png`));
    const absent = files.map(({ filename }, index) => ({ index, filePath: `issuer/${filename}` }));
    const server = await serve((_, response) => reply(response, 404, absent));
    const before = process.cpuUsage();
    const states = await clientOf(server.url).fileMetadata(credentials, files);
    const { user } = process.cpuUsage(before);
    expect(states.map(({ filename }) => filename)).toEqual(files.map(({ filename }) => filename));
    // Comparing each name with each path would take ten times as long.
    expect(user / 1_000).toBeLessThan(1_500);
  });

  it('that lists files that were not requested is a bad response, and not requested again', async () => {
    const server = await serve((_, response) => reply(response, 404, [{ index: 7, filePath: 'x' }]));
    const error = await failure(clientOf(server.url).fileMetadata(credentials, [file('a.png')]));
    expect(error).toMatchObject({ code: 'UPSTREAM_BAD_RESPONSE' });
    expect(server.received).toHaveLength(1);
  });
});

describe('an API key', () => {
  const absent = [{ index: 0, filePath: 'issuer/no-such-file' }];
  it.each([
    [401, { statusCode: 401, message: 'x' }, false],
    [404, { statusCode: 404, message: absent }, true],
    [404, absent, true],
    [403, absent, true],
    [200, { results: [{ filename: 'a.none', message: 'x' }] }, true],
  ])('is verified by status %i and %j: %s', async (status, body, proven) => {
    const server = await serve((_, response) => reply(response, status, body));
    expect(await clientOf(server.url).verify(credentials)).toBe(proven);
  });

  it.each([
    [404, { statusCode: 404, message: 'Cannot POST /port/api/v1/commerce/fileMetadata', error: 'Not Found' }],
    [404, '<html>no such page</html>'],
    [400, '<html>bad request</html>'],
    [200, '<html>back soon</html>'],
  ])('is not verified by a response that a proxy may send: %i %j', async (status, body) => {
    const server = await serve((_, response) => reply(response, status, body));
    const error = await failure(clientOf(server.url).verify(credentials));
    expect(error).toMatchObject({ name: 'UpstreamError', code: 'UPSTREAM_BAD_RESPONSE' });
  });

  it('is verified with a filename whose extension every service accepts', async () => {
    const server = await serve((request, response) => {
      const [{ filename }] = (request.json() as { payload: [{ filename: string }] }).payload;
      if (/\.(png|jpe?g|pdf)$/.test(filename)) reply(response, 404, absent);
      else
        reply(response, 400, { statusCode: 400, message: ['payload.0.filename extension is not allowed'] });
    });
    expect(await clientOf(server.url).verify(credentials)).toBe(true);
  });

  it('is neither verified nor refused during an outage', async () => {
    const error = await failure(clientOf(await closedPort()).verify(credentials));
    expect(error).toMatchObject({ name: 'UpstreamError', code: 'UPSTREAM_UNAVAILABLE' });
  });

  it('never appears in an error', async () => {
    const server = await serve((_, response) => reply(response, 500, { secret: 'x' }));
    const error = await failure<GatewayError>(
      clientOf(server.url).issue(credentials, { requestId: 'r', payload: [] }),
    );
    const shown = JSON.stringify([error, error.faults, error.message, error.stack, String(error.cause)]);
    expect(error).toBeInstanceOf(GatewayError);
    expect(shown).not.toContain(credentials.apiKey);
  });

  it.each([
    [401, (key: string) => ({ statusCode: 401, message: `API Key ${key} is not valid for 0x01` })],
    [400, (key: string) => ({ statusCode: 400, message: [`key ${key} is not allowed`] })],
    [502, (key: string) => `<dt>commerce-api-key</dt><dd>${key}</dd>`],
    [200, (key: string) => `Welcome, ${key}`],
  ])('never appears in an error or the log, even if a response quotes it: %i', async (status, body) => {
    const lines: string[] = [];
    const server = await serve((_, response) => reply(response, status, body(credentials.apiKey)));
    const commerce = createCommerce({
      baseUrl: server.url,
      log: pino({ level: 'trace' }, { write: (line) => lines.push(line) }),
    });
    onTestFinished(() => commerce.close());
    const error = await failure<GatewayError>(commerce.issue(credentials, { requestId: 'r', payload: [] }));
    expect(JSON.stringify([error.faults, error.stack, lines])).not.toContain(credentials.apiKey);
    expect(JSON.stringify([error.faults, lines])).toContain('[secret]');
  });

  it.each([
    'https://storage.test/a.png?signature=very-secret',
    'https://storage.test/a.png?sv=1\\u0026sig=very-secret',
  ])('and a signed URL never appear in the log, even if it quotes a malformed response: %s', async (url) => {
    const lines: string[] = [];
    const server = await serve((_, response) => response.writeHead(201).end(`{"url":"${url}"}`));
    const commerce = createCommerce({
      baseUrl: server.url,
      log: pino({ level: 'trace' }, { write: (line) => lines.push(line) }),
    });
    onTestFinished(() => commerce.close());
    await failure(commerce.signedUrls(credentials, 'read', [file('a.png')]));
    expect(lines.join()).toContain('https://storage.test/a.png?…');
    expect(lines.join()).not.toMatch(new RegExp(`very-secret|${credentials.apiKey}`));
  });
});

describe('a long response', () => {
  it.each([
    [201, { results: Array(1_000_000).fill({}) }, 'results.0.filename: '],
    [400, { message: Array(1_000_000).fill({}) }, 'not a documented answer'],
  ])('that is malformed is parsed fast, and has a short line in the log: %i', async (status, body, why) => {
    const lines: string[] = [];
    const server = await serve((_, response) => reply(response, status, body));
    const commerce = createCommerce({
      baseUrl: server.url,
      log: pino({ level: 'trace' }, { write: (line) => lines.push(line) }),
    });
    onTestFinished(() => commerce.close());
    const begun = performance.now();
    await failure(commerce.signedUrls(credentials, 'read', [file('a.png')]));
    expect(performance.now() - begun).toBeLessThan(8_000);
    expect(lines.join()).toContain(why);
    expect(lines.join().length).toBeLessThan(2_000);
  });

  it.each([
    ['is a refusal', 400, 'FILENAME_HAS_SPACE'],
    ['is a failure', 500, 'UPSTREAM_UNAVAILABLE'],
  ])('that %s is shown by its beginning', async (_what, statusCode, code) => {
    const message = `payload.0.filename space is not allowed ${'x'.repeat(100_000)}`;
    const server = await serve((_, response) => reply(response, statusCode, { statusCode, message }));
    const { faults } = await failure<GatewayError>(
      clientOf(server.url).signedUrls(credentials, 'write', [file('a b.png')]),
    );
    expect(faults).toMatchObject([{ code, upstreamMessage: `${message.slice(0, 1_999)}…` }]);
  });
});

describe('the health of the service', () => {
  it('is OK when it answers 401 without credentials', async () => {
    const server = await serve((request, response) => {
      const known = request.headers['commerce-api-key'] !== undefined;
      reply(response, known ? 200 : 401, { statusCode: 401, message: 'Missing header' });
    });
    expect(await clientOf(server.url).check()).toEqual({ health: 'OK' });
  });

  it('is DEGRADED when something else responds, and DOWN when nothing responds', async () => {
    const server = await serve((_, response) => reply(response, 200, {}));
    expect(await clientOf(server.url).check()).toMatchObject({ health: 'DEGRADED' });
    expect(await clientOf(await closedPort()).check()).toMatchObject({ health: 'DOWN' });
  });
});
