import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loaded, openGallery } from '../../_util/gallery-page.ts';

let world: Awaited<ReturnType<typeof openGallery>>;
let page: Page;

beforeAll(async () => {
  world = await openGallery();
  page = await world.visitor();
  // An installation and a build may come first.
}, 300_000);
afterAll(() => world?.stack.disposeAsync());

async function ask(query: string, token?: string) {
  const response = await fetch(`${world.gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ query }),
  });
  const { data, errors } = (await response.json()) as { data: unknown; errors?: unknown };
  expect(errors).toBeUndefined();
  return data;
}

/** The token ids of all records, newest first, as the gateway lists them in one page. */
async function everyToken(): Promise<string[]> {
  const data = await ask('{ srrs(first: 900) { edges { node { tokenId } } } }');
  const { srrs } = data as { srrs: { edges: { node: { tokenId: string } }[] } };
  return srrs.edges.map(({ node }) => node.tokenId);
}

const cardTokens = () =>
  page.locator('.card[data-token]').evaluateAll((cards) => cards.map((card) => card.dataset.token));

/** Scrolls until as many records are there as the gateway has. */
async function scrollThrough(all: string[]): Promise<void> {
  await expect
    .poll(
      async () => {
        await page.mouse.wheel(0, 4_000);
        return (await cardTokens()).length;
      },
      { timeout: 60_000, interval: 150 },
    )
    .toBe(all.length);
  expect(await cardTokens()).toEqual(all);
  await page.getByText(`All ${all.length} records`).waitFor();
}

describe('the gallery', () => {
  it('scrolls through every record once', async () => {
    const all = await everyToken();
    expect(all.length).toBeGreaterThanOrEqual(300);
    await page.goto(world.url);
    await page.locator('.card a').first().waitFor();
    await scrollThrough(all);
  });

  it('continues after the same record when the block of its cursors is gone', async () => {
    const create =
      'mutation { createCollection(input: { name: "Passing", symbol: "P" }) { userErrors { message } } }';
    const newestBlock = async () => (await ask('{ srrs(first: 1) { pageInfo { endCursor } } }')) as object;
    const before = await newestBlock();
    await ask(create, 'demo-token');
    // The scroll begins at the collection's block, which the reorganisation then replaces.
    await expect.poll(newestBlock, { timeout: 15_000 }).not.toEqual(before);
    const all = await everyToken();
    const codes: string[] = [];
    page.on('response', async (response) => {
      if (response.url().endsWith('/graphql'))
        codes.push(...((await response.text()).match(/CURSOR_\w+/g) ?? []));
    });
    await page.goto(world.url);
    await page.locator('.card a').first().waitFor();
    await world.control('reorg', { depth: 1, records: 'again' });
    await scrollThrough(all);
    expect(codes).toContain('CURSOR_EXPIRED');
    page.removeAllListeners('response');
  });

  it('speaks three languages, and says which', async () => {
    await page.goto(world.url);
    await page.getByRole('combobox', { name: 'Language' }).selectOption('ja');
    await page.getByRole('link', { name: 'ギャラリー' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('ja');
    await page.locator('.card h2 [lang=ja]').first().waitFor();
    await page.getByRole('combobox', { name: '言語' }).selectOption('zh');
    await page.getByRole('link', { name: '画廊' }).waitFor();
    await page.getByRole('combobox', { name: '语言' }).selectOption('en');
    await page.getByRole('link', { name: 'Gallery' }).waitFor();
  });

  it('signs in on a phone in Japanese', async () => {
    const phone = await world.visitor({ viewport: { width: 360, height: 640 }, locale: 'ja' });
    await phone.goto(`${world.url}/issue`);
    const button = phone.getByRole('button', { name: 'サインイン' });
    const field = phone.getByLabel('トークン');
    const [left, right] = [(await field.boundingBox())!, (await button.boundingBox())!];
    expect(right.x - (left.x + left.width)).toBeGreaterThan(4);
    // Text on two lines would make it higher than the field.
    expect(right.height).toBe(left.height);
    await field.fill('nonsense');
    await button.click();
    await phone.getByText('このトークンは無効か、期限切れです。').waitFor();
    await phone.context().close();
  });

  it('filters by address, so that a link and Back do it too', async () => {
    await page.getByRole('combobox', { name: 'Artist' }).selectOption({ label: 'Ruth Amberley' });
    await page.getByText(/^All \d+ records$/).waitFor();
    const artists = await page.locator('.card > p').allTextContents();
    expect(artists.every((text) => text.startsWith('Ruth Amberley'))).toBe(true);
    await page.reload();
    await page.getByText(`All ${artists.length} records`).waitFor();
    await page.getByRole('link', { name: 'Clear filters' }).click();
    await page.locator('.card').nth(20).waitFor();
    await page.goBack();
    await page.getByText(`All ${artists.length} records`).waitFor();
    await page.goBack();
    await page.locator('.card').nth(20).waitFor();
  });

  it('opens a record by keyboard, with what was verified', async () => {
    const first = page.locator('.card a').first();
    const name = await first.locator('h2').innerText();
    await first.press('Enter');
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.getByText('The bytes of the document match its CID on the chain.').waitFor();
    await expect.poll(() => loaded(page.locator('.record-picture img'))).toEqual([true]);
    await page.goBack();
    await page.locator('.card').first().waitFor();
  });

  it('comes back from a record to its place on a phone', async () => {
    const phone = await world.visitor({ viewport: { width: 390, height: 844 } });
    await phone.goto(world.url);
    const cards = phone.locator('.card[data-token]');
    await cards.first().waitFor();
    await expect
      .poll(async () => {
        await phone.mouse.wheel(0, 4_000);
        return await cards.count();
      })
      .toBeGreaterThan(60);
    const card = cards.nth(60);
    await card.scrollIntoViewIfNeeded();
    const place = () => card.evaluate((one) => Math.round(one.getBoundingClientRect().top));
    const before = await place();
    await card.locator('a').first().dispatchEvent('click');
    await phone.locator('.checks').waitFor();
    await phone.goBack();
    await expect.poll(place).toBe(before);
    await phone.context().close();
  });

  it('says so where there is no page, also at an address that cannot be decoded', async () => {
    for (const path of ['nothing', '%', 'record%2']) {
      await page.goto(`${world.url}/${path}`);
      await page.getByText('There is no such page.').waitFor();
    }
  });

  it('costs a first visit little', async () => {
    const visit = await world.visitor();
    const sizes: Promise<{ responseBodySize: number }>[] = [];
    visit.on('requestfinished', (request) => sizes.push(request.sizes()));
    await visit.goto(world.url);
    await visit.locator('.card img[data-loaded=true]').nth(7).waitFor();
    await visit.waitForLoadState('networkidle');
    const bytes = (await Promise.all(sizes)).map(({ responseBodySize }) => responseBodySize);
    const own = await visit.evaluate(() => ({
      firstPaintMs: Math.round(performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0),
      scriptBytes: (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
        .filter(({ name }) => name.endsWith('.js'))
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
    }));
    const figures = { ...own, requests: bytes.length, bytes: bytes.reduce((sum, size) => sum + size, 0) };
    console.log('first visit', figures);
    expect(figures.scriptBytes).toBeLessThan(160_000);
    expect(figures.bytes).toBeLessThan(1_500_000);
    expect(figures.requests).toBeLessThan(60);
    await visit.context().close();
  });

  it('continues under another filter after a page of records failed to load', async () => {
    await page.goto(world.url);
    await page.locator('.card a').first().waitFor();
    await page.route('**/graphql', (route) => route.abort());
    await expect
      .poll(async () => {
        await page.mouse.wheel(0, 4_000);
        return await page.getByText('The gateway did not answer.').count();
      })
      .toBe(1);
    await page.unroute('**/graphql');
    await page.getByRole('combobox', { name: 'Artist' }).selectOption({ label: 'Ruth Amberley' });
    await page.getByText(/^All \d+ records$/).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('does not call a record missing while no answer comes', async () => {
    await page.goto(world.url);
    const path = await page.locator('.card a').first().getAttribute('href');
    await page.route('**/graphql', (route) => route.abort());
    await page.goto(world.url + path);
    await page.getByText('The gateway did not answer.').waitFor();
    const title = await page.title();
    await page.unroute('**/graphql');
    expect(title).not.toBe('There is no such record.');
  });

  it('does not call a history empty while the chain cannot be read', async () => {
    await page.route('**/graphql', async (route) => {
      const answer = await route.fetch();
      const text = await answer.text();
      const body = text
        .replaceAll(/"createdAt":"[^"]*"/g, '"createdAt":null')
        .replaceAll('"INDEXED"', '"UNAVAILABLE"');
      await route.fulfill({ response: answer, body });
    });
    await page.goto(world.url);
    await page.locator('.card a').first().click();
    const history = await page.locator('[aria-labelledby=provenance]').innerText();
    await page.unrouteAll({ behavior: 'wait' });
    expect(history).toContain('The data from the chain is not available yet.');
  });

  it('says where a picture is missing, and nothing else', async () => {
    await page.route('**/pictures/**', (route) => route.fulfill({ status: 404 }));
    await page.goto(world.url);
    const label = await page.locator('.picture-missing').first().getAttribute('aria-label');
    await page.locator('.card a').first().click();
    const checks = await page.locator('.checks').innerText();
    await page.unroute('**/pictures/**');
    expect(label).toBe('The picture is not available');
    expect(checks).not.toContain('The picture is made');
    expect(checks).toContain('The picture is shown only if its bytes match its CID.');
  });

  it('shows a title in the direction of its script', async () => {
    await page.route('**/graphql', async (route) => {
      const answer = await route.fetch();
      const text = (await answer.text()).replaceAll(/"text":"[^"]*"/g, '"text":"נמל בערב!"');
      await route.fulfill({ response: answer, body: text });
    });
    await page.goto(world.url);
    const title = page.locator('.card h2 span').first();
    const direction = await title.evaluate((one) => getComputedStyle(one).direction);
    // Answers may still be on their way through the route.
    await page.unrouteAll({ behavior: 'wait' });
    expect(direction).toBe('rtl');
  });

  it('throws nothing', () => {
    expect(world.problems).toEqual([]);
  });
});
