import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestSandbox, type TestSandbox } from '../../testing/sandbox.ts';
import { operationsOf, readOpenApi } from '../open-api.ts';

const screenshots = join(import.meta.dirname, '../../../../artifacts-ci');
const requests: string[] = [];
let test: TestSandbox;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  mkdirSync(screenshots, { recursive: true });
  test = await startTestSandbox({ settings: { fixtures: true } });
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    // The browser's own services must not use the network while requests are counted.
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
  page = await browser.newPage({ viewport: { width: 1280, height: 1400 } });
  page.on('request', (request) => requests.push(request.url()));
});

afterAll(async () => {
  await browser?.close();
  await test?.stop();
});

/**
 * Clicks Execute until the request goes out. The page ignores a click in the first 35 ms after it opened an
 * operation, while it resolves the references.
 */
async function send(operation: Locator): Promise<void> {
  const sent = () => requests.filter((url) => !/^data:|\/docs\//.test(url)).length;
  const before = sent();
  const click = async () => {
    if (sent() === before) await operation.getByRole('button', { name: 'Execute' }).click();
    return sent();
  };
  await expect.poll(click, { interval: 500 }).toBeGreaterThan(before);
}

/** Opens an operation, sends it with its prefilled values, and returns the response. */
async function execute(path: string): Promise<string> {
  const operation = page.locator('.opblock', { has: page.locator(`[data-path="${path}"]`) }).first();
  await operation.locator('.opblock-summary').click();
  await send(operation);
  const live = operation.locator('.live-responses-table');
  await live.waitFor();
  await operation.scrollIntoViewIfNeeded();
  await page.screenshot({ path: join(screenshots, `sandbox-docs${path.replaceAll(/\W+/g, '-')}.png`) });
  return (await live.textContent()) ?? '';
}

it('a person can issue a record from the sandbox’s home page, without a network', async () => {
  await page.goto(test.sandbox.url);
  await page.screenshot({ path: join(screenshots, 'sandbox-home.png'), fullPage: true });
  await page.getByRole('link', { name: 'Try every endpoint' }).click();
  await page.locator('.opblock').first().waitFor();
  await page.screenshot({ path: join(screenshots, 'sandbox-docs.png') });
  expect(await execute('/port/api/v1/commerce/signedUrls')).toContain('finalUrl');
  expect(await execute('/port/api/v1/commerce/srrs')).toContain('waiting_for_mining');
  expect(await execute('/port/api/v1/ownerAddress/{ownerAddress}/ownedSrrs')).toContain('metadataDigest');
  await page.goto(`${test.sandbox.url}/sandbox/deliveries?status=dropped`);
  await page.getByText('There are none.').waitFor();
  const list = `${test.sandbox.url}/sandbox/deliveries`;
  const count = async () => (await (await fetch(list)).json()).deliveries.length;
  await expect.poll(count, { timeout: 30_000 }).toBeGreaterThan(0);
  // As a phone shows it, which lays a page without a viewport out for a desktop.
  const phone = await browser.newPage({ viewport: { width: 360, height: 640 }, isMobile: true });
  await phone.goto(list);
  await phone.getByRole('button', { name: 'Send again' }).first().waitFor();
  const width = () => phone.evaluate(() => document.documentElement.scrollWidth);
  expect(await width()).toBe(360);
  // An open delivery leaves its button in sight on a desktop too.
  await phone.setViewportSize({ width: 1024, height: 640 });
  await phone.locator('summary').first().click();
  await phone
    .locator('pre')
    .first()
    .evaluate((body) => body.append('x'.repeat(200)));
  expect(await width()).toBe(1024);
  await phone.close();
  expect(requests.length).toBeGreaterThan(5);
  for (const request of requests) expect(request).toMatch(/^(http:\/\/127\.0\.0\.1:|data:)/);
});

it('every endpoint succeeds on the page with its prefilled values', { timeout: 180_000 }, async () => {
  // The record issued above has a delivery, which can be sent again.
  const pending = async () =>
    (await (await fetch(`${test.sandbox.url}/sandbox/deliveries`)).json()).counts.pending;
  await expect.poll(pending).toBeGreaterThan(0);
  await page.goto(`${test.sandbox.url}/docs`);
  for (const { operationId, tags } of operationsOf(await readOpenApi(test.sandbox.url))) {
    const operation = page.locator(`[id="operations-${tags[0]?.replaceAll(' ', '_')}-${operationId}"]`);
    await operation.locator('.opblock-summary').click();
    await send(operation);
    const status = operation.locator('.live-responses-table .response-col_status').last();
    await status.waitFor();
    expect(`${operationId}: ${await status.textContent()}`).toMatch(/: 20\d/);
    await operation.locator('.opblock-summary').click();
  }
});
