import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entry } from '../_util/entries.ts';
import { startTestGateway, type TestGateway, testToken } from '../_util/gateway.ts';

const idFor = (text: string) => Buffer.from(text).toString('base64');
const base64 = (text: string) => Buffer.from(text).toString('base64url');
const forged = (...parts: unknown[]) => base64(JSON.stringify(parts));

describe('invalid input', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ sandbox: { fixtures: true } });
  });
  afterAll(() => gateway.stop());

  it.each([
    ['a forged cursor', `{ issuances(after: "${forged('issuance', 'x', 'y')}") { edges { cursor } } }`],
    [
      'a cursor with a date out of range',
      `{ issuances(after: "${forged('issuance', '-100000-01-01T00:00:00Z', crypto.randomUUID())}") { edges { cursor } } }`,
    ],
    [
      'a cursor with values of the wrong type',
      `{ issuances(after: "${forged('issuance', {}, [])}") { edges { cursor } } }`,
    ],
    [
      'a malformed id in cancelIssuance',
      `mutation { cancelIssuance(input: { id: "${base64('Issuance:x')}" }) { userErrors { code } } }`,
    ],
    [
      'half a surrogate pair in a name',
      'mutation { createCollection(input: { name: "\\ud800", symbol: "X" }) { userErrors { code } } }',
    ],
    [
      'an issuance by both id and requestId',
      `{ issuance(id: "${base64(`Issuance:${crypto.randomUUID()}`)}", requestId: "x") { id } }`,
    ],
    ['an issuance without id or requestId', '{ issuance { id } }'],
    ...['2026-02-29', '2026-02-30', '2026-04-31', '0000-02-30'].map((day) => [
      `a date that does not exist: ${day}`,
      `{ srrs(where: { createdAfter: "${day}T00:00:00Z" }) { edges { cursor } } }`,
    ]),
    ['a fragment on an input type', '{ ... on SRRFilter { tokenIds } }'],
    ['a document nested 20,000 levels deep', '{a'.repeat(20_000) + '}'.repeat(20_000)],
  ])('gets a specific error, and never a 5xx: %s', async (_what, query) => {
    const answer = await gateway.caller.ask(query);
    const text = JSON.stringify(answer);
    expect(answer.status).toBeLessThan(500);
    expect(text).not.toContain('UNKNOWN_ERROR');
    expect(text).toMatch(/INVALID_INPUT|NOT_FOUND|LIMIT_EXCEEDED|valid|VALIDATION|Syntax/);
  });

  it.each([
    '2024-02-29T12:00:00Z',
    '2000-02-29t00:00:00.123+09:00',
    '0000-02-29T00:00:00Z',
    '9999-12-31T23:59:59Z',
  ])('does not include a valid date: %s', async (time) => {
    const query = 'query ($time: DateTime) { srrs(where: { createdBefore: $time }) { edges { cursor } } }';
    const { errors } = await gateway.anonymous.ask(query, { time });
    expect(errors).toBeUndefined();
  });

  it('is refused in the same way by a prepared read: a number that overflows', async () => {
    const query = 'query ($n: Int) { srrs(first: $n) { edges { node { tokenId } } } }';
    const ask = async (n: string) => {
      const response = await fetch(`${gateway.app.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: `{"query":${JSON.stringify(query)},"variables":{"n":${n}}}`,
      });
      return { status: response.status, text: await response.text() };
    };
    const refused = await ask('1e999');
    expect(refused.text).toContain('INVALID_INPUT');
    for (let i = 0; i < 3; i++) expect((await ask('null')).status).toBe(200);
    expect(await ask('1e999')).toEqual(refused);
  });

  it.each(['query', 'mutation'])(
    'is ignored in a %s: unused variables nested 9,000 levels deep',
    async (kind) => {
      const response = await fetch(`${gateway.app.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: `{"query":"${kind} { __typename }","variables":{"a":${'['.repeat(9_000)}${']'.repeat(9_000)}}}`,
      });
      expect(response.status).toBe(200);
    },
  );

  it('is refused in the same way each time: a filter in a variable, nested 2,000 levels deep', async () => {
    const query = 'query ($where: SRRFilter) { srrs(where: $where) { edges { cursor } } }';
    const ask = async (where: string) => {
      const response = await fetch(`${gateway.app.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: `{"query":${JSON.stringify(query)},"variables":{"where":${where}}}`,
      });
      return { status: response.status, text: await response.text() };
    };
    // From now on the document is prepared.
    expect((await ask('{}')).status).toBe(200);
    const deep = `${'{"and":['.repeat(2_000)}{}${']}'.repeat(2_000)}`;
    const refused = await ask(deep);
    expect(refused.text).toMatch(/INVALID_INPUT|LIMIT_EXCEEDED/);
    expect(await ask(deep)).toEqual(refused);
  });

  it('is refused each time: a body that is the path of a prepared read', async () => {
    const path = '/graphql?query={__typename}';
    const headers = { 'content-type': 'application/json' };
    // From now on the document is prepared.
    expect((await fetch(`${gateway.app.url}${path}`)).status).toBe(200);
    const answer = await fetch(`${gateway.app.url}/graphql`, { method: 'POST', headers, body: path });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('The body is not JSON');
  });

  it('includes the media type application/jsonx, but not Application/JSON', async () => {
    const ask = (type: string) =>
      fetch(`${gateway.app.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': type },
        body: JSON.stringify({ query: '{ typed: __typename }' }),
      }).then(({ status }) => status);
    for (let i = 0; i < 2; i++) {
      expect(await ask('Application/JSON; charset=utf-8')).toBe(200);
      expect(await ask('application/jsonx')).toBe(415);
    }
  });

  // "Café" in Latin-1. Decoded as UTF-8 it would be issued as "Caf\ufffd".
  it.each([
    ['a short body', '/graphql', { query: '{ srr(tokenId: "Caf\xe9") { id } }' }],
    ['a long body', '/graphql', { query: `{ srr(tokenId: "Caf\xe9") { id } } #${' '.repeat(30_000)}` }],
    [
      'a message of an agent',
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'ping', params: { _meta: { a: 'Caf\xe9' } } },
    ],
  ])('is refused when the body is not UTF-8: %s', async (_which, path, body) => {
    const response = await fetch(gateway.app.url + path, {
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        authorization: `Bearer ${testToken}`,
      },
      body: Buffer.from(JSON.stringify(body), 'latin1'),
    });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('The body is not UTF-8.');
  });

  const part = (disposition: string, text: string) =>
    `--b\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n${text}\r\n`;
  const upload = (filename: string, category: string) => {
    const query = 'mutation ($input: UploadFileInput!) { uploadFile(input: $input) { upload { id } } }';
    const operations = JSON.stringify({ query, variables: { input: { file: null, category } } });
    const file = part(`name="0"; filename="${filename}"`, 'bytes');
    return `${part('name="operations"', operations)}${part('name="map"', '{"0":["variables.input.file"]}')}${file}--b--\r\n`;
  };
  it.each([
    ['a text field', 'multipart/form-data; boundary=b', upload('cafe.png', 'Caf\xe9')],
    ['a filename', 'multipart/form-data; boundary=b', upload('caf\xe9.png', 'ARTWORK')],
    ['a query', 'application/x-www-form-urlencoded', 'query={+srr(tokenId:+"Caf%E9")+{+id+}+}'],
    ['a document', 'application/graphql', '{ srr(tokenId: "Caf\xe9") { id } }'],
  ])('is refused when a form or document is not UTF-8: %s', async (_which, type, body) => {
    const response = await fetch(`${gateway.app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': type, 'x-graphql-yoga-csrf': '1', authorization: `Bearer ${testToken}` },
      body: Buffer.from(body, 'latin1'),
    });
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining('The body is not UTF-8.'),
    ]);
  });

  it.each([
    ['whose map is not JSON', '{broken', '{"query":"{ __typename }"}'],
    ['whose map is not a list of paths', '{"0":5}', '{"query":"{ __typename }"}'],
    ['whose operations are null', '{}', 'null'],
    ['whose operations are a number', '{}', '5'],
  ])('is refused in a multipart form %s', async (_which, map, operations) => {
    const response = await fetch(`${gateway.app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=b', 'x-graphql-yoga-csrf': '1' },
      body: `${part('name="operations"', operations)}${part('name="map"', map)}--b--\r\n`,
    });
    const { errors } = (await response.json()) as { errors: unknown };
    expect([response.status, errors]).toMatchObject([400, [{ extensions: { code: 'INVALID_INPUT' } }]]);
  });

  it('does not include JSON after a byte order mark', async () => {
    const response = await fetch(`${gateway.app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '\ufeff{"query":"{ __typename }"}',
    });
    expect([response.status, await response.json()]).toEqual([200, { data: { __typename: 'Query' } }]);
  });

  it.each(['application/xml', 'text/html, image/*;q=0.9', 'application/json; charset=utf-16'])(
    'is refused before execution when no type in Accept is supported: %s',
    async (accept) => {
      const picture = { ipfs: 'ipfs://bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy' };
      const requestId = `unacceptable-${accept}`;
      const response = await fetch(`${gateway.app.url}/graphql`, {
        method: 'POST',
        headers: { accept, 'content-type': 'application/json', authorization: `Bearer ${testToken}` },
        body: JSON.stringify({
          query: 'mutation ($i: IssueSRRsInput!) { issueSRRs(input: $i) { issuance { id } } }',
          variables: { i: { requestId, entries: [entry(gateway.info, requestId, picture)] } },
        }),
      });
      expect(response.status).toBe(406);
      expect(await response.json()).toEqual({
        errors: [
          { message: expect.stringContaining('application/json'), extensions: { code: 'INVALID_INPUT' } },
        ],
      });
      const later = await gateway.caller.ask('query ($id: String!) { issuance(requestId: $id) { id } }', {
        id: requestId,
      });
      expect(later.data).toEqual({ issuance: null });
      const page = await fetch(`${gateway.app.url}/graphql?query={sources{kind}}`, {
        headers: { accept: 'application/xml' },
      });
      expect([page.status, await page.text()]).toEqual([406, expect.stringContaining('Accept')]);
    },
  );

  it.each(['01', '9'.repeat(79)])(
    'gets an explanation when a number is not a token id: %s',
    async (tokenId) => {
      const { errors } = await gateway.anonymous.ask('query ($t: TokenId!) { srr(tokenId: $t) { id } }', {
        t: tokenId,
      });
      const why = expect.stringContaining('of at most 78 digits and without leading zeros, not "');
      expect(errors).toMatchObject([{ message: why, extensions: { code: 'INVALID_INPUT' } }]);
    },
  );

  it('is not echoed in full when the body is not JSON', async () => {
    const response = await fetch(`${gateway.app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"query":"{ __typename }"}${'x'.repeat(30_000)}`,
    });
    expect(response.status).toBe(400);
    const text = await response.text();
    expect(text).toMatch(/"message":"The body is not JSON: .*"code":"BAD_REQUEST"/);
    expect(text.length).toBeLessThan(500);
  });

  it('is named when the variables in a query string are not JSON', async () => {
    const response = await fetch(`${gateway.app.url}/graphql?query={__typename}&variables={`);
    expect(response.status).toBe(400);
    expect(await response.text()).toMatch(/variables and extensions in its address must be JSON/);
  });

  it('has the path of the mutation’s field when a file reference contains a NUL', async () => {
    const bad = entry(gateway.info, 'a-nul', { ipfs: 'ipfs://a\0b' } as never);
    const { data } = await gateway.caller.ask(
      'mutation ($e: IssueEntryInput!) { issueSRRs(input: { entries: [$e] }) { userErrors { code path } } }',
      { e: bad },
    );
    expect(data?.issueSRRs.userErrors).toMatchObject([
      { code: 'INVALID_INPUT', path: expect.arrayContaining(['image', 'ipfs']) },
    ]);
  });

  it.each(['some-request-id', crypto.randomUUID(), base64('SRR:registry/1')])(
    'is refused when the id in a filter is not that of an issuance: %s',
    async (issuance) => {
      const { errors } = await gateway.caller.ask(
        'query ($issuance: ID!) { events(where: { issuance: $issuance }) { edges { cursor } } }',
        { issuance },
      );
      expect(errors).toMatchObject([
        { extensions: { code: 'INVALID_INPUT', inputPath: ['where', 'issuance'] } },
      ]);
    },
  );

  it('is refused every time when operationName is empty', async () => {
    const ask = (operationName?: string) =>
      fetch(`${gateway.app.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: '{ unnamed: __typename }', operationName }),
      }).then(({ status }) => status);
    expect([await ask(''), await ask(), await ask(), await ask('')]).toEqual([400, 200, 200, 400]);
  });

  it('fails only its own field when a nested page is too long', async () => {
    const query =
      '{ srrs(first: 1) { edges { node { tokenId provenance(first: 1000) { edges { node { id } } } } } } }';
    const { data, errors } = await gateway.caller.ask(query);
    expect(errors).toMatchObject([
      { message: 'first must be from 0 to 999, not 1000.', path: ['srrs', 'edges', 0, 'node', 'provenance'] },
    ]);
    expect(data?.srrs.edges).toHaveLength(1);
  });

  it.each(['@skip(if: true)', '@include(if: $maybe)'])(
    'is refused when the root field of a subscription has %s',
    async (condition) => {
      const { errors } = await gateway.caller.ask(
        `subscription ($maybe: Boolean!) { events ${condition} { type } }`,
        { maybe: true },
      );
      expect(errors).toMatchObject([
        {
          message: expect.stringMatching(/cannot have a directive. Remove @(skip|include)/),
          extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
        },
      ]);
    },
  );

  it.each([
    [
      'where.nameContains',
      'query ($a: String) { collections(where: { nameContains: $a }) { edges { cursor } } }',
    ],
    ['requestId', 'query ($a: String) { issuance(requestId: $a) { id } }'],
    ['where.externalId', 'query ($a: String) { issuances(where: { externalId: $a }) { edges { cursor } } }'],
    [
      'where.externalIds.0',
      'query ($a: String!) { events(where: { externalIds: [$a] }) { edges { cursor } } }',
    ],
  ])('is refused by name when a text has a NUL or half a surrogate pair: %s', async (name, query) => {
    for (const text of ['a\0b', 'a\ud800b'])
      for (const read of [gateway.caller, ...(name.includes('nameContains') ? [gateway.anonymous] : [])]) {
        const { errors } = await read.ask(query, { a: text });
        expect(errors).toMatchObject([
          {
            message: expect.stringContaining(name),
            extensions: { code: 'INVALID_INPUT', inputPath: name.split('.') },
          },
        ]);
      }
  });

  it.each([
    ['an id with a NUL', idFor('CustomHistory:a\0b')],
    ['plain text', 'x'],
    ['an empty string', ''],
    ['an unknown type', idFor('Foo:1')],
    ['a type without ids', idFor('PageInfo:1')],
  ])('is refused as an id: %s', async (_what, id) => {
    for (const query of [
      'query ($id: ID!) { node(id: $id) { id } }',
      'query ($id: ID!) { nodes(ids: [$id]) { id } }',
      'query ($id: ID!) { issuance(id: $id) { id } }',
    ]) {
      const { errors } = await gateway.caller.ask(query, { id });
      expect(errors).toMatchObject([
        { message: expect.stringContaining(`"${id}"`), extensions: { code: 'INVALID_INPUT' } },
      ]);
    }
  });

  it('leaves the other nodes intact when one of several ids is malformed', async () => {
    const { srrs } = await gateway.anonymous.data('{ srrs(first: 1) { edges { node { id } } } }');
    const { node } = srrs.edges[0];
    const query = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }';
    expect(await gateway.anonymous.ask(query, { ids: ['x', node.id] })).toMatchObject({
      data: { nodes: [null, node] },
      errors: [{ path: ['nodes', 0], extensions: { code: 'INVALID_INPUT', inputPath: ['ids', '0'] } }],
    });
  });

  it('includes a token id with leading zeros, which finds nothing inside a global id', async () => {
    const { srrs } = await gateway.anonymous.data(
      '{ srrs(first: 1, where: { inRegistry: true }) { edges { node { id tokenId } } } }',
    );
    const [{ node: record }] = srrs.edges;
    const [type, place] = Buffer.from(record.id, 'base64').toString().split(/[:/]/);
    expect(Buffer.from(record.id, 'base64').toString()).toBe(`${type}:${place}/${record.tokenId}`);
    const padded = Buffer.from(`${type}:${place}/00${record.tokenId}`).toString('base64');
    const query = 'query ($id: ID!) { node(id: $id) { id } }';
    expect(await gateway.anonymous.data(query, { id: record.id })).toEqual({ node: { id: record.id } });
    expect(await gateway.anonymous.data(query, { id: padded })).toEqual({ node: null });
    for (const ask of ['srr(tokenId: $t) { id }', 'srrs(where: { tokenIds: [$t] }) { edges { cursor } }']) {
      const { errors } = await gateway.anonymous.ask(`query ($t: TokenId!) { ${ask} }`, {
        t: `00${record.tokenId}`,
      });
      expect(errors).toMatchObject([{ extensions: { code: 'INVALID_INPUT' } }]);
    }
  });

  it.each([
    ['first: 2, before: $c', 'before'],
    ['last: 2, after: $c', 'last'],
    ['first: 2, last: 1', 'last'],
    ['after: $c, before: $c', 'before'],
  ])('is refused when a page goes both forward and backward: %s', async (args, path) => {
    const { srrs } = await gateway.anonymous.data('{ srrs(first: 3) { edges { cursor } } }');
    for (const list of ['srrs', 'collections']) {
      const { errors } = await gateway.anonymous.ask(
        `query ($c: String = "") { ${list}(${args}) { edges { cursor } } unused: srrs(first: 0, after: $c) { pageInfo { hasNextPage } } }`,
        { c: srrs.edges[1].cursor },
      );
      expect(errors).toContainEqual(
        expect.objectContaining({
          message: 'first and after cannot be combined with last and before. Use one pair.',
          extensions: { code: 'INVALID_INPUT', inputPath: [path] },
        }),
      );
    }
  });

  it('is refused when the id in a cursor contains a NUL', async () => {
    const cursor = forged('createdAt', 1, null, '1', 'a\0b');
    const { errors } = await gateway.anonymous.ask(
      'query ($c: String) { srrs(after: $c) { edges { cursor } } }',
      {
        c: cursor,
      },
    );
    expect(errors).toMatchObject([{ extensions: { code: 'INVALID_INPUT', inputPath: ['after'] } }]);
  });

  it.each([
    ['issuances of no status', '{ issuances(where: { status: [] }) { edges { cursor } } }'],
    ['events of no type', '{ events(where: { types: [] }) { edges { cursor } } }'],
    ['events of no record', '{ events(where: { externalIds: [] }) { edges { cursor } } }'],
    ['events of no token', '{ events(where: { tokenIds: [] }) { edges { cursor } } }'],
    [
      'events of no issuance',
      `{ events(where: { issuance: "${base64(`Issuance:${'-'.repeat(36)}`)}" }) { edges { cursor } } }`,
    ],
  ])('does not include a filter that matches nothing: %s', async (_what, query) => {
    const data = await gateway.caller.data(query);
    expect(Object.values(data)).toEqual([{ edges: [] }]);
  });

  it('is left to the metadata schema when chip UIDs are not strings', async () => {
    const document = { chipUIDs: [{ toString: 1, valueOf: 1 }] };
    const { validateSRRs } = await gateway.caller.data(
      'query ($entries: [IssueEntryInput!]!) { validateSRRs(entries: $entries) { valid userErrors { code } } }',
      {
        entries: [entry(gateway.info, 'x', {}, {}), entry(gateway.info, 'y', {})].map((one) => ({
          ...one,
          metadata: null,
          metadataJson: document,
        })),
      },
    );
    expect(validateSRRs.valid).toBe(false);
  });

  it.each([
    ['with the default type of curl', { 'content-type': 'application/x-www-form-urlencoded' }, 400],
    ['as plain text', { 'content-type': 'text/plain' }, 415],
    ['without a type', { 'content-type': '' }, 415],
  ])('is refused with the expected Content-Type when JSON is sent %s', async (_what, headers, status) => {
    const body = Buffer.from('{"query":"{ __typename }"}');
    const response = await fetch(`${gateway.app.url}/graphql`, { method: 'POST', headers, body });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({
      errors: [
        {
          message: expect.stringContaining('Content-Type: application/json'),
          extensions: { code: 'INVALID_INPUT' },
        },
      ],
    });
  });

  it('is answered with the path of GraphQL when the path is unknown', async () => {
    const response = await fetch(`${gateway.app.url}/grapqhl`);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({
      error: { code: 'INVALID_INPUT', message: 'There is nothing at /grapqhl; GraphQL is at /graphql.' },
    });
  });

  it.each(['/health', '/health/', '/healthz'])(
    'is answered with the paths of the probes at %s',
    async (path) => {
      const response = await fetch(gateway.app.url + path);
      expect(response.status).toBe(404);
      const message = `There is nothing at ${path}; a probe asks /health/live or /health/ready.`;
      expect(await response.json()).toEqual({ error: { code: 'INVALID_INPUT', message } });
    },
  );

  it.each(['/', '/health/live'])(
    'does not include HEAD %s, which is answered like GET without a body',
    async (path) => {
      const ask = (method: string) => fetch(gateway.app.url + path, { method, redirect: 'manual' });
      const [get, head] = [await ask('GET'), await ask('HEAD')];
      expect(head.status).toBe(get.status);
      expect(await head.text()).toBe('');
    },
  );

  it.each(['GET /health/live', 'POST /graphql'])(
    'does not include an offer of HTTP/2, which is ignored: %s',
    async (line) => {
      const { hostname, port } = new URL(gateway.app.url);
      const socket = connect(Number(port), hostname);
      const body = line.startsWith('POST') ? '{"query":"{ __typename }"}' : '';
      socket.end(
        `${line} HTTP/1.1\r\nhost: gateway\r\nconnection: Upgrade, HTTP2-Settings, close\r\nupgrade: h2c\r\n` +
          `http2-settings: AAMAAABkAAQAAP__\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
      let answer = '';
      for await (const piece of socket) answer += piece;
      expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    },
  );

  it('gets 400 without a stack trace when the Host header is malformed', async () => {
    const { hostname, port } = new URL(gateway.app.url);
    const socket = connect(Number(port), hostname);
    socket.end('GET /graphql HTTP/1.1\r\nhost: a b@@\r\nconnection: close\r\n\r\n');
    let answer = '';
    for await (const piece of socket) answer += piece;
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).not.toMatch(/node_modules|at /);
  });

  it.each(['..%2f..%2fx.png', '%2Fetc%2Fpasswd.png', 'a%2Fb.png'])(
    'is refused when a filename contains a path: %s',
    async (name) => {
      const response = await fetch(`${gateway.app.url}/uploads/artwork/${name}`, {
        method: 'PUT',
        headers: { ...gateway.caller.headers, 'content-type': 'image/png' },
        body: 'x',
      });
      expect(response.status).toBe(400);
    },
  );
});
