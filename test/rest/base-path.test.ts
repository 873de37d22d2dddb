import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freePorts } from '@srr-gateway/common/testing/free-ports';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entry } from '../_util/entries.ts';
import { startTestGateway, type TestGateway, testToken } from '../_util/gateway.ts';

// A proxy serves the gateway below a path, and removes the path before it passes a request on.

const picture = { ipfs: 'ipfs://bafkreibh4jhrzebainfupwbww6s5w6mz6mx4uum6dcbbfshqzxthhybfte' };

let proxy: Server;
let gateway: TestGateway;
let publicUrl: string;

beforeAll(async () => {
  const [port] = await freePorts(1);
  proxy = createServer((req, res) => {
    if (!req.url?.startsWith('/srr/')) return void res.writeHead(404).end();
    const { method, headers } = req;
    const passed = request(`http://127.0.0.1:${port}${req.url.slice(4)}`, { method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    // The sandbox may send a webhook while the gateway stops.
    passed.on('error', () => res.destroy());
    req.pipe(passed);
  });
  await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
  publicUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/srr`;
  gateway = await startTestGateway({ env: { PORT: String(port), PUBLIC_URL: publicUrl } });
});
afterAll(async () => {
  await gateway?.stop();
  proxy.closeAllConnections();
  proxy.close();
});

/** Fetches an address as a browser does, relative to the page. */
const follow = (address: string, from: string) => fetch(new URL(address, from));

describe('a gateway below a path', () => {
  it('shows GraphiQL with its scripts and styles', async () => {
    const page = await fetch(`${publicUrl}/`, { headers: { accept: 'text/html' } });
    expect(page.url).toBe(`${publicUrl}/graphql`);
    const addresses = [...(await page.text()).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, one]) => one);
    expect(addresses.length).toBeGreaterThanOrEqual(5);
    for (const address of addresses)
      expect((await follow(String(address), page.url)).status, address).toBe(200);
  });

  it('links to the next page, and to an issuance', async () => {
    const body = { requestId: 'below', entries: ['a', 'b'].map((id) => entry(gateway.info, id, picture)) };
    const headers = { authorization: `Bearer ${testToken}`, 'content-type': 'application/json' };
    const issued = await fetch(`${publicUrl}/issuances`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    const location = new URL(issued.headers.get('location') ?? '', issued.url);
    expect(location.href).toBe(`${publicUrl}/issuances/below`);
    const first = await fetch(`${location}?first=1`, { headers });
    const [, next = ''] = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '') ?? [];
    const second = await fetch(new URL(next, first.url), { headers });
    expect(await second.json()).toMatchObject({ entries: { items: [{ externalId: 'b' }] } });
  });

  it('has an OpenAPI document whose server URL works below the path', async () => {
    const document = await fetch(`${publicUrl}/openapi.json`);
    const { servers } = (await document.json()) as { servers: { url: string }[] };
    const records = await follow(`${servers[0]?.url}/records?first=1`, document.url);
    expect(records.status).toBe(200);
  });

  it('announces its MCP server', async () => {
    const catalog = await fetch(`${publicUrl}/.well-known/ai-catalog.json`);
    const { entries } = (await catalog.json()) as { entries: { url: string }[] };
    const card = (await (await fetch(entries[0]?.url ?? '')).json()) as { remotes: { url: string }[] };
    expect(card.remotes.map(({ url }) => url)).toEqual([`${publicUrl}/mcp`]);
  });
});
