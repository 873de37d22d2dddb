import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeToken } from '../../src/access/stored-tokens.ts';
import { schema } from '../../src/graphql/schema/schema.ts';
import { createTools } from '../../src/mcp/tools.ts';
import { loadOperations } from '../../src/operations/operations.ts';
import { openTables } from '../../src/store/store.ts';
import { startTestGateway, type TestGateway, testToken } from '../_util/gateway.ts';
import { project } from '../_util/gateway-process.ts';
import { loadBalancer } from '../_util/load-balancer.ts';
import { connectMcp, type McpCaller, postMcp } from '../_util/mcp-client.ts';
import { untilSeeded } from '../_util/seeded-world.ts';

const publicTools = ['who_am_i', 'list_records', 'get_record', 'list_licensed_users', 'verify_document'];
const readTools = ['list_issuances', 'get_issuance', 'get_uploads'];
const list = '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}';

let gateway: TestGateway;
let issuer: McpCaller;
let reader: McpCaller;
let anonymous: McpCaller;

beforeAll(async () => {
  gateway = await startTestGateway({ sandbox: { fixtures: true } });
  await untilSeeded(gateway.info);
  const db = await openTables(gateway.database);
  const { token } = await makeToken(db, {
    issuer: gateway.issuer.address,
    scopes: ['read'],
    note: 'an agent',
  });
  const { url } = gateway.app;
  issuer = await connectMcp(url, testToken);
  reader = await connectMcp(url, token);
  anonymous = await connectMcp(url);
});
afterAll(() => gateway?.stop());

describe('tools', () => {
  it('are listed only if the scopes of the token allow them', async () => {
    expect((await anonymous.toolNames()).toSorted()).toEqual(publicTools.toSorted());
    expect((await reader.toolNames()).toSorted()).toEqual([...publicTools, ...readTools].toSorted());
    expect(await issuer.toolNames()).toHaveLength(12);
  });

  it('declare whether they change data, and describe every argument', async () => {
    const { tools } = await issuer.client.listTools();
    const changing = tools.filter(({ annotations }) => !annotations?.readOnlyHint).map(({ name }) => name);
    expect(changing).toEqual(['upload_file', 'create_uploads', 'issue_records']);
    const destructive = tools.filter(({ annotations }) => annotations?.destructiveHint);
    expect(destructive.map(({ name }) => name)).toEqual(['issue_records']);
    const once = tools.filter(({ annotations }) => !annotations?.idempotentHint);
    expect(once.map(({ name }) => name)).toEqual(['upload_file']);
    for (const { name, inputSchema, description } of tools) {
      expect(description, name).toMatch(/^[A-Z].*\.$/s);
      expect(JSON.stringify(inputSchema), name).not.toContain('$ref');
      for (const [argument, property] of Object.entries(inputSchema.properties ?? {}))
        expect(property, `${name} ${argument}`).toHaveProperty('description');
    }
    const [issue] = destructive;
    expect(issue?.inputSchema.required).toEqual(['requestId', 'entries']);
    expect(JSON.stringify(issue?.inputSchema)).toContain('by language, such as');
  });

  it('are refused without their scope, and have no effect', async () => {
    const args = { requestId: 'refused', entries: [] };
    for (const [caller, code, advice] of [
      [reader, 'FORBIDDEN', 'Ask the user for a token with this scope'],
      [anonymous, 'UNAUTHENTICATED', 'Authorization: Bearer'],
    ] as const) {
      const { isError, text, data } = await caller.call('issue_records', args);
      expect({ isError, text }).toEqual({ isError: true, text: expect.stringContaining(advice) });
      expect(data.errors).toMatchObject([{ code, next: expect.any(String) }]);
    }
    expect((await issuer.call('get_issuance', { requestId: 'refused' })).data.errors[0].code).toBe(
      'NOT_FOUND',
    );
  });

  it('that do not exist get a NOT_FOUND error', async () => {
    const { isError, data } = await issuer.call('issue_everything', {});
    expect(isError).toBe(true);
    expect(data.errors).toEqual([
      { code: 'NOT_FOUND', message: 'There is no tool issue_everything. tools/list names them.' },
    ]);
  });

  it('return errors that name the wrong argument and the next step', async () => {
    const entry = { externalId: 'a', isPrimaryIssuer: true, artistAddress: '0x1', metadata: { title: 'x' } };
    const { isError, data, text } = await issuer.call('validate_records', { entries: [entry] });
    expect(isError).toBe(true);
    const places = data.errors.map(({ argument }: { argument: string }) => argument);
    expect(places).toContain('entries.0.artistAddress');
    expect(places).toContain('entries.0.lockExternalTransfer');
    expect(places).toContain('entries.0.metadata.title');
    expect(text).toContain('Next: Correct this argument');
    expect(text).not.toContain('$entries');
    const misnamed = await anonymous.call('list_records', { artistName: 'Lin' });
    expect(misnamed.text).toContain('INVALID_INPUT at artistName: This tool has no argument of this name.');
    expect(misnamed.text).toContain('artistNameContains');
    const file = { filename: 'a.txt', category: 'CERTIFICATE', file: { base64: '%' } };
    const contents = [{ text: '\ud800' }, { text: 'x', base64: 'eA==' }, { text: 'x', encoding: 'utf-8' }];
    for (const content of [...['%', 'aGVsbG8gd', 'A'].map((base64) => ({ base64 })), ...contents]) {
      const answer = await issuer.call('upload_file', { ...file, file: content });
      expect(answer.text).toContain('{"base64": "…"}');
    }
    const space = { ...file, filename: 'a b.txt', file: { text: 'x' } };
    expect((await issuer.call('upload_file', space)).data.errors).toMatchObject([
      { code: 'FILENAME_HAS_SPACE', argument: 'filename', next: 'Choose another filename.' },
    ]);
    expect((await anonymous.call('no_tool')).text).toContain('tools/list');
    expect((await anonymous.call('get_record', { tokenId: '1' })).text).toMatch(/^NOT_FOUND: .*list_records/);
    expect((await anonymous.call('who_am_i')).text).toMatch(/^UNAUTHENTICATED: .*sends no token/);
    const tokenIds = Array.from({ length: 5_000 }, (_, i) => `${i}`);
    const much = await issuer.call('list_records', {
      first: 999,
      tokenIds,
      metadataCIDs: Array(5_000).fill('bafkqaaa'),
    });
    expect(much.text).toMatch(/^LIMIT_EXCEEDED: .*Next: Ask for less/);
  });
});

