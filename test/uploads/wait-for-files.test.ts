import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { entry } from '../_util/entries.ts';
import { type TestGateway, testToken } from '../_util/gateway.ts';
import { GraphQLCaller } from '../_util/graphql-caller.ts';
import { finalOutcome, issue } from '../_util/issuances.ts';
import { type RecordedGateway, startRecordedGateway } from '../_util/recorded-gateway.ts';
import type { RecordingProxy } from '../_util/recording-proxy.ts';
import { tablesOf } from '../_util/tables.ts';
import { answerForFiles, filesOf, freshName, ready, type Waiting, waitingOf } from '../_util/waited-files.ts';

let recorded: RecordedGateway;
let gateway: TestGateway;
let service: RecordingProxy;

/** Issues a record with a picture that the service knows, or only answers as if it did. */
const issueWith = (filename: string, more: Record<string, unknown> = {}) => {
  const picture = { file: { filename, category: 'NON_ATTACHMENT_FILE' } };
  return issue(gateway.caller, { entries: [entry(gateway.info, filename, picture, more)] });
};
const upload = async () => {
  const filename = freshName();
  await gateway.caller.upload(filename, 'NON_ATTACHMENT_FILE', filename);
  return filename;
};
const stateOf = (id: string) => waitingOf(gateway.caller, id);
const statusOf = async (id: string) => (await stateOf(id)).status;
const notes = ({ history }: Waiting) =>
  history.filter(({ status }) => status === 'WAITING_FOR_FILES').map(({ reason }) => reason);

const start = (env: Record<string, string>) => async () => {
  recorded = await startRecordedGateway({ env });
  ({ gateway, service } = recorded);
};

describe('a wait for files with a time limit', () => {
  // Long enough for several checks with growing pauses.
  beforeAll(start({ FILES_READY_TIMEOUT: '6' }));
  // A run of the last case opens the circuit breaker, which would affect the next run.
  beforeEach(async () => {
    const ask = () =>
      gateway.caller.ask('{ uploads(files: [{ filename: "none.png", category: ARTWORK }]) { id } }');
    await expect.poll(ask).not.toHaveProperty('errors');
    service.clear();
  });
  afterEach(() => recorded.reset());
  afterAll(() => recorded?.stop());

  it.each([
    [401, 'API Key is not valid for 0xabc', 'UNAUTHENTICATED'],
    [400, 'a rule of tomorrow', 'UNKNOWN_ERROR'],
    [403, 'Forbidden resource', 'FORBIDDEN'],
    [404, 'Cannot POST /commerce/fileMetadata', 'UNKNOWN_ERROR'],
    [500, 'SERVICE_ERROR: the calculator is away', 'UPSTREAM_UNAVAILABLE'],
    [502, 'Bad Gateway', 'UPSTREAM_UNAVAILABLE'],
  ])('shows a repeated %i, and ends with its error', async (statusCode, message, code) => {
    answerForFiles(service, () => [statusCode, { statusCode, message }]);
    const id = await issueWith(freshName());
    await expect.poll(async () => filesOf(await stateOf(id))[0]?.message).toBe(message);
    const meanwhile = await stateOf(id);
    expect(meanwhile.status).toBe('WAITING_FOR_FILES');
    expect(notes(meanwhile)).toEqual([
      'asked for by the issuer',
      `asking for the files failed (${code}): ${message}`,
    ]);

    await expect.poll(() => statusOf(id), { timeout: 30_000 }).toBe('REJECTED');
    const end = await stateOf(id);
    expect(end.error).toEqual({
      code,
      message: expect.stringContaining('nothing was sent'),
      upstreamMessage: message,
    });
    expect(end.entries.edges[0]?.node.status).toBe('CANCELLED');
    expect(service.counts().fileMetadata).toBeGreaterThan(1);
    expect(notes(end)).toHaveLength(2);
    expect(service.counts().srrs).toBeUndefined();
    const { events } = await gateway.caller.data(
      `query ($id: ID!) { events(where: { issuance: $id }) { edges { node {
        type source ... on IssuanceRejected { requestId error { code message upstreamMessage } issuance { id requestId } }
      } } } }`,
      { id },
    );
    const { requestId } = events.edges[0].node;
    expect(events.edges).toEqual([
      {
        node: {
          type: 'ISSUANCE_REJECTED',
          source: 'GATEWAY',
          requestId,
          error: end.error,
          issuance: { id, requestId },
        },
      },
    ]);
  });
});

