import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayProcess, gatewayProcess, project } from '../_util/gateway-process.ts';

const screenshots = join(project, 'artifacts-ci');
let gateway: GatewayProcess;
let browser: Browser;
let page: Page;
const requests: string[] = [];

beforeAll(async () => {
  mkdirSync(screenshots, { recursive: true });
  gateway = await gatewayProcess();
  await gateway.start();
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    // Nothing of the browser's own may reach for the network while requests are counted.
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.on('request', (request) => requests.push(request.url()));
  page.on('websocket', (socket) => requests.push(socket.url()));
  await page.goto(`${gateway.url}/graphql`);
  await page.getByRole('tab').first().waitFor();
});

afterAll(async () => {
  await browser?.close();
  await gateway?.remove();
});

/** The answer on the right, as text; the editor draws its spaces as no-break spaces. */
async function response(): Promise<string> {
  const text = await page.locator('.graphiql-response').first().textContent();
  return (text ?? '').replaceAll('\u00a0', ' ');
}

/** One press must do: GraphiQL's own tabs slide away under the first one. */
async function open(name: string): Promise<void> {
  const tab = page.getByRole('tab', { name });
  await tab.locator('button').first().click();
  await expect.poll(() => tab.getAttribute('aria-selected')).toBe('true');
}

/** Opens a tab and runs its operation until the answer has `text`. */
async function run(tab: string, text: string): Promise<void> {
  await open(tab);
  // The editor takes a moment to notice that it holds another operation; a click before that asks the old one.
  await expect
    .poll(
      async () => {
        await page.getByRole('button', { name: /execute query/i }).click();
        await page.locator('.graphiql-spinner').waitFor({ state: 'detached' });
        return await response();
      },
      { timeout: 30_000, interval: 1_000 },
    )
    .toContain(text);
}

describe('GraphiQL', () => {
  it('runs prepared operations as they are', async () => {
    await run('Welcome', '"issuer": "0x');
    await run('Sources', '"kind": "SUBGRAPH"');
    await run('IssueRecord', '"userErrors": []');
    await run('MyIssuances', '"requestId": "graphiql-1"');
    await run('NewestRecord', '"tokenId": "');
    await run('Records', '"text": "First Light"');
    await page.screenshot({ path: join(screenshots, 'graphiql-records.png') });
  });

  it('shows events of a subscription as they come', async () => {
    await open('FollowOutcomes');
    let live = false;
    page.on('response', (answer) => {
      live ||= answer.headers()['content-type']?.startsWith('text/event-stream') ?? false;
    });
    await expect
      .poll(
        async () => {
          const execute = page.getByRole('button', { name: /execute query/i });
          if (!live && (await execute.isVisible())) await execute.click();
          return live;
        },
        { timeout: 30_000, interval: 1_000 },
      )
      .toBe(true);
    await issue('while-watching');
    await expect.poll(response, { timeout: 30_000 }).toContain('"externalId": "while-watching"');
    expect(await response()).toContain('"__typename": "SRRIssued"');
    await page.screenshot({ path: join(screenshots, 'graphiql-subscription.png') });
  });

  it('asks nobody but this machine', () => {
    const hosts = new Set(requests.map((url) => new URL(url.replace(/^blob:/, '')).hostname));
    expect(requests.length).toBeGreaterThan(1);
    // A data: address has no host; it carries its content.
    hosts.delete('');
    expect([...hosts]).toEqual(['127.0.0.1']);
  });
});

/** Issues a record in another window, so to speak. */
async function issue(externalId: string): Promise<void> {
  const sandbox = await fetch(`${gateway.sandboxUrl}/sandbox`);
  const { artists } = (await sandbox.json()) as { artists: { address: string }[] };
  const picture = { ipfs: 'ipfs://bafkreihcc3il56yo67xy6pwrtrrff6glmsibw6nm4fk4yjelngsa5potsu' };
  const response = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer demo-token' },
    body: JSON.stringify({
      query:
        'mutation ($input: IssueSRRsInput!) { issueSRRs(input: $input) { userErrors { code message path } } }',
      variables: {
        input: {
          entries: [
            {
              externalId,
              artistAddress: artists[0]?.address,
              isPrimaryIssuer: true,
              lockExternalTransfer: false,
              metadata: {
                name: externalId,
                title: { en: externalId },
                medium: { en: 'Test' },
                yearOfCreation: { en: '2026' },
                thumbnail: picture,
                image: picture,
              },
            },
          ],
        },
      },
    }),
  });
  expect(await response.json()).toEqual({ data: { issueSRRs: { userErrors: [] } } });
}
