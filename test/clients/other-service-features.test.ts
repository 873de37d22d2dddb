import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { GraphQLCaller } from '../_util/graphql-caller.ts';
import { askToIssue, finalOutcome, issue, outcomeOf } from '../_util/issuances.ts';
import { type OtherGateway, otherEntry, startOtherGateway } from '../_util/other-gateway.ts';
import { serviceFaults } from '../_util/other-service.ts';

// Edge cases against a second implementation of the service, independent of the sandbox.

let gateway: OtherGateway;
beforeAll(async () => {
  gateway = await startOtherGateway({ env: { INDEX_WAIT: '10' } });
});
afterEach(async () => {
  gateway?.service.plain();
  await gateway?.service.quiet();
});
afterAll(() => gateway?.stop());

const pollOptions = { timeout: 30_000, interval: 100 };

async function issueOne(
  over: { [field: string]: unknown; metadata?: object } = {},
  { service, picture } = gateway,
  caller = gateway.caller,
) {
  const externalId = randomUUID();
  const entry = otherEntry(service, externalId, await picture(caller), over);
  return { externalId, id: await issue(caller, { entries: [entry] }) };
}

describe('a refusal', () => {
  it('names the fields of the mutation, not those of the service', async () => {
    const { service, caller } = gateway;
    const refuse = (text: string) => {
      service.variants.always.srrs = serviceFaults.refused(400, [text]);
    };
    const pathOf = async (text: string) => {
      refuse(text);
      const { id } = await issueOne();
      return (await finalOutcome(caller, id)).entries[0]?.error?.path.slice(3);
    };
    expect(await pathOf('payload.0.metadata.thumbnailURL should not be empty')).toEqual([
      'metadata',
      'thumbnail',
    ]);
    expect(await pathOf('payload.0.metadata.contractTerms.fileURL is odd')).toEqual([
      'metadata',
      'contractTerms',
      'file',
    ]);
    expect(await pathOf('payload.0.attachmentFiles.0.url is odd')).toEqual(['attachments', '0', 'file']);
  });
});

describe('a refusal of a file call by the service', () => {
  const filename = 'unknown.png';
  const uploads = `{ uploads(files: [{ filename: "${filename}", category: ARTWORK }]) { status } }`;
  const about = expect.stringContaining(`artwork/${filename}: `);
  const refuse = (call: 'signedUrls' | 'fileMetadata') => {
    gateway.service.variants.always[call] = serviceFaults.refused(400, ['payload.0.filename is odd']);
  };

  it('has the path of the file reference in the entry', async () => {
    refuse('signedUrls');
    const file = { file: { filename, category: 'ARTWORK' } };
    const entry = otherEntry(gateway.service, randomUUID(), file);
    const { userErrors } = await askToIssue(gateway.caller, { entries: [entry] });
    expect(userErrors[0]?.path).toEqual(['input', 'entries', '0', 'metadata', 'thumbnail']);
  });

  it.each(['signedUrls', 'fileMetadata'] as const)(
    'names the file in the error of a query: %s',
    async (call) => {
      refuse(call);
      const { errors } = await gateway.caller.ask(uploads);
      expect(errors?.[0]).toMatchObject({ message: about, extensions: { code: 'INVALID_INPUT' } });
      expect(errors?.[0]?.extensions).not.toHaveProperty('inputPath');
    },
  );

  it('names the file in the error of a PUT', async () => {
    refuse('signedUrls');
    const { url, headers } = gateway.caller;
    const response = await fetch(`${url}/uploads/artwork/${filename}`, { method: 'PUT', body: 'a', headers });
    const { error } = (await response.json()) as { error: object };
    expect(error).toMatchObject({ code: 'INVALID_INPUT', message: about });
    expect(error).not.toHaveProperty('path');
  });
});

it('one of two concurrent announcements of a filename is refused', async () => {
  const { caller, service } = gateway;
  const announce = (sha256: string) =>
    caller.data(
      `mutation ($filename: String!, $sha256: String!) {
        createUploads(input: { files: [{ filename: $filename, category: ARTWORK, sha256: $sha256 }] }) {
          uploads { id } userErrors { code path }
        }
      }`,
      { filename, sha256 },
    );
  const filename = `${randomUUID()}.png`;
  service.variants.next.signedUrls = [serviceFaults.slow(300)];
  const answers = await Promise.all(['1', '2'].map((digit) => announce(digit.repeat(64))));
  const refused = answers.filter(({ createUploads }) => createUploads.uploads.length === 0);
  expect(refused.map(({ createUploads }) => createUploads.userErrors)).toEqual([
    [{ code: 'FILENAME_TAKEN', path: ['input', 'files', '0', 'filename'] }],
  ]);
});