describe('a wait for files', () => {
  beforeAll(start({ FILES_READY_TIMEOUT: '8' }));
  afterEach(() => recorded.reset());
  afterAll(() => recorded?.stop());

  it('continues once a refused key is accepted again', async () => {
    const filename = await upload();
    answerForFiles(service, (_, nth) =>
      nth < 2 ? [401, { statusCode: 401, message: 'API Key is not valid for 0xabc' }] : undefined,
    );
    const id = await issueWith(filename);
    expect((await finalOutcome(gateway.caller, id)).status).toBe('COMPLETED');
    const end = await stateOf(id);
    expect(notes(end).filter((reason) => reason.includes('UNAUTHENTICATED'))).toHaveLength(1);
    expect(filesOf(end)).toMatchObject([{ filename, status: 'READY', message: null }]);
  });

  it('shows which file hangs, how many are ready, and all files page by page', async () => {
    const hanging = freshName();
    const slow = 'CID_STILL_IN_CALCULATION';
    answerForFiles(service, (files) => [
      200,
      {
        payload: files.map((file) =>
          file.filename === hanging
            ? { filename: hanging, hash: 'sha256-11', message: slow, progress: 0.4 }
            : ready(file),
        ),
      },
    ]);
    const attachments = Array.from({ length: 24 }, () => {
      const name = freshName();
      return { name, category: 'ARTWORK', file: { file: { filename: name, category: 'ARTWORK' } } };
    });
    const id = await issueWith(hanging, { attachments });
    await expect.poll(async () => (await stateOf(id)).progress).toEqual({ filesTotal: 25, filesReady: 24 });
    const late = filesOf(await waitingOf(gateway.caller, id, { status: 'CALCULATING' }));
    expect(late).toMatchObject([{ filename: hanging, status: 'CALCULATING', message: slow }]);
    expect(Date.now() - Date.parse(late[0]?.since ?? '')).toBeLessThan(60_000);

    service.clear();
    const names: string[] = [];
    for (let after: string | null = null, more = true; more; ) {
      const { files } = await waitingOf(gateway.caller, id, { first: 10, after });
      names.push(...files.edges.map(({ node }) => `${node.category}/${node.filename}`));
      more = files.pageInfo.hasNextPage;
      after = files.pageInfo.endCursor;
    }
    expect(names).toEqual([
      ...attachments.map(({ name }) => `ARTWORK/${name}`).toSorted(),
      `NON_ATTACHMENT_FILE/${hanging}`,
    ]);
    expect(service.counts().signedUrls).toBeUndefined();

    await expect.poll(() => statusOf(id), { timeout: 30_000 }).toBe('REJECTED');
    expect((await stateOf(id)).error).toEqual({
      code: 'FILE_NOT_READY',
      message: expect.stringMatching(
        new RegExp(`${hanging} in time; .* Issue again under a new requestId once `),
      ),
      upstreamMessage: slow,
    });
  });

  it('shows its files only to their issuer, and refuses foreign cursors', async () => {
    const id = await issueWith(await upload());
    const { errors } = await gateway.caller.ask(
      'query ($id: ID!) { issuance(id: $id) { files(after: "WyJlbnRyeSIsMF0") { edges { cursor } } } }',
      { id },
    );
    expect(errors).toMatchObject([{ extensions: { code: 'INVALID_INPUT' } }]);
    const other = new GraphQLCaller(gateway.app.url, { authorization: `Bearer ${testToken}-1` });
    expect(await waitingOf(other, id)).toBeNull();
    await finalOutcome(gateway.caller, id);
  });
});

