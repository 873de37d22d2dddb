import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { preparedOperations } from '../../src/graphql/graphiql/graphiql.ts';
import { type GatewayProcess, gatewayProcess, project } from '../_util/gateway-process.ts';

const screenshots = join(project, 'artifacts-ci');
let gateway: GatewayProcess;
let browser: Browser;
let page: Page;
const requests: string[] = [];
let firstVisit: { seconds: number; bytes: number; painted: number };

/** The bytes that came over the network for this visit, and when something was on the screen, in ms. */
const transferred = (visit = page) =>
  visit.evaluate(() => {
    const sizes = performance
      .getEntries()
      .filter((one) => ['navigation', 'resource'].includes(one.entryType))
      .map((one) => (one as unknown as { transferSize: number }).transferSize);
    return {
      bytes: sizes.reduce((sum, one) => sum + one, 0),
      painted: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
    };
  });

const titles = async () =>
  (await page.getByRole('tab').allTextContents()).map((text) => text.replaceAll('\u00a0', ' ').trim());
const selected = async () =>
  (await page.locator('[role=tab][aria-selected=true] button').first().textContent())?.trim();
const editor = async () =>
  ((await page.locator('.graphiql-query-editor').first().textContent()) ?? '').replaceAll('\u00a0', ' ');

beforeAll(async () => {
  mkdirSync(screenshots, { recursive: true });
  // With the sandbox's world: the picture of the prepared operation is in it.
  gateway = await gatewayProcess({ env: { SANDBOX_FIXTURES: 'on' } });
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
  const begun = performance.now();
  await page.goto(`${gateway.url}/graphql`);
  await page.getByRole('tab').first().waitFor();
  firstVisit = { seconds: (performance.now() - begun) / 1000, ...(await transferred()) };
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
  it('opens quickly, on Welcome, and the second time from the browser’s cache', async () => {
    expect(await selected()).toBe('Welcome');
    expect(await editor()).toContain('query Welcome');
    expect(await titles()).toHaveLength(7);
    const begun = performance.now();
    await page.goto(`${gateway.url}/graphql`);
    await page.getByRole('tab').first().waitFor();
    const seconds = (performance.now() - begun) / 1000;
    const again = await transferred();
    console.log(
      `GraphiQL: ${firstVisit.bytes} bytes, first paint after ${Math.round(firstVisit.painted)} ms, tabs after ` +
        `${firstVisit.seconds.toFixed(2)} s; second visit: ${again.bytes} bytes, ` +
        `${Math.round(again.painted)} ms, ${seconds.toFixed(2)} s`,
    );
    expect(firstVisit.bytes).toBeLessThan(2_500_000);
    expect(again.bytes).toBeLessThan(100_000);
    expect(await selected()).toBe('Welcome');
    expect(await titles()).toHaveLength(7);
    await page.screenshot({ path: join(screenshots, 'graphiql-welcome.png') });
  });

  it('has its first screen within a second, at a visit that has nothing cached', async () => {
    let best = firstVisit.painted;
    // On a machine that does other work one visit may take longer; of six the best counts.
    for (let visit = 0; visit < 5 && best > 1_000; visit++) {
      const visitor = await browser.newContext({ viewport: { width: 1440, height: 900 } });
      const fresh = await visitor.newPage();
      await fresh.goto(`${gateway.url}/graphql`);
      await fresh.getByRole('tab').first().waitFor();
      best = Math.min(best, (await transferred(fresh)).painted);
      await visitor.close();
    }
    expect(best).toBeLessThan(1_000);
  });

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

  it('issues with a picture that is there, before any demo ran', async () => {
    const [, cid] = /ipfs:\/\/(\w+)/.exec(
      preparedOperations().find(({ name }) => name.includes('issue'))?.document ?? '',
    ) as unknown as [string, string];
    const picture = await fetch(`${gateway.url}/pictures/${cid}/320x320.webp`);
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/webp']);
    await picture.arrayBuffer();
  });

  it('opens on what was written last', async () => {
    await open('Sources');
    await page
      .locator('.graphiql-query-editor textarea, .graphiql-query-editor .native-edit-context')
      .first()
      .focus();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('# my own words\n');
    await expect.poll(editor).toContain('# my own words');
    await expect
      .poll(() => page.evaluate(() => localStorage.getItem('graphiql:tabState')))
      .toContain('# my own words');
    await page.goto(`${gateway.url}/graphql`);
    await page.getByRole('tab').first().waitFor();
    expect(await selected()).toBe('Sources');
    await expect.poll(editor).toContain('# my own words');
    expect(await titles()).toHaveLength(7);
  });

  it('never opens on an empty tab, though one was open last', async () => {
    await page.getByRole('button', { name: /new tab/i }).click();
    await expect.poll(titles).toHaveLength(8);
    await expect
      .poll(() =>
        page.evaluate(() => JSON.parse(localStorage.getItem('graphiql:tabState') ?? '{}').tabs?.length),
      )
      .toBe(8);
    await page.goto(`${gateway.url}/graphql`);
    await page.getByRole('tab').first().waitFor();
    await expect.poll(editor).toMatch(/query|mutation|subscription/);
    expect(await titles()).toHaveLength(7);
  });

  it('takes one token for all tabs, and a wrong one leaves the documentation', async () => {
    await page.locator('#token').fill('wrong');
    await page.reload();
    await page.getByRole('tab').first().waitFor();
    await run('Welcome', 'UNAUTHENTICATED');
    await run('MyIssuances', 'UNAUTHENTICATED');
    expect(await page.locator('#sign-in output').textContent()).toBe('This token is not known.');
    await page.getByRole('button', { name: /documentation explorer/i }).click();
    await expect.poll(() => page.locator('.graphiql-plugin').textContent()).toContain('Mutation');
    await page.screenshot({ path: join(screenshots, 'graphiql-wrong-token.png') });
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('wrong');
    await page.locator('#token').fill('demo-token');
    await run('Welcome', '"READ"');
    expect(await page.locator('#sign-in output').textContent()).toBe('');
  });

  it('has a history of what was run', async () => {
    await page.getByRole('button', { name: /show history/i }).click();
    await expect.poll(() => page.locator('.graphiql-plugin').textContent()).toContain('Welcome');
    await page.screenshot({ path: join(screenshots, 'graphiql-history.png') });
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
  const picture = { ipfs: 'ipfs://bafkreibh4jhrzebainfupwbww6s5w6mz6mx4uum6dcbbfshqzxthhybfte' };
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
