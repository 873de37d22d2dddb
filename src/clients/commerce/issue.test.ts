import { parseAddress } from '@srr-gateway/common/address';
import { describe, expect, it } from 'vitest';
import { clientOf, credentials } from '../../../test/_util/commerce-client.ts';
import { failure } from '../../../test/_util/failure.ts';
import { closedPort, reply, serve } from '../../../test/_util/http-server.ts';
import { UpstreamError } from '../../model/errors.ts';
import { CommerceRefusal, requestContentState } from './commerce.ts';

const entry = (externalId: string) => ({
  externalId,
  metadata: { title: { en: externalId } },
  artistAddress: credentials.issuer,
  isPrimaryIssuer: true,
  lockExternalTransfer: false,
});
const result = (externalId: string, i = 0) => ({
  status: 'waiting_for_mining',
  externalId,
  srr: {
    tokenId: `${i + 1}`,
    metadataCID: 'bafy',
    metadataURL: 'https://cdn.test/ipfs/bafy',
    collectionContractAddress: null,
  },
  fieldOfTomorrow: true,
});

describe('a request to issue', () => {
  const request = { requestId: 'r1', payload: [entry('one'), entry('two')] };

  it('returns one result for each entry, in the order of the entries', async () => {
    const server = await serve((_, response) =>
      reply(response, 201, { results: [result('two', 1), result('one', 0)] }),
    );
    const results = await clientOf(server.url).issue(credentials, request);
    expect(server.received[0]?.url).toBe('/port/api/v1/commerce/srrs');
    expect(server.received[0]?.json()).toEqual(request);
    expect(results).toEqual([
      {
        externalId: 'one',
        tokenId: '1',
        metadataCID: 'bafy',
        metadataURL: 'https://cdn.test/ipfs/bafy',
        collectionContractAddress: null,
        status: 'waiting_for_mining',
      },
      expect.objectContaining({ externalId: 'two', tokenId: '2' }),
    ]);
  });

  it('returns a token id without leading zeros', async () => {
    const padded = { ...result('one'), srr: { ...result('one').srr, tokenId: '0042' } };
    const server = await serve((_, response) =>
      reply(response, 201, { results: [padded, result('two', 1)] }),
    );
    const [one] = await clientOf(server.url).issue(credentials, request);
    expect(one?.tokenId).toBe('42');
  });

  it('returns the checksummed address of a collection, whatever letter case it comes in', async () => {
    const collectionContractAddress = `0x${'aB'.repeat(20)}`;
    const inCollection = { ...result('one'), srr: { ...result('one').srr, collectionContractAddress } };
    const server = await serve((_, response) =>
      reply(response, 201, { results: [inCollection, result('two', 1)] }),
    );
    const [one] = await clientOf(server.url).issue(credentials, request);
    expect(one?.collectionContractAddress).toBe(parseAddress(`0x${'ab'.repeat(20)}`));
  });

  it.each([
    ['API Key is not valid for ISSUER', []],
    ['SERVICE_ERROR: Quota limit exceeded! (ISSUER)', []],
    ['SERVICE_ERROR: ISSUER is not the owner of COLLECTION', ['payload.1.collectionAddress']],
  ])('of an issuer that is also the artist is not refused for its artistAddress: %s', async (text, paths) => {
    const collectionAddress = `0x${'c'.repeat(40)}`;
    const message = text.replace('ISSUER', credentials.issuer).replace('COLLECTION', collectionAddress);
    const server = await serve((_, response) => reply(response, 400, { statusCode: 400, message }));
    const inCollection = { ...request, payload: [entry('one'), { ...entry('two'), collectionAddress }] };
    const { faults } = await failure<CommerceRefusal>(clientOf(server.url).issue(credentials, inCollection));
    expect(faults.flatMap(({ path }) => path?.join('.') ?? [])).toEqual(paths);
  });

  it('that is refused distinguishes refused entries from those that are cancelled with them', async () => {
    const cancelled = 'SRR_NOT_CREATED: Not created because there is SRR in the same batch that error';
    const server = await serve((_, response) =>
      reply(response, 400, {
        statusCode: 400,
        message: {
          results: [
            { status: 'failed', externalId: 'one', message: cancelled },
            { status: 'failed', externalId: 'two', message: 'DUPLICATE_CHIP' },
          ],
        },
      }),
    );
    const error = await failure<CommerceRefusal>(clientOf(server.url).issue(credentials, request));
    expect(error).toBeInstanceOf(CommerceRefusal);
    expect(error.status).toBe(400);
    expect(error.code).toBe('DUPLICATE_CHIP');
    expect(error.faults).toEqual([
      expect.objectContaining({ externalId: 'two', path: ['payload', '1', 'metadata', 'chipUIDs'] }),
      expect.objectContaining({ externalId: 'one', code: 'SRR_NOT_CREATED', upstreamMessage: cancelled }),
    ]);
  });

  it.each([
    ['in_progress', 'in_progress'],
    ['successful', 'successful'],
  ])('that is refused as already logged has the state %s', async (word, state) => {
    const message = `Request Content Error: Current request already logged with status ${word}`;
    const server = await serve((_, response) => reply(response, 400, { statusCode: 400, message }));
    const error = await failure<CommerceRefusal>(clientOf(server.url).issue(credentials, request));
    expect(requestContentState(error)).toBe(state);
  });

  it.each([
    [500, 'SERVICE_ERROR: Quota limit exceeded!', 'QUOTA_EXCEEDED'],
    [500, 'UNKNOWN_ERROR: external ID: two', 'UNKNOWN_ERROR'],
    [401, `API Key is not valid for ${credentials.issuer}`, 'UNAUTHENTICATED'],
    [400, 'a rule of tomorrow', 'UNKNOWN_ERROR'],
    [500, 'SERVICE_ERROR: a reason of tomorrow', 'SERVICE_ERROR'],
  ])('that gets the response %i "%s" is refused with that message', async (status, message, code) => {
    const server = await serve((_, response) => reply(response, status, { statusCode: status, message }));
    const error = await failure<CommerceRefusal>(clientOf(server.url).issue(credentials, request));
    expect(error).toBeInstanceOf(CommerceRefusal);
    expect(error).toMatchObject({ code, status });
    expect(error.faults[0].upstreamMessage).toBe(message);
    expect(server.received).toHaveLength(1);
  });

  it.each([
    [
      'of entries',
      { results: [{ status: 'failed', externalId: 'two', message: 'a code of tomorrow' }] },
      ['a code of tomorrow'],
    ],
    ['several at once', ['a rule of tomorrow', 'another one'], ['a rule of tomorrow', 'another one']],
  ])('that is refused with undocumented messages, %s, keeps each message', async (_, message, texts) => {
    const server = await serve((_, response) => reply(response, 400, { statusCode: 400, message }));
    const error = await failure<CommerceRefusal>(clientOf(server.url).issue(credentials, request));
    expect(error).toBeInstanceOf(CommerceRefusal);
    expect(error.faults.map(({ code, upstreamMessage }) => [code, upstreamMessage])).toEqual(
      texts.map((text) => ['UNKNOWN_ERROR', text]),
    );
  });

  const unusable: [string, Parameters<typeof serve>[0], code: string, maybeProcessed: boolean][] = [
    [
      'a 502',
      (_, res) => reply(res, 502, { statusCode: 502, message: 'Bad Gateway' }),
      'UPSTREAM_UNAVAILABLE',
      true,
    ],
    [
      'an unknown 500',
      (_, res) => reply(res, 500, { statusCode: 500, message: 'oops' }),
      'UPSTREAM_UNAVAILABLE',
      true,
    ],
    ['no JSON', (_, res) => void res.writeHead(201).end('<html>'), 'UPSTREAM_BAD_RESPONSE', true],
    [
      'half a body',
      (_, res) => void res.writeHead(201, { 'content-length': 99 }).write('{"res', () => res.destroy()),
      'UPSTREAM_UNAVAILABLE',
      true,
    ],
    [
      'too few results',
      (_, res) => reply(res, 201, { results: [result('one')] }),
      'UPSTREAM_BAD_RESPONSE',
      true,
    ],
    [
      'too many results',
      (_, res) => reply(res, 201, { results: ['one', 'two', 'x'].map(result) }),
      'UPSTREAM_BAD_RESPONSE',
      true,
    ],
    [
      'results for other entries',
      (_, res) => reply(res, 201, { results: [result('one'), result('x')] }),
      'UPSTREAM_BAD_RESPONSE',
      true,
    ],
    [
      'a token id that is no number',
      (_, res) =>
        reply(res, 201, {
          results: [result('one'), { ...result('two'), srr: { ...result('two').srr, tokenId: 'abc' } }],
        }),
      'UPSTREAM_BAD_RESPONSE',
      true,
    ],
    [
      'a record with the status failed',
      (_, res) => reply(res, 201, { results: [result('one'), { ...result('two'), status: 'failed' }] }),
      'UPSTREAM_BAD_RESPONSE',
      true,
    ],
    ['a reset', (_, res) => void res.destroy(), 'UPSTREAM_UNAVAILABLE', true],
    ['silence', () => {}, 'UPSTREAM_TIMEOUT', true],
    ['a 429', (_, res) => reply(res, 429, { statusCode: 429, message: 'slow' }), 'RATE_LIMITED', false],
    // Frameworks send a 408 on a timeout of their own, while the work goes on.
    [
      'a 408',
      (_, res) => reply(res, 408, { statusCode: 408, message: 'Request Timeout' }),
      'UPSTREAM_TIMEOUT',
      true,
    ],
    ['a redirect', (_, res) => void res.writeHead(302).end(), 'UPSTREAM_BAD_RESPONSE', true],
    ["a proxy's 413", (_, res) => void res.writeHead(413).end('<html>'), 'UPSTREAM_BAD_RESPONSE', false],
  ];
  it.each(unusable)('is never repeated after %s', async (_what, handle, code, maybeProcessed) => {
    const server = await serve(handle);
    const error = await failure<UpstreamError>(
      clientOf(server.url, { issue: 300 }).issue(credentials, request),
    );
    expect(error).toBeInstanceOf(UpstreamError);
    expect(error).toMatchObject({ code, maybeProcessed, upstream: 'COMMERCE' });
    expect(server.received).toHaveLength(1);
  });

  it('to a closed port was certainly not processed', async () => {
    const error = await failure(clientOf(await closedPort()).issue(credentials, request));
    expect(error).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', maybeProcessed: false });
  });

  it('throws the abort reason if it was not sent yet, and otherwise may be processed', async () => {
    const reason = new Error('stopping');
    let arrived: () => void;
    const underWay = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const server = await serve(() => arrived());
    const client = clientOf(server.url);
    expect(await failure(client.issue(credentials, request, AbortSignal.abort(reason)))).toBe(reason);
    expect(server.received).toHaveLength(0);

    const abort = new AbortController();
    const issuing = failure(client.issue(credentials, request, abort.signal));
    await underWay;
    abort.abort(reason);
    expect(await issuing).toMatchObject({ name: 'UpstreamError', maybeProcessed: true });
  });

  it('fails at once while the breaker is open, and was certainly not processed', async () => {
    const server = await serve((_, response) => reply(response, 503, {}));
    const client = clientOf(server.url);
    for (let i = 0; i < 5; i++) await failure(client.issue(credentials, request));
    const error = await failure(client.issue(credentials, request));
    expect(error).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', maybeProcessed: false });
    expect(server.received).toHaveLength(5);
  });
});