describe('a file with a problem', () => {
  beforeAll(start({}));
  afterEach(() => recorded.reset());
  afterAll(() => recorded?.stop());

  /** Makes the problem of a file a minute older. */
  const aMinuteLater = (filename: string) =>
    sql`update gateway.issuance_file set since = since - interval '1 minute'
        where filename = ${filename}`.execute(tablesOf(gateway.database));
  const rejected = async (id: string, timeout = 30_000) => {
    await expect.poll(() => statusOf(id), { timeout }).toBe('REJECTED');
    return stateOf(id);
  };

  it('whose calculation failed rejects the issuance after a minute, with its name and message', async () => {
    const filename = freshName();
    const message = 'HASH_CALCULATION_FAILED';
    answerForFiles(service, () => [200, { results: [{ filename, message }] }]);
    const id = await issueWith(filename);
    await expect.poll(async () => filesOf(await stateOf(id))).toMatchObject([{ status: 'FAILED', message }]);
    // More checks than it takes to reject, but all in the first minute.
    await expect.poll(() => service.counts().fileMetadata, { timeout: 30_000 }).toBeGreaterThan(5);
    expect(await statusOf(id)).toBe('WAITING_FOR_FILES');
    await aMinuteLater(filename);
    const end = await rejected(id);
    expect(end.error).toEqual({
      code: 'FILE_NOT_READY',
      message: expect.stringMatching(new RegExp(`${filename}: ${message}\\.`)),
      upstreamMessage: message,
    });
    expect(notes(end)).toEqual([
      'asked for by the issuer',
      `the service reports a problem: "${message}" for non_attachment_file/${filename}`,
    ]);
    expect(filesOf(end)).toMatchObject([{ status: 'FAILED', message }]);
    expect(service.counts().srrs).toBeUndefined();
  });

  it('is READY once the problem has gone away', async () => {
    const filename = await upload();
    answerForFiles(service, (_, nth) =>
      nth < 2 ? [200, [{ filename, message: 'CALCULATION_FAILED' }]] : undefined,
    );
    const id = await issueWith(filename);
    expect((await finalOutcome(gateway.caller, id)).status).toBe('COMPLETED');
    expect(filesOf(await stateOf(id))).toMatchObject([{ status: 'READY', message: null }]);
  });

  const absent = [{ index: 0, filePath: 'somewhere/else' }];
  it.each([
    ['in an error envelope', { statusCode: 404, message: absent }],
    ['a bare list', absent],
  ])('that is not found (%s) rejects the issuance after ten seconds', async (_form, body) => {
    answerForFiles(service, () => [404, body]);
    const filename = freshName();
    const since = Date.now();
    const id = await issueWith(filename);
    await expect.poll(async () => filesOf(await stateOf(id))[0]?.status).toBe('AWAITING_BYTES');
    const end = await rejected(id);
    expect(Date.now() - since).toBeGreaterThan(10_000);
    expect(end.error).toEqual({
      code: 'FILE_NOT_FOUND',
      message: expect.stringContaining(`does not find non_attachment_file/${filename}.`),
      upstreamMessage: null,
    });
    expect(service.counts().fileMetadata).toBeGreaterThan(2);
    expect(notes(end)).toHaveLength(2);
  });

  it('that is not found right after its PUT is awaited', async () => {
    const filename = await upload();
    answerForFiles(service, (_, nth) => (nth < 3 ? [404, absent] : undefined));
    const id = await issueWith(filename);
    expect((await finalOutcome(gateway.caller, id)).status).toBe('COMPLETED');
  });

  it('that is not accessible is reported as inaccessible, not as missing', async () => {
    const filename = freshName();
    answerForFiles(service, () => [403, { statusCode: 403, message: absent }]);
    const id = await issueWith(filename);
    const message = 'not accessible (HTTP status 403)';
    await expect.poll(async () => filesOf(await stateOf(id))).toMatchObject([{ status: 'FAILED', message }]);
    await expect.poll(() => service.counts().fileMetadata, { timeout: 30_000 }).toBeGreaterThan(4);
    await aMinuteLater(filename);
    const { error } = await rejected(id);
    expect(error).toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringMatching(new RegExp(`${filename} cannot be accessed`)),
    });
    expect(error?.message).not.toMatch(/in storage|not find/);
  });

  it('whose signing fails is retried, and then reported with the message of the service', async () => {
    const answer = { statusCode: 500, message: 'SERVICE_ERROR: the signer is away' };
    const prepare = () =>
      gateway.caller.ask(
        `mutation ($filename: String!) {
          createUploads(input: { files: [{ filename: $filename, category: ARTWORK }] }) {
            uploads { id } userErrors { code upstreamMessage }
          }
        }`,
        { filename: freshName() },
      );
    let failures = 1;
    service.answerInstead = ({ call }) =>
      call === 'signedUrls' && failures-- > 0 ? { status: 500, text: JSON.stringify(answer) } : undefined;
    expect((await prepare()).data).toMatchObject({
      createUploads: { uploads: [{ id: expect.any(String) }], userErrors: [] },
    });
    failures = Number.POSITIVE_INFINITY;
    service.clear();
    expect((await prepare()).data?.createUploads).toEqual({
      uploads: [],
      userErrors: [{ code: 'UPSTREAM_UNAVAILABLE', upstreamMessage: answer.message }],
    });
    expect(service.counts()).toEqual({ signedUrls: 3 });
  });
});