it('a plain string in place of a file is refused without processing each character', async () => {
  const args = { filename: 'a.txt', category: 'CERTIFICATE', file: 'x'.repeat(900_000) };
  const costs: number[] = [];
  for (let n = 0; n < 3; n++) {
    const start = process.cpuUsage();
    const { text } = await issuer.call('upload_file', args);
    const { user, system } = process.cpuUsage(start);
    costs.push(user + system);
    expect(text).toContain('INVALID_INPUT at file: Give its content as {"text": "…"}');
  }
  // In microseconds of processor time. An object with all characters would take 250,000.
  expect(Math.min(...costs)).toBeLessThan(100_000);
});

describe('lists', () => {
  const idsOf = (items: { tokenId: string }[]) => items.map(({ tokenId }) => tokenId);
  let all: string[];
  beforeAll(async () => {
    const { srrs } = await gateway.anonymous.data('{ srrs(first: 999) { edges { node { tokenId } } } }');
    all = srrs.edges.map(({ node }: { node: { tokenId: string } }) => node.tokenId);
    expect(all.length).toBeGreaterThan(60);
  });

  it('are paged by cursor', async () => {
    const first = await anonymous.call('list_records', { first: 2 });
    expect(idsOf(first.data.items)).toEqual(all.slice(0, 2));
    expect(first.data.note).toBeUndefined();
    const second = await anonymous.call('list_records', { first: 2, after: first.data.nextCursor });
    expect(idsOf(second.data.items)).toEqual(all.slice(2, 4));
    expect(JSON.parse(second.text)).toEqual(second.data);
  });

  it('within a record fail the whole call when their cursor is invalid', async () => {
    const { data } = await anonymous.call('list_records', { first: 1, inRegistry: true });
    const wrong = { tokenId: data.items[0].tokenId, transfersAfter: 'x' };
    const { text, isError } = await anonymous.call('get_record', wrong);
    expect(text).toMatch(/^INVALID_INPUT at transfersAfter: The cursor .*Next: Correct this argument/);
    expect(isError).toBe(true);
  });

  it('can be paged forwards only, because no result has a cursor for the way back', async () => {
    const back = await anonymous.call('list_records', { last: 2 });
    expect(back.text).toContain('INVALID_INPUT at last: This tool has no argument of this name.');
    const oldest = await anonymous.call('list_records', { first: 2, orderBy: 'CREATED_AT_ASC' });
    expect(idsOf(oldest.data.items)).toEqual(all.slice(-2).reverse());
  });

  it('are cut when they are too long, and the next pages miss nothing', async () => {
    const seen: string[] = [];
    let after: string | undefined;
    let cuts = 0;
    do {
      const { data, text } = await anonymous.call('list_records', { first: 200, ...(after && { after }) });
      expect(text.length).toBeLessThanOrEqual(40_000);
      if (data.note) {
        cuts++;
        expect(data.note).toContain('call again with nextCursor as `after`');
        expect(text.length).toBeGreaterThan(30_000);
      }
      seen.push(...idsOf(data.items));
      after = data.nextCursor;
    } while (after);
    expect(cuts).toBeGreaterThan(0);
    expect(seen).toEqual(all);
  });
});

