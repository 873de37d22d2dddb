import { control } from '@srr-gateway/sandbox/testing/control';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startTestGateway, type TestGateway } from '../_util/gateway.ts';
import { reply, serve } from '../_util/http-server.ts';
import { expectCode, manifestOf, srr, srrEnv, startSrr } from '../_util/srr.ts';

let gateway: TestGateway;
let env: Record<string, string>;
let ids: string[];
let requestId: string;
let tokens: string[];
beforeAll(async () => {
  gateway = await startTestGateway();
  env = srrEnv(gateway);
  const manifest = manifestOf(gateway, 3);
  (manifest.rows[0] as string[])[4] = '=1+1';
  // Clears a terminal, and reverses the direction of the text.
  (manifest.rows[2] as string[])[4] = '\x1b[2Jred\t\u202e0xf00';
  manifest.write();
  const { records } = JSON.parse((await srr(['issue', manifest.path, '--json'], { env })).out);
  ids = records.map(({ externalId }: { externalId: string }) => externalId);
  tokens = records.map(({ tokenId }: { tokenId: string }) => tokenId);
  requestId = records[0].requestId;
});
afterAll(() => gateway?.stop());

const linesOf = (text: string) => text.trim().split('\n');
const run = async (...parameters: string[]) => {
  const result = await srr(parameters, { env });
  expectCode(result, 0);
  return result.out;
};

it('srr status shows an issuance by its requestId, and a record by its externalId', async () => {
  expect(await run('status', requestId)).toMatch(
    new RegExp(`^issuance +${requestId}\nstatus +COMPLETED\nrecords +3 of 3 issued\n`),
  );
  expect(await run('status', ids[1] as string)).toMatch(new RegExp(`^record +${ids[1]}\nstatus +ISSUED\n`));
  expect(JSON.parse(await run('status', ids[1] as string, '--json'))).toMatchObject({
    issuance: { requestId, status: 'COMPLETED' },
    entry: { externalId: ids[1], srr: { tokenId: tokens[1] } },
  });
  const absent = await srr(['status', 'nothing'], { env });
  expectCode(absent, 1);
  expect(absent.err).toBe('srr: There is no issuance and no record "nothing".\n');
});

it('srr get shows a record without a token', async () => {
  const { SRR_TOKEN: _, ...anonymous } = env;
  const output = await srr(['get', tokens[1] as string], { env: anonymous });
  expectCode(output, 0);
  expect(output.out).toMatch(
    /^tokenId +\d+\n[\s\S]*metadataStatus +VERIFIED\nname +Work 1\ntitle +Work, 1\n/m,
  );
  expect(JSON.parse(await run('get', tokens[1] as string, '--json'))).toMatchObject({
    tokenId: tokens[1],
    metadata: { title: { all: { en: 'Work, 1', ja: '無題' } } },
  });
  const absent = await srr(['get', '99999999999'], { env });
  expectCode(absent, 1);
  expect(absent.err).toContain(
    'no record 99999999999 in the registry. If it is in a collection, add --collection.',
  );
  const wrong = await srr(['get', 'twelve'], { env });
  expectCode(wrong, 4);
  expect(wrong.err).toContain('(INVALID_INPUT)');
});

it('srr get escapes terminal commands in the text of a record', async () => {
  const output = await run('get', tokens[2] as string);
  expect(output).toContain('name                  \\u001b[2Jred\\u0009\\u202e0xf00\n');
  expect(JSON.parse(await run('get', tokens[2] as string, '--json'))).toMatchObject({
    metadata: { name: '\x1b[2Jred\t\u202e0xf00' },
  });
});

