import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axe, startGallery } from '../_util/gallery.ts';
import { project } from '../_util/gateway-process.ts';
import { largePicture } from '../_util/large-picture.ts';

let world: Awaited<ReturnType<typeof startGallery>>;
let folder: string;
let page: Page;
let context: BrowserContext;
const problems: string[] = [];

beforeAll(async () => {
  world = await startGallery();
  folder = await mkdtemp(join(tmpdir(), 'gallery-'));
  context = await world.browser.newContext({ viewport: { width: 1280, height: 860 }, locale: 'en-GB' });
  page = await context.newPage();
  page.on('pageerror', ({ message }) => problems.push(message));
  // An installation and a build may come first.
}, 300_000);

afterAll(async () => {
  await world?.stack.disposeAsync();
  if (folder) await rm(folder, { recursive: true, force: true });
});

describe('the gallery', () => {
  it('scrolls through every record once', async () => {
    const all = await everyToken();
    expect(all.length).toBeGreaterThanOrEqual(300);
    await page.goto(world.url);
    await page.locator('.card a').first().waitFor();
    const shown = () =>
      page.locator('.card[data-token]').evaluateAll((cards) => cards.map((card) => card.dataset.token));
    await expect
      .poll(
        async () => {
          await page.mouse.wheel(0, 4_000);
          return (await shown()).length;
        },
        { timeout: 60_000, interval: 150 },
      )
      .toBe(all.length);
    expect(await shown()).toEqual(all);
    await page.getByText(`All ${all.length} records`).waitFor();
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

  it('filters by address, so that a link and Back do it too', async () => {
    await page.getByRole('combobox', { name: 'Artist' }).selectOption({ label: 'Ruth Amberley' });
    await page.getByText(/^All \d+ records$/).waitFor();
    const artists = await page.locator('.card > p').allTextContents();
    expect(artists.every((text) => text.startsWith('Ruth Amberley'))).toBe(true);
    await page.reload();
    await page.getByText(`All ${artists.length} records`).waitFor();
    await page.getByRole('link', { name: 'Clear filters' }).click();
  });

  it('opens a record by keyboard, with what was verified', async () => {
    const first = page.locator('.card a').first();
    const name = await first.locator('h2').innerText();
    await first.press('Enter');
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.getByText('The bytes of the document give the CID that the chain names.').waitFor();
    await expect.poll(() => pictures('.record-picture img')).toEqual([true]);
    await page.goBack();
    await page.locator('.card').first().waitFor();
  });

  it('costs a first visit little', async () => {
    const visitor = await world.browser.newContext({ viewport: { width: 1280, height: 860 } });
    const visit = await visitor.newPage();
    await visit.goto(world.url);
    await visit.locator('.card img[data-loaded=true]').nth(7).waitFor();
    const figures = await visit.evaluate(() => ({
      firstPaintMs: Math.round(performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0),
      requests: performance.getEntriesByType('resource').length + 1,
      scriptBytes: (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
        .filter(({ name }) => name.endsWith('.js'))
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
      ownBytes: (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
        .filter(({ name }) => name.startsWith(location.origin))
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
    }));
    console.log('first visit', figures);
    expect(figures.scriptBytes).toBeLessThan(160_000);
    expect(figures.requests).toBeLessThan(60);
    await visitor.close();
  });
});

describe('issuing', () => {
  it('shows the faults of the preflight at their fields', async () => {
    await page.goto(`${world.url}/issue`);
    await page.getByLabel('Token').fill('demo-token');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await choose('small.png', 40);
    await page.getByLabel('Royalty in percent').fill('400');
    const invalid = (label: string) => page.locator('.work').getByLabel(label).getAttribute('aria-invalid');
    // No address at all: the whole call is refused, with the place in the input.
    await page.getByRole('button', { name: 'Issue one record' }).click();
    await expect.poll(() => invalid('Artist'), { timeout: 30_000 }).toBe('true');
    await page.locator('.work').getByLabel('Artist').selectOption({ label: 'Ruth Amberley' });
    await page.getByRole('button', { name: 'Issue one record' }).click();
    await expect.poll(() => invalid('Royalty in percent'), { timeout: 30_000 }).toBe('true');
    expect(await invalid('Artist')).toBe('false');
    await page.getByRole('button', { name: 'Remove: ' }).click();
  });

  it('goes on after a reload in the middle of 30 MB, to the mined picture', async () => {
    await fillIn('reloaded.png', 'Reloaded');
    await moving();
    await page.getByRole('button', { name: 'Issue one record' }).click();
    await page.reload();
    await moving();
    await arrives('Reloaded');
  }, 240_000);

  it('goes on after ten seconds without a connection', async () => {
    await page.getByRole('button', { name: 'Issue more' }).click();
    await fillIn('cut.png', 'Cut off');
    await moving();
    await page.getByRole('button', { name: 'Issue one record' }).click();
    const cut = world.connection.cut(10_000);
    await page.getByText('The connection is lost.').waitFor();
    await cut;
    await arrives('Cut off');
  }, 240_000);
});

describe('my work', () => {
  it('lists issuances and shows an event as it comes', async () => {
    await page.goto(`${world.url}/work`);
    await page.getByRole('link', { name: 'Reloaded' }).waitFor();
    const events = page.getByText('Record issued');
    await expect.poll(() => events.count(), { timeout: 30_000 }).toBe(2);
    const other = await context.newPage();
    await other.goto(`${world.url}/issue`);
    await other.getByRole('button', { name: 'Issue more' }).click();
    await choose('third.png', 64, other);
    await complete('Third', other);
    await other.getByRole('button', { name: 'Issue one record' }).click();
    await expect.poll(() => events.count(), { timeout: 60_000 }).toBe(3);
    await page.getByRole('link', { name: 'Third' }).waitFor();
    await other.close();
  }, 120_000);

  it('says what to do about a failed entry', async () => {
    // The sandbox's chain refuses the next record.
    const fault = { kind: 'mining', failure: 'gasAllowance', times: 1 };
    const headers = { 'content-type': 'application/json' };
    const faults = `${world.gateway.sandboxUrl}/sandbox/faults`;
    await fetch(faults, { method: 'POST', headers, body: JSON.stringify(fault) });
    const other = await context.newPage();
    await other.goto(`${world.url}/issue`);
    await other.getByRole('button', { name: 'Issue more' }).click();
    await choose('fourth.png', 64, other);
    await complete('Fourth', other);
    await other.getByRole('button', { name: 'Issue one record' }).click();
    const entry = page.locator('.entry').filter({ hasText: 'Fourth' });
    await entry.getByText('Issue it again with a new reference.').waitFor({ timeout: 60_000 });
    await other.getByRole('button', { name: 'Issue more' }).waitFor();
    await other.close();
  }, 120_000);
});

describe('every page', () => {
  for (const theme of ['light', 'dark'] as const)
    it(`has no fault that axe finds, in ${theme}`, async () => {
      await page.emulateMedia({ colorScheme: theme });
      const record = await recordAddress();
      const complete = {
        [oldestFirst]: '.card h2',
        [record]: '.checks',
        '/issue': '.narrow',
        '/work': '.entry',
      };
      for (const [path, content] of Object.entries(complete)) {
        await page.goto(world.url + path);
        await page.locator(content).first().waitFor();
        if (path === '/issue' && theme === 'light') {
          await page.getByRole('button', { name: 'Issue more' }).click();
          const files = ['harbour-at-dusk.jpg', 'glass-orchard.jpg'];
          await page
            .locator('.drop input[type=file]')
            .setInputFiles(files.map((name) => join(project, 'examples/files', name)));
          await page.getByText('Uploaded').nth(1).waitFor();
        }
        await page.addScriptTag({ path: axe });
        const found = await page.evaluate(async () => {
          const { axe } = window as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } };
          const { violations } = await axe.run();
          return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
        });
        expect(found, path).toEqual([]);
        await picture(/^\/(\w+)/.exec(path)?.[1] ?? 'gallery', theme);
      }
    }, 120_000);

  it('throws nothing', () => {
    expect(problems).toEqual([]);
  });
});

/** For docs/gallery: each page as a desktop and as a phone shows it. */
async function picture(name: string, theme: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (!folder) return;
  await mkdir(folder, { recursive: true });
  for (const [kind, width, height] of [
    ['', 1280, 860],
    ['phone-', 390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    await expect.poll(() => pictures('img[loading=eager]')).not.toContain(false);
    // Pictures fade in.
    await page.waitForTimeout(500);
    await sharp(await page.screenshot())
      .webp({ quality: 85 })
      .toFile(join(folder, `${name}-${kind}${theme}.webp`));
  }
  await page.setViewportSize({ width: 1280, height: 860 });
}

/** The seeded world, before what these tests issue. */
const oldestFirst = '/?order=CREATED_AT_ASC';

interface Violation {
  id: string;
  nodes: { html: string }[];
}

/** The token ids of all records, newest first, as the gateway lists them in one page. */
async function everyToken(): Promise<string[]> {
  const response = await fetch(`${world.gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ srrs(first: 900) { edges { node { tokenId } } } }' }),
  });
  const { data } = (await response.json()) as {
    data: { srrs: { edges: { node: { tokenId: string } }[] } };
  };
  return data.srrs.edges.map(({ node }) => node.tokenId);
}

async function recordAddress(): Promise<string> {
  await page.goto(world.url + oldestFirst);
  // It was sold twice and exhibited.
  return (await page.locator('.card a').nth(5).getAttribute('href'))!;
}

const pictures = (selector: string) =>
  page
    .locator(selector)
    .evaluateAll((found) => found.map((one) => (one as HTMLImageElement).naturalWidth > 0));

async function choose(name: string, side: number, where = page): Promise<void> {
  const path = join(folder, name);
  await writeFile(path, largePicture(side));
  await where.locator('.drop input[type=file]').setInputFiles(path);
  await where.locator('.work').first().waitFor();
}

async function complete(title: string, where = page): Promise<void> {
  const work = where.locator('.work').first();
  await work.getByLabel('Title').fill(title);
  await work.getByLabel('Artist').selectOption({ label: 'Ruth Amberley' });
  await work.getByLabel('Medium').fill('Noise on a screen');
}

/** 3,200 × 3,200 pixels are 30.7 MB. */
async function fillIn(file: string, title: string): Promise<void> {
  await choose(file, 3_200);
  await complete(title);
}

/** The progress bar is under way and moves. */
async function moving(): Promise<void> {
  await page.getByText(/^Uploading \d+ %/).waitFor({ timeout: 30_000 });
  const share = () => page.locator('progress').evaluate((bar) => (bar as HTMLProgressElement).value);
  const before = await share();
  await expect.poll(share, { timeout: 10_000 }).toBeGreaterThan(before);
  expect(await share()).toBeLessThan(1);
}

/** Nobody touches the page meanwhile. */
async function arrives(title: string): Promise<void> {
  const outcome = page.locator('.outcomes .card').filter({ hasText: title });
  await outcome.getByRole('link', { name: 'Open the record' }).waitFor({ timeout: 120_000 });
  await expect.poll(() => pictures('.outcomes img'), { timeout: 60_000 }).toEqual([true]);
  await outcome.getByText('Verified').waitFor();
}