describe('an agent with nothing but the tools', () => {
  it('issues a record with its files, follows it and verifies its document', async () => {
    const { data: me } = await issuer.call('who_am_i');
    expect(me).toMatchObject({ issuer: gateway.issuer.address, scopes: expect.arrayContaining(['ISSUE']) });
    const { data: artists } = await issuer.call('list_licensed_users', {
      nameContains: gateway.info.artists[0]?.name,
    });
    const unique = randomUUID();
    const small = await issuer.call('upload_file', {
      filename: `agent-thumbnail-${unique}.svg`,
      category: 'NON_ATTACHMENT_FILE',
      file: { text: '<svg xmlns="http://www.w3.org/2000/svg"/>' },
    });
    const certificate = await issuer.call('upload_file', {
      filename: `agent-certificate-${unique}.txt`,
      category: 'CERTIFICATE',
      file: { base64: Buffer.from('genuine').toString('base64') },
    });
    const bytes = Buffer.alloc(300_000, unique);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const file = { filename: `agent-image-${unique}.png`, category: 'NON_ATTACHMENT_FILE' };
    const { data: created } = await issuer.call('create_uploads', { files: [{ ...file, sha256 }] });
    const [{ id, signedUrl, contentType, status }] = created.uploads;
    expect(status).toBe('AWAITING_BYTES');
    const put = await fetch(signedUrl, {
      method: 'PUT',
      headers: { 'content-type': contentType },
      body: bytes,
    });
    expect(put.status).toBe(200);
    const entry = {
      externalId: unique,
      artistAddress: artists.items[0].address,
      isPrimaryIssuer: true,
      lockExternalTransfer: false,
      metadata: {
        name: 'Morning Ferry',
        title: { en: 'Morning Ferry' },
        medium: { en: 'Oil on canvas' },
        yearOfCreation: { en: '2026' },
        thumbnail: { upload: small.data.upload.id },
        image: { upload: id },
      },
      attachments: [
        { category: 'CERTIFICATE', file: { upload: certificate.data.upload.id }, name: 'certificate.txt' },
      ],
    };
    expect((await issuer.call('validate_records', { entries: [entry] })).data.valid).toBe(true);
    const call = { requestId: randomUUID(), entries: [entry] };
    const { data: issued } = await issuer.call('issue_records', call);
    expect((await issuer.call('issue_records', call)).data.issuance.id).toBe(issued.issuance.id);
    const other = { ...call, entries: [{ ...entry, externalId: `other-${unique}` }] };
    expect((await issuer.call('issue_records', other)).data.errors).toMatchObject([
      { code: 'IDEMPOTENCY_CONFLICT', argument: 'requestId', next: expect.stringContaining('get_issuance') },
    ]);
    const check = async () => (await issuer.call('get_issuance', { requestId: call.requestId })).data;
    await expect.poll(async () => (await check()).status, { timeout: 30_000 }).toBe('COMPLETED');
    const [{ status: outcome, srr }] = (await check()).entries.items;
    expect(outcome).toBe('ISSUED');
    const { data: record } = await issuer.call('get_record', { tokenId: srr.tokenId });
    expect(record).toMatchObject({ tokenId: srr.tokenId, metadata: { name: 'Morning Ferry' } });
    const verify = () => issuer.call('verify_document', { cid: srr.metadataCID });
    await expect.poll(async () => (await verify()).data.status, { timeout: 30_000 }).toBe('VERIFIED');
    const { data: found } = await issuer.call('list_issuances', { externalId: unique });
    expect(found.items).toMatchObject([{ requestId: call.requestId, status: 'COMPLETED' }]);
  });
});

