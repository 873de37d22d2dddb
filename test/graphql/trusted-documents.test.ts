import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LoneGateway, startLoneGateway } from '../_util/lone-gateway.ts';

const known = 'query Known { __typename sources { kind } }';
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

let directory: string;
let gateway: LoneGateway;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'trusted-'));
  gateway = await startLoneGateway({
    TRUSTED_DOCUMENTS_FILE: file({ [sha256(known)]: known, 'a-short-id': '{ viewer { issuer } }' }),
  });
});
afterAll(async () => {
  await gateway?.stop();
  rmSync(directory, { recursive: true, force: true });
});

function file(content: unknown): string {
  const path = join(directory, `${crypto.randomUUID()}.json`);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

async function ask(body: object) {
  const response = await fetch(`${gateway.app.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return response.json() as Promise<{ data?: object; errors?: { extensions: { code: string } }[] }>;
}

const byHash = (sha256Hash: string) => ({ extensions: { persistedQuery: { version: 1, sha256Hash } } });
const untrusted = { errors: [{ extensions: { code: 'DOCUMENT_NOT_TRUSTED' } }] };

describe('a gateway with trusted documents', () => {
  it('executes them by id and by their exact text', async () => {
    const data = { __typename: 'Query', sources: expect.any(Array) };
    expect(await ask(byHash(sha256(known)))).toMatchObject({ data });
    expect(await ask({ query: known })).toMatchObject({ data });
    expect(await ask(byHash('a-short-id'))).toEqual({ data: { viewer: null } });
  });

  it.each<[string, object]>([
    ['another document', { query: '{ __typename }' }],
    ['a known document with an additional space', { query: `${known} ` }],
    ['an unknown id', byHash(sha256('{ __typename }'))],
    ['another document under a known id', { query: '{ __typename }', ...byHash(sha256(known)) }],
    ['the schema', { query: '{ __schema { types { name } } }' }],
  ])('executes nothing else: %s', async (_what, body) => {
    expect(await ask(body)).toMatchObject(untrusted);
  });

  it('executes nothing else over WebSocket', async () => {
    const socket = new WebSocket(`${gateway.app.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    const messages: { id?: string; type: string; payload: unknown }[] = [];
    socket.addEventListener('message', ({ data }) => messages.push(JSON.parse(String(data))));
    await new Promise((opened) => socket.addEventListener('open', opened));
    const say = (message: object) => socket.send(JSON.stringify(message));
    say({ type: 'connection_init' });
    await expect.poll(() => messages.length).toBe(1);
    say({ id: 'other', type: 'subscribe', payload: { query: '{ __typename }' } });
    say({ id: 'known', type: 'subscribe', payload: { query: known } });
    // The protocol requires a query, so it is empty.
    say({ id: 'by id', type: 'subscribe', payload: { query: '', ...byHash('a-short-id') } });
    await expect.poll(() => messages.filter(({ type }) => type === 'complete')).toHaveLength(2);
    expect(messages.find(({ id }) => id === 'by id')).toMatchObject({ payload: { data: { viewer: null } } });
    expect(messages.find(({ id }) => id === 'other')).toMatchObject({
      type: 'error',
      payload: untrusted.errors,
    });
    socket.close();
  });

  it('accepts a manifest in Apollo’s format', async () => {
    const other = await startLoneGateway({
      TRUSTED_DOCUMENTS_FILE: file({
        format: 'apollo-persisted-query-manifest',
        version: 1,
        operations: [{ id: 'x', name: 'Known', type: 'query', body: known }],
      }),
    });
    expect((await other.anonymous.ask(known)).errors).toBeUndefined();
    expect(await other.anonymous.ask('{ __typename }')).toMatchObject(untrusted);
    await other.stop();
  });

  it('does not start with an invalid document or an invalid file', async () => {
    const start = (content: unknown) => startLoneGateway({ TRUSTED_DOCUMENTS_FILE: file(content) });
    await expect(start({ old: '{ noSuchField }' })).rejects.toThrow(
      /^TRUSTED_DOCUMENTS_FILE: old cannot run: Cannot query field "noSuchField"/,
    );
    await expect(start('{')).rejects.toThrow(/TRUSTED_DOCUMENTS_FILE: .* is not JSON$/m);
    await expect(start([1])).rejects.toThrow(/TRUSTED_DOCUMENTS_FILE: must be an object/);
  });
});