it('srr export prints all records that match a filter, as JSON lines and as CSV', async () => {
  const own = ['export', '--issuer', gateway.issuer.address];
  const records = linesOf(await run(...own)).map((line) => JSON.parse(line));
  expect(records.map(({ tokenId }) => tokenId).toSorted()).toEqual(tokens.toSorted());
  const [heads = '', ...rows] = linesOf(await run(...own, '--format', 'csv'));
  // Scripts may read the columns by position.
  expect(heads).toMatch(
    /^tokenId,contractAddress,owner,issuer,issuerName,artist,artistName,collection,collectionName,isPrimaryIssuer,lockExternalTransfer,createdAt,updatedAt,metadataCID,metadataStatus,name,title,medium,yearOfCreation,image,thumbnail/,
  );
  for (const { artist, metadata } of records) {
    expect(artist).toEqual({ address: expect.any(String), englishName: expect.any(String) });
    expect(rows.join('\n')).toContain(`,${artist.englishName},`);
    expect(rows.join('\n')).toContain(metadata.image.url);
  }
  expect(rows).toHaveLength(3);
  // A name that begins like a formula stays a text in a spreadsheet.
  expect(rows.find((row) => row.includes('1+1'))).toContain(",'=1+1,");
  const none = ['export', '--owner', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'];
  expect(await run(...none)).toBe('');
  expect(await run(...none, '--format', 'csv')).toMatch(/^tokenId,contractAddress,[\w,]+\n$/);
  expect(await run(...own, '--bom')).toBe(`\ufeff${await run(...own, '--format', 'csv')}`);
  expectCode(await srr(['export', '--format', 'xml'], { env }), 2);
  expectCode(await srr(['export', '--artist-name', ''], { env }), 2);
});

it.each([
  ['--created-after', ['export', '--created-after', 'yesterday']],
  ['--owner', ['export', '--owner', '0x12']],
  ['--collection', ['get', '1', '--collection', '0x12']],
  ['<tokenId>', ['get', 'twelve']],
  ['--after', ['events', 'list', '--after', 'nonsense']],
])('an input that the gateway refuses is named as the command has it: %s', async (name, parameters) => {
  const refused = await srr(parameters, { env });
  expectCode(refused, 4);
  expect(refused.err).toMatch(new RegExp(`^srr: ${name}: [A-Z][^\n]+ \\(INVALID_INPUT\\)`));
  const { err } = await srr([...parameters, '--json'], { env });
  expect(JSON.parse(err).error.message).toMatch(new RegExp(`^${name}: [A-Z]`));
});

it('srr events list pages through the log, and tail follows it', async () => {
  const first = await srr(['events', 'list', '--limit', '2', '--events', 'SRR_ISSUED', '--json'], { env });
  expectCode(first, 0);
  const events = linesOf(first.out).map((line) => JSON.parse(line));
  expect(events).toMatchObject([{ type: 'SRR_ISSUED' }, { type: 'SRR_ISSUED' }]);
  const [, after = ''] = /There are more: --after (\S+)/.exec(first.err) ?? [];
  const rest = linesOf(
    await run('events', 'list', '--after', after, '--events', 'SRR_ISSUED', '--external-id', ...ids),
  );
  expect(rest).toHaveLength(1);
  expect(rest[0]).toMatch(/^\d{4}-\S+Z {2}SRR_ISSUED {2}\S+ {2}token \d+$/);
  expect(await run('events', 'list', '--events', 'SRR_FAILED')).toBe('');

  const types = ['--events', 'srr-issued,unrecognized'];
  const known = linesOf(await run('events', 'list', ...types)).length;
  expect(known).toBeGreaterThanOrEqual(3);
  const tail = startSrr(['events', 'tail', '--from', 'BEGINNING', ...types], { env });
  await expect.poll(() => linesOf(tail.out()).length).toBe(known);
  await run('trigger', 'UNRECOGNIZED');
  await expect.poll(() => linesOf(tail.out()).length).toBe(known + 1);
  tail.child.kill('SIGINT');
  const ended = await tail.ended;
  expectCode(ended, 130);
  // Another run continues at the cursor that the first one printed.
  const [, cursor = ''] = /--after (\S+)/.exec(ended.err) ?? [];
  expect(await run('events', 'list', '--after', cursor)).toBe('');
});

it('srr events names all types of events', async () => {
  const { __type } = await gateway.anonymous.data('{ __type(name: "EventType") { enumValues { name } } }');
  const wrong = await srr(['events', 'list', '--events', 'SRR_LOST'], { env });
  expectCode(wrong, 2);
  const [, named = ''] = /Events: (.*)\./.exec(wrong.err) ?? [];
  expect(named.split(', ').toSorted()).toEqual(
    __type.enumValues.map(({ name }: { name: string }) => name).toSorted(),
  );
});

it('srr export continues at the newest block when the block of its list is gone', async () => {
  const page = (tokenId: string, endCursor: string | null) => ({
    data: {
      srrs: { edges: [{ node: { tokenId } }], pageInfo: { hasNextPage: endCursor !== null, endCursor } },
    },
  });
  const expired = { code: 'CURSOR_EXPIRED', continueAfter: 'newest' };
  const afters: unknown[] = [];
  const server = await serve((request, response) => {
    const { after } = request.json<{ variables: { after: string | null } }>().variables;
    afters.push(after);
    const answer =
      after === null
        ? page('1', 'old')
        : after === 'old'
          ? { data: null, errors: [{ message: 'The block is gone.', extensions: expired }] }
          : page('2', null);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  const result = await srr(['export'], { env: { ...env, SRR_URL: `${server.url}/graphql` } });
  expectCode(result, 0);
  expect(afters).toEqual([null, 'old', 'newest']);
  expect(result.err).toContain('Continuing at the newest one');
  expect(result.out.trim().split('\n')).toHaveLength(2);
  // The rows of later pages follow without another header or byte order mark.
  const csv = await srr(['export', '--bom'], { env: { ...env, SRR_URL: `${server.url}/graphql` } });
  expect(csv.out).toMatch(/^\ufefftokenId,[\w,]+\n1,,[,]+\n2,,[,]+\n$/);
});

it('srr export counts the parts that could not be read', async () => {
  const edges = [{ node: { tokenId: '1', metadataStatus: 'TIMEOUT' } }, { node: { tokenId: '2' } }];
  const errors = [{ message: 'The owner is unknown.', extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }];
  const data = { srrs: { edges, pageInfo: { hasNextPage: false, endCursor: null } } };
  const server = await serve((_, response) => reply(response, 200, { data, errors }));
  const result = await srr(['export'], { env: { ...env, SRR_URL: server.url } });
  expectCode(result, 1);
  expect(result.err).toBe(
    '2 records.\nsrr: 2 parts of them could not be read and are empty: see metadataStatus.\n',
  );
});

it('srr export fails when no source delivers a document', async () => {
  const { path, write } = manifestOf(gateway, 1);
  write();
  const { records } = JSON.parse((await srr(['issue', path, '--json'], { env })).out);
  const [{ metadataCID: cid }] = records;
  await control(gateway.sandbox.sandbox, 'faults', { kind: 'content', effect: 'busy', cid, times: 1_000 });
  onTestFinished(async () => {
    await fetch(`${gateway.sandbox.sandbox.url}/sandbox/faults`, { method: 'DELETE' });
  });
  const result = await srr(['export'], { env });
  expectCode(result, 1);
  expect(result.err).toContain('srr: 1 parts of them could not be read');
  expect(result.out).toContain('"metadataStatus":"UNAVAILABLE"');
});

// Keep this test last: the subgraph stays down.
it('srr get shows no record when it is unknown whether it exists', async () => {
  await control(gateway.sandbox.sandbox, 'faults', { kind: 'query', effect: 'drop', times: 1_000 });
  const result = await srr(['get', '99999999998'], { env });
  expectCode(result, 3);
  expect(result.err).toMatch(/^srr: The subgraph .*\(UPSTREAM_UNAVAILABLE\)/m);
  expect(result.out).toBe('');
});