describe('docs/agents.md', () => {
  const guide = readFileSync(new URL('../../docs/agents.md', import.meta.url), 'utf8');
  const blocks = (language: string) =>
    [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, text = '']) => text);

  it('names exactly the existing tools, each with its scope', async () => {
    const rows = [...guide.matchAll(/^\| (`[a-z_]+`(?:, `[a-z_]+`)*) \|.*\| (?:(.*) )?\|$/gm)];
    const named = rows.flatMap(([, names = '', scope = '']) =>
      names.split(', ').map((name) => [name.slice(1, -1), scope.replaceAll('`', '') || undefined]),
    );
    const tools = createTools(loadOperations(schema), schema);
    // Strict equality: otherwise a missing tool would equal a tool without a scope.
    expect(Object.fromEntries(named)).toStrictEqual(
      Object.fromEntries(tools.map(({ name, scope }) => [name, scope])),
    );
  });

  it('shows configurations that are valid JSON and a program that runs', async () => {
    expect(blocks('json').map((text) => Object.keys(JSON.parse(text)).at(-1))).toHaveLength(4);
    const [program = ''] = blocks('ts');
    const text = program.replace('http://127.0.0.1:4000', gateway.app.url);
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', text], {
      env: { PATH: process.env.PATH, SRR_TOKEN: testToken },
      cwd: project,
    });
    expect(stdout).toContain('tokenId');
  });
});