describe('a collection', () => {
  const salt = `0x${'ea'.repeat(32)}`;

  it('is created with the salt of the request, and has its address at once', async () => {
    const made = {
      name: 'Works',
      symbol: 'W',
      collectionAddress: credentials.issuer,
      status: 'waiting_for_mining',
    };
    const server = await serve((_, response) => reply(response, 201, { result: made }));
    const answer = await clientOf(server.url).createCollection(credentials, {
      name: 'Works',
      symbol: 'W',
      salt,
    });
    expect(answer).toEqual(made);
    expect(server.received[0]?.url).toBe('/port/api/v1/commerce/collection');
    expect(server.received[0]?.json()).toEqual({ payload: { name: 'Works', symbol: 'W', salt } });
  });

  it('has a checksummed address, whatever letter case it comes in', async () => {
    const collectionAddress = `0x${'aB'.repeat(20)}`;
    const result = { name: 'Works', symbol: 'W', collectionAddress, status: 'waiting_for_mining' };
    const server = await serve((_, response) => reply(response, 201, { result }));
    const request = { name: 'Works', symbol: 'W', salt };
    const answer = await clientOf(server.url).createCollection(credentials, request);
    expect(answer.collectionAddress).toBe(parseAddress(`0x${'ab'.repeat(20)}`));
  });

  it('may have been created when its response is lost', async () => {
    const server = await serve((_, response) => void response.destroy());
    const error = await failure(
      clientOf(server.url).createCollection(credentials, { name: 'Works', symbol: 'W', salt }),
    );
    expect(error).toMatchObject({ maybeProcessed: true });
    expect(server.received).toHaveLength(1);
  });

  it('that the service fails to create is refused with the message of the service', async () => {
    const message = 'SERVICE_ERROR: the contract could not be made';
    const server = await serve((_, response) => reply(response, 500, { statusCode: 500, message }));
    const error = await failure<CommerceRefusal>(
      clientOf(server.url).createCollection(credentials, { name: 'Works', symbol: 'W', salt }),
    );
    expect(error).toBeInstanceOf(CommerceRefusal);
    expect(error).toMatchObject({ status: 500, faults: [{ upstreamMessage: message }] });
  });
});