describe('a dry run', () => {
  const validate = async (entries: object[]) =>
    (
      await gateway.caller.data(
        `query ($entries: [IssueEntryInput!]!) { validateSRRs(entries: $entries) {
          valid userErrors { code path } warnings { code path }
        } }`,
        { entries },
      )
    ).validateSRRs;

  it('validates against the schema of the service, even in a version unknown to the gateway', async () => {
    const { service } = gateway;
    service.variants.newerSchema = true;
    const picture = await gateway.picture();
    const typed = otherEntry(service, randomUUID(), picture, { metadata: { schemaVersion: '2.3' } });
    expect(await validate([typed])).toMatchObject({ valid: true, userErrors: [] });
    const { id } = await issueOne({ metadata: { schemaVersion: '2.3' } });
    expect((await finalOutcome(gateway.caller, id)).entries[0]?.status).toBe('ISSUED');
  });

  it('checks that artist, collection and files exist, and warns of an empty title', async () => {
    const { service } = gateway;
    const missing = { file: { filename: `${randomUUID()}.png`, category: 'NON_ATTACHMENT_FILE' } };
    const report = await validate([
      otherEntry(service, randomUUID(), missing, {
        artistAddress: `0x${'b1'.repeat(20)}`,
        collectionAddress: `0x${'c1'.repeat(20)}`,
        metadata: { title: { en: '' } },
      }),
    ]);
    expect(report.valid).toBe(false);
    const places = report.userErrors.map(({ path }: { path: string[] }) => path.slice(2).join('.'));
    expect(places).toEqual(expect.arrayContaining(['artistAddress', 'collectionAddress', 'metadata.image']));
    expect(report.warnings.map(({ path }: { path: string[] }) => path.slice(2, 4).join('.'))).toContain(
      'metadata.title',
    );
  });
});

describe('a collection', () => {
  const create = async (caller: GraphQLCaller, requestId: string) =>
    (
      await caller.data(
        `mutation ($input: CreateCollectionInput!) { createCollection(input: $input) {
          collection { id address salt status } userErrors { code message }
        } }`,
        { input: { name: 'Works', symbol: 'W', requestId } },
      )
    ).createCollection;
  const creationOf = async (caller: GraphQLCaller, requestId: string) =>
    (
      await caller.data(
        `query ($requestId: String) { collectionCreation(requestId: $requestId) {
          status outcomeSource error { code upstreamMessage }
        } }`,
        { requestId },
      )
    ).collectionCreation;

  it.each([
    ['the answer is lost after the request was processed', serviceFaults.lost('AFTER')],
    ['the answer is lost before the request was processed', serviceFaults.lost('BEFORE')],
    [
      'a 500 comes after the request was processed',
      serviceFaults.serviceError('a step behind failed', 'AFTER'),
    ],
  ])('is created once and reported once when no delivery comes and %s', async (_, fault) => {
    const { service, caller } = gateway;
    service.variants.deliveries.way = 'LOSE';
    service.variants.next.collection = [fault];
    const requestId = randomUUID();
    await create(caller, requestId);
    await expect.poll(async () => (await creationOf(caller, requestId)).status, pollOptions).toBe('ISSUED');
    expect(await creationOf(caller, requestId)).toEqual({
      status: 'ISSUED',
      outcomeSource: 'SUBGRAPH',
      error: null,
    });
    const again = await create(caller, requestId);
    expect(again).toMatchObject({ userErrors: [], collection: { status: 'ISSUED' } });
    const { events } = await caller.data(
      'query ($where: EventFilter) { events(where: $where) { edges { node { type source } } } }',
      { where: { collection: again.collection.address } },
    );
    expect(events.edges).toEqual([{ node: { type: 'COLLECTION_CREATED', source: 'SUBGRAPH' } }]);
  });

  it.each(['SLIM', 'NESTED', 'EXTERNAL_ID', 'TOKEN_ID'] as const)(
    'is settled by a delivery with its ids as %s',
    async (ids) => {
      const { service, caller } = gateway;
      service.variants.deliveries.ids = ids;
      const requestId = randomUUID();
      await create(caller, requestId);
      await expect.poll(async () => (await creationOf(caller, requestId)).status, pollOptions).toBe('ISSUED');
    },
  );

  it('has an error when the service answers that it failed', async () => {
    const { service, caller } = gateway;
    service.variants.collectionStatus = 'failed';
    const requestId = randomUUID();
    await create(caller, requestId);
    await expect.poll(async () => (await creationOf(caller, requestId)).status, pollOptions).toBe('FAILED');
    expect((await creationOf(caller, requestId)).error).toMatchObject({ code: expect.any(String) });
  });
});

