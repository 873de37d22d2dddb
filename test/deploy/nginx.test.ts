import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DebianServer, debianServer, missing } from '@srr-gateway/common/testing/debian-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { project } from '../_util/gateway-process.ts';
import { type LoneGateway, loneToken, startLoneGateway } from '../_util/lone-gateway.ts';
import { waitForFreshMinute } from '../_util/rate-limit-minute.ts';

const lacking = missing('nginx');
describe.skipIf(lacking)(`nginx with deploy/nginx/srr-gateway.conf${lacking}`, () => {
  const running = new AsyncDisposableStack();
  let replicas: LoneGateway[];
  let nginx: DebianServer;
  let url: string;
  const env = { TRUSTED_PROXIES: '1', RATE_LIMIT: '20' };

  beforeAll(async () => {
    replicas = [await startLoneGateway(env), await startLoneGateway(env)];
    running.defer(async () => void (await Promise.all(replicas.map((replica) => replica.stop()))));
    const folder = await mkdtemp(join(tmpdir(), 'nginx-'));
    running.defer(() => rm(folder, { recursive: true }));
    const written = await readFile(join(project, 'deploy/nginx/srr-gateway.conf'), 'utf8');
    const file = join(folder, 'nginx.conf');
    nginx = await debianServer('nginx', () => ['-p', folder, '-e', 'stderr', '-c', file]);
    const [one, two] = replicas.map(({ address }) => new URL(address).host) as [string, string];
    const site = written
      .replace('127.0.0.1:4010', one)
      .replace('127.0.0.1:4011', two)
      .replace('listen 80;', `listen 127.0.0.1:${nginx.port};`);
    const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (of) => `${of}_temp_path ${of};`,
    );
    // Under root, the workers of nginx would run as another user, who may not write here.
    await writeFile(
      file,
      `user root; daemon off; pid nginx.pid; events {} http { access_log off; ${folders.join(' ')}\n${site}}`,
    );
    await nginx.start();
    running.defer(() => nginx.stop());
    url = `http://127.0.0.1:${nginx.port}`;
  });
  afterAll(() => running.disposeAsync());

  const authorization = `Bearer ${loneToken}`;
  const post = (query: string, headers: Record<string, string> = {}) =>
    fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query }),
    });

  it('forwards an event stream without buffering', async () => {
    const stop = new AbortController();
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', authorization },
      body: JSON.stringify({ query: 'subscription { events { id } }' }),
      signal: stop.signal,
    });
    const first = await response.body?.getReader().read();
    expect(Buffer.from(first?.value ?? []).toString()).toContain('retry:');
    stop.abort();
  });

  it('forwards WebSockets', async () => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    await once(socket, 'open');
    socket.send(JSON.stringify({ type: 'connection_init' }));
    const [message] = await once(socket, 'message');
    expect(JSON.parse(String(message))).toMatchObject({ type: 'connection_ack' });
    socket.terminate();
  });

  it('lets the gateway refuse a body that is too large', async () => {
    const tooLarge = await post(`{ __typename } #${'x'.repeat(26_000_000)}`, { authorization });
    expect([tooLarge.status, await tooLarge.text()]).toEqual([413, expect.stringContaining('{')]);
    const file = await fetch(`${url}/uploads/none`, {
      method: 'PUT',
      headers: { authorization, 'content-type': 'image/png' },
      body: Buffer.alloc(40_000_000),
    });
    expect([file.status, file.headers.get('content-type')]).toEqual([404, expect.stringMatching(/json/)]);
  });

  it('does not expose metrics', async () => {
    expect((await fetch(`${url}/metrics`)).status).toBe(404);
  });

  it('answers every request while one replica after the other restarts', async () => {
    for (const [index, { address, stop }] of replicas.entries()) {
      await stop();
      for (let n = 0; n < 5; n++) expect((await post('{ __typename }', { authorization })).status).toBe(200);
      replicas[index] = await startLoneGateway({ ...env, PORT: new URL(address).port });
    }
  });

  it('forwards the real address of a caller, whatever X-Forwarded-For it sends', async () => {
    await waitForFreshMinute();
    // An earlier run has spent the budget of this minute.
    await expect.poll(async () => (await post('{ __typename }')).status, { timeout: 60_000 }).toBe(200);
    const statuses: number[] = [];
    // Each replica here has a database of its own, and so a limit of its own.
    for (let n = 0; n < 50; n++)
      statuses.push((await post('{ __typename }', { 'x-forwarded-for': `192.0.2.${n}` })).status);
    expect(statuses.at(0)).toBe(200);
    expect(statuses.at(-1)).toBe(429);
  }, 120_000);
});
