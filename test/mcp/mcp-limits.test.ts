import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { capturedLog } from '../_util/captured-log.ts';
import { type LoneGateway, loneIssuer, loneToken, startLoneGateway } from '../_util/lone-gateway.ts';
import { connectMcp, postMcp } from '../_util/mcp-client.ts';
import { waitForFreshMinute } from '../_util/rate-limit-minute.ts';

const list = '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}';

const log = capturedLog();
let gateway: LoneGateway;
beforeAll(async () => {
  gateway = await startLoneGateway(
    { CORS_ORIGINS: 'https://shop.example', INTROSPECTION: 'off', RATE_LIMIT: '0' },
    log.log,
  );
});
afterAll(() => gateway?.stop());

it('each MCP message counts against the rate limit of its caller', async () => {
  const limited = await startLoneGateway({ RATE_LIMIT: '50', TRUSTED_PROXIES: '1' });
  onTestFinished(() => limited.stop());
  await waitForFreshMinute();
  const from = (address: string) => postMcp(limited.address, list, { 'x-forwarded-for': address });
  for (let n = 0; n < 50; n++) expect((await from('192.0.2.1')).status).toBe(200);
  const refused = await from('192.0.2.1');
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await from('192.0.2.2')).headers.get('ratelimit')).toMatch(/^"minute";r=49;/);
});

it('malformed messages are refused with an error, never with a 5xx', async () => {
  const call = (params: object) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const entry = {
    externalId: 'a',
    artistAddress: loneIssuer,
    isPrimaryIssuer: true,
    lockExternalTransfer: true,
  };
  const messages = [
    ...[null, 1, 'x', {}, { jsonrpc: '2.0', id: 1, method: '__proto__' }, call({}), call({ name: 5 })],
    ...['x', null, []].map((args) => call({ name: 'list_records', arguments: args })),
    call({ name: 'constructor' }),
    call({ name: 'upload_file', arguments: { file: 5, filename: 5, category: 5 } }),
    call({ name: 'issue_records', arguments: { requestId: '\0', entries: [null] } }),
    { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'srr://schema/__proto__' } },
    { jsonrpc: '2.0', id: 1, method: 'resources/read', params: {} },
  ].map((message) => JSON.stringify(message));
  const entries = [{ ...entry, metadataJson: 'DEEP' }];
  const issue = call({ name: 'issue_records', arguments: { requestId: 'deep', entries } });
  for (const message of ['', '{', ...messages, JSON.stringify(issue).replace('"DEEP"', deep)]) {
    const headers = { authorization: `Bearer ${loneToken}` };
    const response = await postMcp(gateway.address, message, headers);
    expect(response.status, message.slice(0, 200)).toBeLessThan(500);
    expect(await response.text(), message.slice(0, 200)).toMatch(/"error":|"isError":true/);
  }
});

it('nearly valid base64 and thousands of unknown arguments are refused with a short error', async () => {
  const agent = await connectMcp(gateway.address, loneToken);
  const file = { base64: `${' '.repeat(500_000)}!` };
  const upload = { filename: 'a.bin', category: 'NON_ATTACHMENT_FILE', file };
  expect((await agent.call('upload_file', upload)).data.errors).toMatchObject([{ argument: 'file' }]);
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`argument${i}`, 1]));
  const { data } = await agent.call('list_records', { ['x'.repeat(5_000)]: 1, ...many });
  expect(data.errors[0].argument).toHaveLength(100);
});

it('a tool call takes its cost from the caller’s budget, and a refusal names a page size that fits', async () => {
  const frugal = await startLoneGateway({ COST_LIMIT: '3000', TRUSTED_PROXIES: '1' });
  onTestFinished(() => frugal.stop());
  const agent = await connectMcp(frugal.address, loneToken);
  const first = async (count: number) => (await agent.call('list_issuances', { first: count })).data;
  expect((await first(100)).items).toEqual([]);
  const [{ code, message, fits, retryAfter }] = (await first(100)).errors;
  expect({ code, message }).toEqual({ code: 'RATE_LIMITED', message: expect.stringContaining('COST_LIMIT') });
  expect(message).toContain(`try again in ${retryAfter} seconds`);
  expect(fits.first).toBeGreaterThan(0);
  expect((await first(fits.first)).items).toEqual([]);
  const known = { authorization: `Bearer ${loneToken}`, 'x-forwarded-for': '192.0.2.4' };
  const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_issuances"}}';
  const { headers } = await postMcp(frugal.address, call, known);
  expect(headers.get('ratelimit')).toMatch(/"cost";r=\d+/);
});

it('a key is not called invalid while the service that would know is down', async () => {
  const key = { 'commerce-api-key': 'a-key', 'issuer-address': loneIssuer };
  const response = await postMcp(gateway.address, list, key);
  expect([response.status, response.headers.get('www-authenticate')]).toEqual([503, null]);
});

it('only web pages of the allowed origins may call the endpoint', async () => {
  const preflight = async (origin: string) => {
    const headers = { origin, 'access-control-request-method': 'POST' };
    const response = await fetch(`${gateway.address}/mcp`, { method: 'OPTIONS', headers });
    return response.headers.get('access-control-allow-origin');
  };
  expect(await preflight('https://shop.example')).toBe('https://shop.example');
  expect(await preflight('https://evil.example')).toBeNull();
  const form = { 'content-type': 'text/plain', 'sec-fetch-site': 'cross-site' };
  expect((await postMcp(gateway.address, list, form)).status).toBe(403);
});

it('a hidden schema is not a resource, and the error of a source that is down says what to do next', async () => {
  const agent = await connectMcp(gateway.address, loneToken);
  const { resources } = await agent.client.listResources();
  expect(resources.map(({ uri }) => uri)).toEqual(['srr://guide', 'srr://errors']);
  expect((await agent.client.listResourceTemplates()).resourceTemplates).toEqual([]);
  await expect(agent.client.readResource({ uri: 'srr://schema/SRR' })).rejects.toThrow();
  const { isError, text, data } = await agent.call('list_records', {});
  expect({ isError, code: data.errors[0].code }).toEqual({ isError: true, code: 'UPSTREAM_UNAVAILABLE' });
  expect(text).toContain('Next: Try again in a few seconds');
  expect(text + log.text()).not.toContain(loneToken);
});