describe('a subscriber', () => {
  it('of an issuance gets updates until the record is indexed, even if the subgraph lags', async () => {
    const { service, caller } = gateway;
    service.variants.index.lagMs = 2_000;
    const { id } = await issueOne();
    const seen: { status: string; indexing?: string; owner?: string }[] = [];
    const query = `subscription ($id: ID!) { issuance(id: $id) { status entries(first: 1) { edges { node {
      srr { indexing owner } } } } } }`;
    for await (const { data } of caller.subscribe(query, { id }, AbortSignal.timeout(40_000)))
      seen.push({ status: data.issuance.status, ...data.issuance.entries.edges[0].node.srr });
    expect(seen.at(-1)).toMatchObject({
      status: 'COMPLETED',
      indexing: 'INDEXED',
      owner: expect.any(String),
    });
  });

  it('from the beginning of an empty log misses nothing, and resumes from its cursor', async () => {
    // Each run has a log of its own.
    const empty = await startOtherGateway();
    onTestFinished(() => empty.stop());
    const { service, passthrough } = empty;
    const { events } = await passthrough.data('{ events { headCursor edges { cursor } } }');
    expect(events.edges).toEqual([]);
    const query = `subscription ($after: String) { miningOutcomes(after: $after, from: BEGINNING) {
      ... on Event { cursor source } ... on SRRIssued { externalId } } }`;
    const first = await issueOne({}, empty, passthrough);
    await finalOutcome(passthrough, first.id);
    const firstOutcome = await next(passthrough, query, {});
    expect(firstOutcome).toMatchObject({ externalId: first.externalId, source: 'SUBGRAPH' });
    const second = await issueOne({}, empty, passthrough);
    // The second outcome is reported while nobody listens, and all its deliveries are lost.
    await finalOutcome(passthrough, second.id);
    expect(await next(passthrough, query, { after: firstOutcome.cursor })).toMatchObject({
      externalId: second.externalId,
    });
    expect(await next(passthrough, query, { after: events.headCursor })).toEqual(firstOutcome);
    expect(service.chain.mintsOf(second.externalId)).toBe(1);
  });

  it('of an unknown issuance gets an error', async () => {
    const id = Buffer.from(`Issuance:${randomUUID()}`).toString('base64');
    const query = 'subscription ($id: ID!) { issuance(id: $id) { status } }';
    const answers = [];
    for await (const answer of gateway.caller.subscribe(query, { id }, AbortSignal.timeout(10_000)))
      answers.push(answer);
    expect(answers).toMatchObject([{ errors: [{ extensions: { code: 'NOT_FOUND' } }] }]);
  });
});

describe('an error of an operation', () => {
  it('leaves the public fields of the response intact', async () => {
    const { data, errors } = await gateway.anonymous.ask(
      '{ issuances { edges { cursor } } srrs(first: 1) { edges { cursor } } }',
    );
    expect(data).toMatchObject({ issuances: null, srrs: { edges: expect.any(Array) } });
    expect(errors).toMatchObject([{ path: ['issuances'], extensions: { code: 'UNAUTHENTICATED' } }]);
  });

  it('has the input path of a malformed variable', async () => {
    const entry = otherEntry(gateway.service, 'x', { upload: 'x' }, { artistAddress: 'nobody' });
    const { errors } = await gateway.caller.ask(
      'mutation ($input: IssueSRRsInput!) { issueSRRs(input: $input) { userErrors { code } } }',
      { input: { entries: [entry] } },
    );
    expect(errors).toMatchObject([
      { extensions: { code: 'INVALID_INPUT', inputPath: ['input', 'entries', '0', 'artistAddress'] } },
    ]);
  });
});

it('the health of the sources reports a REGISTRY_ADDRESS unknown to the subgraph', async () => {
  const wrong = await startOtherGateway({ env: { REGISTRY_ADDRESS: `0x${'9'.repeat(40)}` } });
  try {
    const entry = otherEntry(wrong.service, randomUUID(), await wrong.picture());
    const id = await issue(wrong.caller, { entries: [entry] });
    await expect
      .poll(async () => (await outcomeOf(wrong.caller, id)).entries[0]?.status, pollOptions)
      .toBe('ISSUED');
    const messages = async () => {
      const { sources } = await wrong.anonymous.data('{ sources { kind health message } }');
      return JSON.stringify(sources);
    };
    await expect.poll(messages, { timeout: 40_000, interval: 1_000 }).toContain('REGISTRY_ADDRESS');
  } finally {
    await wrong.stop();
  }
});

/** The next event after a cursor. */
async function next(caller: GraphQLCaller, query: string, variables: Record<string, unknown>) {
  const leave = new AbortController();
  try {
    for await (const { data } of caller.subscribe(query, variables, leave.signal)) return data.miningOutcomes;
  } finally {
    leave.abort();
  }
}