describe('the MCP endpoint', () => {
  it('lists the same tools in the 2025 and the 2026 revision of the protocol', async () => {
    const modern = await connectMcp(gateway.app.url, testToken, {
      versionNegotiation: { mode: { pin: '2026-07-28' } },
    });
    expect(await modern.toolNames()).toEqual(await issuer.toolNames());
    expect((await modern.call('who_am_i')).data.issuer).toBe(gateway.issuer.address);
    expect(issuer.client.getInstructions()).toContain('srr://guide');
    expect(modern.client.getServerVersion()).toMatchObject({ name: 'srr-gateway' });
  });

  it('keeps no session, so that each request may go to another replica', async () => {
    const { url } = await gateway.replica();
    const balancer = await loadBalancer([gateway.app.url, url].map((one) => Number(new URL(one).port)));
    const one = await connectMcp(balancer.url, testToken);
    for (let n = 0; n < 6; n++) expect((await one.call('who_am_i')).isError).toBe(false);
    await one.client.close();
    await balancer.close();
  });

  // In the 2026 revision: that of 2025 answers with an event stream, which is never compressed.
  it('answers uncompressed, because a result may contain a secret', async () => {
    const answers: Headers[] = [];
    const compressing = async (url: string | URL, init: RequestInit = {}) => {
      const headers = new Headers(init.headers);
      headers.set('accept-encoding', 'gzip, br');
      const response = await fetch(url, { ...init, headers });
      answers.push(response.headers);
      return response;
    };
    const mode = { pin: '2026-07-28' };
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    const address = new URL('/mcp', gateway.app.url);
    const requestInit = { headers: { authorization: `Bearer ${testToken}` } };
    const transport = new StreamableHTTPClientTransport(address, { requestInit, fetch: compressing });
    await client.connect(transport as never);
    expect(JSON.stringify(await client.listTools()).length).toBeGreaterThan(10_000);
    await client.close();
    const listed = answers.at(-1);
    expect(listed?.get('content-type')).toMatch(/json/);
    expect(listed?.get('content-encoding')).toBeNull();
    expect(listed?.get('cache-control')).toBe('private, no-store, no-transform');
  });

  it('refuses an invalid token', async () => {
    const response = await postMcp(gateway.app.url, list, { authorization: 'Bearer wrong' });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    expect(await response.json()).toMatchObject({ error: { code: 'UNAUTHENTICATED' } });
    await expect(connectMcp(gateway.app.url, 'wrong')).rejects.toThrow();
  });

  it('refuses oversized bodies, batches of messages, streams and other HTTP methods', async () => {
    const { url } = gateway.app;
    const statuses = async (length: number) => {
      const params = { a: 'a'.repeat(length) };
      const long = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params });
      const token = { authorization: `Bearer ${testToken}` };
      return [(await postMcp(url, long)).status, (await postMcp(url, long, token)).status];
    };
    expect(await statuses(1_000_000)).toEqual([413, 413]);
    // Only callers with a token send files.
    expect(await statuses(500_000)).toEqual([413, 200]);
    const several = await postMcp(url, `[${list},${list}]`);
    expect(several.status).toBe(400);
    expect(await several.json()).toMatchObject({
      error: { message: expect.stringContaining('one message') },
    });
    expect((await postMcp(url, '{')).status).toBe(400);
    for (const method of ['GET', 'DELETE']) {
      const { status, headers } = await fetch(`${url}/mcp`, { method });
      expect({ status, allow: headers.get('allow') }).toEqual({ status: 405, allow: 'POST' });
    }
    const modern = await connectMcp(url, testToken, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    await expect(modern.client.listen({ toolsListChanged: true })).rejects.toThrow();
  });

  it('serves its guide, the error codes and the schema as resources', async () => {
    const { resources } = await anonymous.client.listResources();
    const read = async (uri: string) =>
      (await anonymous.client.readResource({ uri })).contents.map((one) =>
        'text' in one ? one.text : '',
      )[0];
    expect(resources.map(({ uri }) => uri)).toEqual(['srr://guide', 'srr://errors', 'srr://schema']);
    for (const tool of (await read('srr://guide'))?.match(/`[a-z]+_[a-z_]+`/g) ?? [])
      expect(await issuer.toolNames()).toContain(tool.slice(1, -1));
    expect(await read('srr://errors')).toContain('- `FILENAME_TAKEN`: ');
    expect(await read('srr://schema')).toContain('type SRR implements');
    expect(await read('srr://schema/IssueEntryInput')).toMatch(/^"""One record to issue."""/);
    await expect(read('srr://schema/Nothing')).rejects.toThrow();
  });

  it('is announced in a catalog and a server card', async () => {
    const { url } = gateway.app;
    const catalog = await fetch(`${url}/.well-known/ai-catalog.json`);
    expect(catalog.headers.get('content-type')).toBe('application/ai-catalog+json');
    const { entries } = (await catalog.json()) as { entries: { type: string; url: string }[] };
    expect(entries).toMatchObject([{ type: 'application/mcp-server-card+json' }]);
    const card = await fetch(entries[0]?.url ?? '');
    expect(card.headers.get('content-type')).toBe('application/mcp-server-card+json');
    expect(await card.json()).toMatchObject({
      name: expect.stringMatching(/^[a-zA-Z0-9.-]+\/srr-gateway$/),
      version: issuer.client.getServerVersion()?.version,
      remotes: [{ type: 'streamable-http', url: `${url}/mcp` }],
    });
  });
});
