import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { capturedLog } from '../../../test/_util/captured-log.ts';
import { failure } from '../../../test/_util/failure.ts';
import { closedPort, type Received, reply, serve } from '../../../test/_util/http-server.ts';
import { answer, clientOf, type Operation, says, variablesOf } from '../../../test/_util/schema-subgraph.ts';
import type { SubgraphError } from './subgraph.ts';

describe('a failing subgraph', () => {
  it.each([
    [
      'BLOCK_PRUNED',
      'Failed to decode `block.number` value: `subgraph Qm only has data starting at block number 9 and data for block number 5 is therefore not available`',
    ],
    ['BLOCK_UNKNOWN', 'Failed to decode `block.hash` value: `no block with that hash found`'],
    ['NOT_DEPLOYED', 'deployment `Qm` does not exist'],
    ['NOT_DEPLOYED', 'subgraph not found: x'],
    ['UNAUTHORISED', 'auth error: API key not found'],
    ['QUERY_TIMEOUT', 'Query timed out'],
    ['INDEXING_ERROR', 'indexing_error'],
    ['BAD_QUERY', 'The `skip` argument must be between 0 and 5000, but is 6000'],
    ['UNKNOWN', 'something new'],
  ])('is %s when its error is "%s"', async (kind, message) => {
    const server = await serve(says(message));
    const error = await failure<SubgraphError>(clientOf([server.url]).meta());
    expect(error).toMatchObject({ name: 'SubgraphError', kind, upstream: 'SUBGRAPH' });
    expect(error.faults[0].upstreamMessage).toBe(message);
    expect(server.received).toHaveLength(1);
  });

  it.each([
    [
      'OVERLOADED',
      'service is overloaded and can not run the query right now. Please try again in a few minutes',
    ],
    ['NO_INDEXER', 'bad indexers: {0x1: Timeout, 0x2: BadResponse(no)}'],
    ['NO_INDEXER', 'no indexers found'],
    ['REORGANISED', 'the chain was reorganized while executing the query'],
  ])('is requested a few more times while it is %s ("%s")', async (kind, message) => {
    const server = await serve(says(message));
    expect(await failure<SubgraphError>(clientOf([server.url]).meta())).toMatchObject({ kind });
    expect(server.received).toHaveLength(3);
  });

  it.each([
    [502, 'UNREACHABLE', 3],
    [503, 'UNREACHABLE', 3],
    [504, 'UNREACHABLE', 3],
    [500, 'UNKNOWN', 1],
  ])('with status %i and an unknown error is %s, and is requested %i times', async (status, kind, times) => {
    const message = 'upstream connect error';
    const server = await serve((_, response) => reply(response, status, { errors: [{ message }] }));
    const error = await failure<SubgraphError>(clientOf([server.url]).meta());
    expect([error.kind, error.faults[0].upstreamMessage]).toEqual([kind, message]);
    expect(server.received).toHaveLength(times);
  });

  it('keeps the meaning of a known error whatever its status', async () => {
    const errors = [{ message: 'Query timed out' }];
    const server = await serve((_, response) => reply(response, 504, { errors }));
    expect(await failure<SubgraphError>(clientOf([server.url]).meta())).toMatchObject({
      kind: 'QUERY_TIMEOUT',
    });
  });

  it.each([
    ['QUERY_TIMEOUT', 'Query timed out', 1],
    ['BAD_QUERY', 'The `skip` argument must be between 0 and 5000, but is 6000', 0],
  ])('with %s (%s) causes requests to the next endpoint: %i', async (_kind, message, times) => {
    const [first, second] = [
      await serve(says(message)),
      await serve((one, response) => answer(one, response)),
    ];
    await clientOf([first.url, second.url])
      .meta()
      .catch(() => {});
    expect([first.received.length, second.received.length]).toEqual([1, times]);
  });

  it.each([
    [
      'its data is malformed',
      (_: Received, response: ServerResponse) => reply(response, 200, { data: { _meta: null } }),
    ],
    [
      'it does not return GraphQL',
      (_: Received, response: ServerResponse) => response.writeHead(200).end('<html>'),
    ],
  ])('is a bad response when %s', async (_what, handle) => {
    const server = await serve(handle);
    expect(await failure<SubgraphError>(clientOf([server.url]).meta())).toMatchObject({
      kind: 'BAD_ANSWER',
      code: 'UPSTREAM_BAD_RESPONSE',
    });
  });

  it.each([
    ['wrong address', 404, 'status 404: no such page'],
    ['missing key', 401, 'status 401: no such page'],
    ['web page instead of a response', 200, expect.stringContaining('not valid JSON')],
  ])('has one line in the log for a %s, and one when it works again', async (_what, status, why) => {
    let mended = false;
    const server = await serve((request, response) =>
      mended ? answer(request, response) : response.writeHead(status).end('no such page'),
    );
    const { log: captured, lines } = capturedLog();
    const client = clientOf([server.url], { log: captured });
    for (let n = 0; n < 3; n++) await failure(client.meta());
    mended = true;
    await client.meta();
    const shown = lines().filter(({ level }) => (level as number) >= 30);
    expect(shown).toMatchObject([
      {
        level: 40,
        host: new URL(server.url).host,
        msg: 'SUBGRAPH_URL: no GraphQL answer',
        err: { message: why },
      },
      { level: 30, msg: 'it works again' },
    ]);
  });

  it('refuses the key when its host asks to be paid, which the host says with every response', async () => {
    const server = await serve((_, response) => response.writeHead(402).end('Payment required'));
    const client = clientOf([server.url]);
    for (let n = 0; n < 6; n++)
      expect(await failure<SubgraphError>(client.meta())).toMatchObject({ kind: 'UNAUTHORISED' });
    expect(server.received).toHaveLength(6);
  });

  it('has the error of the endpoint that responds, not of one that cannot be reached', async () => {
    const [slow, gone] = [
      await serve(says('Query timed out')),
      await serve((_, response) => response.writeHead(404).end()),
    ];
    const client = clientOf([await closedPort(), slow.url]);
    expect(await failure<SubgraphError>(client.meta())).toMatchObject({ kind: 'QUERY_TIMEOUT' });
    expect(await failure<SubgraphError>(clientOf([gone.url]).meta())).toMatchObject({ kind: 'NOT_DEPLOYED' });
  });

  it.each([
    [400, 'QUERY_TIMEOUT'],
    [401, 'UNAUTHORISED'],
    [403, 'UNAUTHORISED'],
  ])('with the error of a slow query and status %i is %s', async (status, kind) => {
    const server = await serve((_request, response) =>
      reply(response, status, { errors: [{ message: 'Query timed out' }] }),
    );
    expect(await failure<SubgraphError>(clientOf([server.url]).meta())).toMatchObject({ kind });
  });

  it('does not open the breaker with errors of GraphQL', async () => {
    const server = await serve(says('Query timed out'));
    const client = clientOf([server.url]);
    for (let n = 0; n < 6; n++) expect(await failure(client.meta())).toMatchObject({ kind: 'QUERY_TIMEOUT' });
    expect(server.received).toHaveLength(6);
  });

  it.each([
    [429, 'RATE_LIMITED'],
    [500, 'UPSTREAM_UNAVAILABLE'],
  ])('is requested again after the Retry-After of a %i, if that is short', async (status, code) => {
    const busy = (seconds: number) =>
      serve((request, response, nth) =>
        nth === 0
          ? response.writeHead(status, { 'retry-after': String(seconds) }).end()
          : answer(request, response),
      );
    const begun = performance.now();
    expect(await clientOf([(await busy(1)).url]).meta()).toMatchObject({ block: { number: 7 } });
    expect(performance.now() - begun).toBeGreaterThan(990);
    expect(await failure(clientOf([(await busy(3)).url]).meta())).toMatchObject({
      code,
      retryAfterMs: 3_000,
    });
  });

  it('is requested again while it has not indexed the block yet', async () => {
    const server = await serve((request, response, nth) =>
      nth === 0
        ? says(
            'Failed to decode `block.number` value: `subgraph Qm has only indexed up to block number 6 and data for block number 7 is therefore not yet available`',
          )(request, response)
        : answer(request, response),
    );
    expect(await clientOf([server.url]).meta({ block: { number: 7 } })).toMatchObject({
      block: { number: 7 },
    });
    expect(server.received).toHaveLength(2);
  });

  it.each([
    ['has only indexed up to block number 6', 3, 'service is overloaded'],
    ['service is overloaded', 1, 'Query timed out'],
  ])(
    'that says "%s" %i times is requested again, although the next one says "%s"',
    async (said, times, other) => {
      const first = await serve((request, response, nth) =>
        nth < times ? says(said)(request, response) : answer(request, response),
      );
      const second = await serve(says(other));
      expect(await clientOf([first.url, second.url]).meta()).toMatchObject({ block: { number: 7 } });
    },
  );

  it.each([
    ['does not know the block', 'no block with that hash found'],
    ['gave the query up', 'Query timed out'],
  ])('is requested again after a lost request, but not the other endpoint, which %s', async (_what, said) => {
    const first = await serve((request, response, nth) =>
      nth === 0 ? response.destroy() : answer(request, response),
    );
    const second = await serve(says(said));
    expect(await clientOf([first.url, second.url]).meta()).toMatchObject({ block: { number: 7 } });
    expect([first.received.length, second.received.length]).toEqual([2, 1]);
  });

  it.each([
    ['OVERLOADED', 'Query timed out', 'service is overloaded'],
    ['BLOCK_NOT_YET', 'service is overloaded', 'has only indexed up to block number 6'],
  ])('is %s when its endpoints say "%s" and "%s"', async (kind, said, other) => {
    const urls = [(await serve(says(said))).url, (await serve(says(other))).url];
    const client = clientOf(urls, { blockWaitMs: 0 });
    expect(await failure<SubgraphError>(client.meta())).toMatchObject({ kind });
  });

  it('is requested again after a lost request, although the breaker of another endpoint is open', async () => {
    const lost = 5;
    const server = await serve((request, response, nth) =>
      nth === lost ? response.destroy() : answer(request, response),
    );
    const client = clientOf([await closedPort(), server.url]);
    for (let n = 0; n < lost; n++) await client.meta();
    expect(await client.meta()).toMatchObject({ block: { number: 7 } });
  });

  it('is not requested again for a missing block after the configured wait', async () => {
    const server = await serve(says('bad indexers: {0x1: Unavailable(missing block: 9, latest: 6)}'));
    const error = await failure<SubgraphError>(
      clientOf([server.url], { blockWaitMs: 0 }).meta({ block: { number: 9 } }),
    );
    expect(error).toMatchObject({ kind: 'BLOCK_NOT_YET' });
  });

  it('still returns the data beside an indexing error', async () => {
    const block = { number: 3, hash: null, timestamp: null };
    const server = await serve((_, response) =>
      reply(response, 200, {
        data: { _meta: { block, hasIndexingErrors: true } },
        errors: [{ message: 'indexing_error' }],
      }),
    );
    expect(await clientOf([server.url]).meta()).toEqual({ block: { number: 3 } });
  });

  it('returns the data that it withholds beside _meta from a second request at the same block', async () => {
    const errors = [{ message: 'indexing_error' }];
    const _meta = { block: { number: 7, hash: '0xab', timestamp: 1_700_000_000 }, hasIndexingErrors: true };
    const server = await serve((request, response) =>
      /_meta\(block: ?\$block\)/.test(request.json<Operation>().query)
        ? reply(response, 200, { data: { _meta }, errors })
        : answer(request, response, { block: 8, errors }),
    );
    const client = clientOf([server.url]);
    const { rows, block } = await client.byIds('srrs', ['0xa1', '0xa2']);
    expect([...rows.keys()]).toEqual(['0xa1', '0xa2']);
    expect(block).toEqual(_meta.block);
    expect(variablesOf(server.received[1]).block).toEqual({ hash: '0xab' });
    expect((await client.provenancesOf(['0xa1'], { first: 1 })).bySrr.get('0xa1')).toHaveLength(1);
  });

  it.each([200, 400])('is read after a byte order mark (status %i)', async (status) => {
    const data = { _meta: { block: { number: 3, hash: '0xab' }, hasIndexingErrors: false }, list0: [] };
    const answers = { 200: { data }, 400: { errors: [{ message: 'Query timed out' }] } };
    const body = `\uFEFF${JSON.stringify(answers[status as 200 | 400])}`;
    const server = await serve((_, response) => response.writeHead(status).end(body));
    const client = clientOf([server.url], { cache: true });
    const read = () => client.byIds('srrs', ['0xa1']);
    if (status === 400) return expect(await failure(read())).toMatchObject({ kind: 'QUERY_TIMEOUT' });
    const found = await read();
    expect(found).toMatchObject({ block: { number: 3 } });
    expect(await read()).toEqual(found);
    expect(server.received).toHaveLength(1);
  });

  it('is classified by its errors even if it returns part of the data', async () => {
    const data = { _meta: { block: { number: 3 }, hasIndexingErrors: false }, list0: null };
    const server = await serve((_, response) =>
      reply(response, 200, { data, errors: [{ message: 'Query timed out' }] }),
    );
    const error = await failure<SubgraphError>(clientOf([server.url]).byIds('srrs', ['0xa1']));
    expect(error).toMatchObject({ kind: 'QUERY_TIMEOUT' });
  });

  it('has no errors when `errors` is null', async () => {
    const server = await serve((_, response) =>
      reply(response, 200, {
        data: { _meta: { block: { number: 3 }, hasIndexingErrors: false }, list0: [{ id: '0xa1' }] },
        errors: null,
        extensions: null,
      }),
    );
    const client = clientOf([server.url]);
    expect(await client.meta()).toEqual({ block: { number: 3 } });
    expect((await client.byIds('srrs', ['0xa1'])).rows.size).toBe(1);
  });

  it.each([
    ['is down', async () => closedPort()],
    ['is overloaded', async () => (await serve(says('service is overloaded'))).url],
    ['answers 503', async () => (await serve((_, response) => reply(response, 503, {}))).url],
    ['answers 429', async () => (await serve((_, response) => reply(response, 429, {}))).url],
    ['lost its deployment', async () => (await serve(says('deployment `Qm` does not exist'))).url],
    ['is silent', async () => (await serve(() => {})).url],
  ])('is replaced by the next endpoint when it %s', async (_what, first) => {
    const second = await serve((request, response) => answer(request, response));
    const client = clientOf([await first(), second.url], { timeoutMs: 200 });
    expect(await client.meta()).toMatchObject({ block: { number: 7 } });
    expect(second.received).toHaveLength(1);
  });

  it('is not requested any more when the caller aborts', async () => {
    const server = await serve(() => {});
    const signal = AbortSignal.timeout(50);
    expect(await failure<SubgraphError>(clientOf([server.url]).meta({ signal }))).toBe(signal.reason);
    const waiting = await serve(says('service is overloaded'));
    const later = AbortSignal.timeout(50);
    expect(await failure<SubgraphError>(clientOf([waiting.url]).meta({ signal: later }))).toBe(later.reason);
  });
});

it('a trial call to an endpoint that hangs delays no other caller', async () => {
  const hanging = await serve((_request, response, nth) => nth < 5 && response.destroy());
  const server = await serve((request, response) => answer(request, response));
  const client = clientOf([hanging.url, server.url], { timeoutMs: 60_000 });
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  for (let n = 0; n < 5; n++) await client.meta();
  vi.advanceTimersByTime(5_000);
  const leaving = new AbortController();
  const trial = client.meta({ signal: leaving.signal }).catch((error) => error);
  await expect.poll(() => hanging.received.length).toBe(6);
  for (let n = 0; n < 5; n++) expect((await client.meta()).block.number).toBe(7);
  leaving.abort(new Error('left'));
  expect(await trial).toMatchObject({ message: 'left' });
  expect(hanging.received).toHaveLength(6);
});
