import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { expect } from 'vitest';
import { axe, startGallery } from './gallery.ts';
import { largePicture } from './large-picture.ts';

/** The gallery with a page of it, and the actions of a visitor on that page. */
export async function openGallery() {
  await using stack = new AsyncDisposableStack();
  const { stack: parts, ...world } = await startGallery();
  stack.use(parts);
  const folder = await mkdtemp(join(tmpdir(), 'gallery-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const problems: string[] = [];

  /** The browser of another visitor, with empty storage. */
  async function visitor(options: BrowserContextOptions = {}): Promise<Page> {
    const viewport = { width: 1280, height: 860 };
    const context = await world.browser.newContext({ viewport, locale: 'en-GB', ...options });
    const page = await context.newPage();
    page.on('pageerror', ({ message }) => problems.push(message));
    return page;
  }

  async function control(path: 'faults' | 'reorg', body: object): Promise<void> {
    const response = await fetch(`${world.gateway.sandboxUrl}/sandbox/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.ok, await response.text()).toBe(true);
  }

  /** A picture on disk that was never uploaded. */
  async function pictureFile(name: string, side: number): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, largePicture(side));
    return path;
  }

  async function signIn(page: Page): Promise<void> {
    await page.goto(`${world.url}/issue`);
    await page.getByLabel('Token').fill('demo-token');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Signed in as').waitFor();
  }

  async function choose(page: Page, name: string, side: number): Promise<void> {
    await page.locator('.drop input[type=file]').setInputFiles(await pictureFile(name, side));
    await page.locator('.work').first().waitFor();
  }

  return { ...world, problems, visitor, control, pictureFile, signIn, choose, stack: stack.move() };
}

/** The side of a picture of 30.7 MB, in pixels. */
export const thirtyMegabytes = 3_200;

export async function fillIn(page: Page, title: string): Promise<void> {
  const work = page.locator('.work').first();
  await work.getByLabel('Title').fill(title);
  await work.getByLabel('Artist').selectOption({ label: 'Ruth Amberley' });
  await work.getByLabel('Medium').fill('Noise on a screen');
}

/** Whether each picture has loaded. */
export const loaded = (pictures: Locator) =>
  pictures.evaluateAll((found) => found.map((one) => (one as HTMLImageElement).naturalWidth > 0));

/** Waits until a record appears on the page without any action. */
export async function arrives(page: Page, title: string): Promise<void> {
  const outcome = page.locator('.outcomes .card').filter({ hasText: title });
  await outcome.getByRole('link', { name: 'Open the record' }).waitFor({ timeout: 120_000 });
  await expect.poll(() => loaded(page.locator('.outcomes img')), { timeout: 60_000 }).toEqual([true]);
  await outcome.getByText('Verified').waitFor();
}

interface Violation {
  id: string;
  nodes: { html: string }[];
}

/** Expects no violation of axe's rules in both themes, and nothing wider than a narrow phone. */
export async function expectAccessible(page: Page, state: string): Promise<void> {
  await page.addScriptTag({ path: axe });
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await expectNoViolation(page, `${state}, ${colorScheme}`);
  }
  await page.setViewportSize({ width: 320, height: 640 });
  await expectNoViolation(page, `${state}, on a phone`);
  const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(beyond, `${state} is wider than a phone`).toBeLessThanOrEqual(0);
  await page.setViewportSize({ width: 1280, height: 860 });
}

async function expectNoViolation(page: Page, state: string): Promise<void> {
  const found = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } };
    const { violations } = await axe.run();
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  });
  expect(found, state).toEqual([]);
}

/** With SCREENSHOTS, takes pictures of the page in both themes, on a desktop and on a phone. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (!folder) return;
  await mkdir(folder, { recursive: true });
  for (const colorScheme of ['dark', 'light'] as const)
    for (const [kind, width, height] of [
      ['', 1280, 860],
      ['phone-', 390, 844],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height });
      await expect.poll(() => loaded(page.locator('img[loading=eager]'))).not.toContain(false);
      await sharp(await page.screenshot())
        .webp({ quality: 85 })
        .toFile(join(folder, `${name}-${kind}${colorScheme}.webp`));
    }
  await page.setViewportSize({ width: 1280, height: 860 });
}
