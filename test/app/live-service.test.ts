import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@srr-gateway/common/testing/free-ports';
import type { SandboxInfo } from '@srr-gateway/sandbox';
import { ownerOf } from '@srr-gateway/sandbox/testing/issuer';
import { type SandboxProcess, sandboxProcess } from '@srr-gateway/sandbox/testing/sandbox-process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entry } from '../_util/entries.ts';
import { type GatewayProcess, gatewayProcess } from '../_util/gateway-process.ts';
import { GraphQLCaller } from '../_util/graphql-caller.ts';

const token = 'a-token-of-the-live-issuer';
const observed = join(tmpdir(), `observed-${randomUUID()}`);

let service: SandboxProcess;
let gateway: GatewayProcess;
let caller: GraphQLCaller;
let info: SandboxInfo;

/** What the gateway's process has done so far, of one kind (modules, connections). */
function observedOf(kind: string): string[] {
  const lines = readFileSync(observed, 'utf8').split('\n');
  const found = lines
    .filter((line) => line.startsWith(`${kind} `))
    .map((line) => line.slice(kind.length + 1));
  return [...new Set(found)];
}

beforeAll(async () => {
  const webhookKey = randomBytes(16).toString('hex');
  const [port] = await freePorts(1);
  service = await sandboxProcess({
    SANDBOX_WEBHOOK_URL: `http://127.0.0.1:${port}/webhooks/commerce`,
    SANDBOX_WEBHOOK_KEY: webhookKey,
    SANDBOX_MINING_INTERVAL_MS: '200',
    SANDBOX_HASH_DELAY_MS: '200',
  });
  info = service.info;
  const [issuer] = info.issuers;
  gateway = await gatewayProcess({
    nodeArguments: ['--import', './test/_util/observe-process.ts'],
    env: {
      PORT: String(port),
      COMMERCE_URL: info.commerceUrl,
      SUBGRAPH_URL: info.subgraphUrl,
      IPFS_GATEWAYS: info.ipfsUrl,
      REGISTRY_ADDRESS: info.registryAddress,
      ISSUERS: JSON.stringify([
        {
          address: issuer?.address,
          apiKey: issuer?.apiKey,
          webhookKeys: [webhookKey],
          tokens: [{ token, scopes: ['read', 'upload', 'issue'] }],
        },
      ]),
      OBSERVE_FILE: observed,
      PRODUCTION_ONLY: '1',
    },
  });
  await gateway.start();
  caller = new GraphQLCaller(gateway.url, { authorization: `Bearer ${token}` });
});

afterAll(async () => {
  await gateway?.remove();
  await service?.remove();
});

describe('the gateway in front of a live service', () => {
  it('issues a record and reads it back with only the runtime packages installed', async () => {
    const name = randomUUID();
    const picture = await caller.upload(`${name}.png`, 'NON_ATTACHMENT_FILE', name);
    const { createUploads } = await caller.data(
      `mutation ($filename: String!) { createUploads(input: { files: [{ filename: $filename, category: CERTIFICATE }] }) {
        uploads { id proxyUrl } userErrors { message } } }`,
      { filename: `deed-${name}.pdf` },
    );
    const [deed] = createUploads.uploads;
    const put = await fetch(deed.proxyUrl, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/pdf' },
      body: 'a deed',
    });
    expect(put.status, await put.text()).toBe(200);

    const { issueSRRs } = await caller.data(
      `mutation ($input: IssueSRRsInput!) {
        issueSRRs(input: $input) { issuance { id } userErrors { code message } } }`,
      {
        input: {
          entries: [
            entry(
              info,
              name,
              { upload: picture },
              {
                attachments: [{ name: 'deed.pdf', category: 'CERTIFICATE', file: { upload: deed.id } }],
              },
            ),
          ],
        },
      },
    );
    expect(issueSRRs.userErrors).toEqual([]);
    const { id } = issueSRRs.issuance;
    const states: string[] = [];
    const watched = caller.subscribe(
      'subscription ($id: ID!) { issuance(id: $id) { status } }',
      { id },
      AbortSignal.timeout(30_000),
    );
    for await (const { data } of watched) states.push(data.issuance.status);
    expect(states.at(-1)).toBe('COMPLETED');

    const result = async () => {
      const { issuance } = await caller.data(
        `query ($id: ID!) { issuance(id: $id) { entries { edges { node { outcomeSource srr {
          tokenId contractAddress owner indexing metadataStatus metadata { name } } } } } } }`,
        { id },
      );
      return issuance.entries.edges[0].node;
    };
    // The subgraph trails the chain.
    await expect.poll(async () => (await result()).srr.indexing, { timeout: 20_000 }).toBe('INDEXED');
    const node = await result();
    expect(node).toMatchObject({
      outcomeSource: 'WEBHOOK',
      srr: { owner: info.issuers[0]?.address, metadataStatus: 'VERIFIED', metadata: { name } },
    });
    expect(await ownerOf(info, node.srr.contractAddress, node.srr.tokenId)).toBe(
      info.issuers[0]?.address.toLowerCase(),
    );
    const { sources } = await caller.data('{ sources { kind health } }');
    expect(sources.map(({ health }: { health: string }) => health)).toEqual(['OK', 'OK', 'OK', 'OK']);
  });

  it('loads no sandbox code and no development or optional package', () => {
    expect(
      observedOf('module').some((url) => url.endsWith('/src/app.ts')),
      'the observer sees modules',
    ).toBe(true);
    expect(observedOf('foreign-module')).toEqual([]);
    expect(observedOf('child')).toEqual([]);
    // Traces are off. The metrics library loads only OpenTelemetry's interface, which does nothing by itself.
    expect(observedOf('module').filter((url) => /@opentelemetry\/(?!api\/)/.test(url))).toEqual([]);
    // No server for signals is configured either.
    expect(observedOf('module').filter((url) => /\/(@nats-io|iovalkey)\//.test(url))).toEqual([]);
    expect(existsSync(join(gateway.dataDir, 'sandbox'))).toBe(false);
  });

  it('connects to the configured addresses only', () => {
    const allowed = [info.commerceUrl, info.subgraphUrl, info.ipfsUrl, gateway.databaseUrl]
      .filter((url) => url !== undefined)
      .map((url) => new URL(url).host);
    const connections = observedOf('connection');
    expect(connections).toContain(new URL(info.commerceUrl).host);
    expect(connections.filter((address) => !allowed.includes(address))).toEqual([]);
    expect(observedOf('udp')).toEqual([]);
  });
});
