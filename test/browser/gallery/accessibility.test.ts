import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { arrives, expectAccessible, fillIn, openGallery, picture } from '../../_util/gallery-page.ts';
import { project } from '../../_util/gateway-process.ts';

let world: Awaited<ReturnType<typeof openGallery>>;
let page: Page;

beforeAll(async () => {
  world = await openGallery();
  // Without motion, each picture of the page is of its end.
  page = await world.visitor({ reducedMotion: 'reduce' });
  // An installation and a build may come first.
}, 300_000);
afterAll(() => world?.stack.disposeAsync());

const longTitle = `A Work of Many Words, of which One Knows no End: ${'Regenbogen'.repeat(6)}`;
/** The seeded world, before what these tests issue. */
const oldestFirst = '/?order=CREATED_AT_ASC';

async function open(path: string, content: string): Promise<void> {
  await page.goto(world.url + path);
  await page.locator(content).first().waitFor();
}

/** Keeps operations with this text from the gateway until the returned function is called. */
async function holdBack(text: string): Promise<() => Promise<void>> {
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  await page.route('**/graphql', async (route) => {
    if (route.request().postData()?.includes(text)) await held;
    await route.continue();
  });
  return async () => {
    letGo();
    await page.unrouteAll({ behavior: 'wait' });
  };
}

describe('axe finds nothing, and no phone is too narrow,', () => {
  it('in the gallery', async () => {
    await open(oldestFirst, '.card h2');
    await expectAccessible(page, 'gallery');
    await picture(page, 'gallery');
    await open('/?artist=0x0000000000000000000000000000000000000001', 'text=No records here.');
    await expectAccessible(page, 'empty search');
    await page.route('**/graphql', (route) => route.abort());
    await open('/', 'text=The gateway did not answer.');
    await expectAccessible(page, 'no gateway');
    await page.unroute('**/graphql');
    await open('/nowhere', 'text=There is no such page.');
    await expectAccessible(page, 'no page');
  });

  it('on a record', async () => {
    await open(oldestFirst, '.card a');
    // It was sold twice and exhibited.
    const record = (await page.locator('.card a').nth(5).getAttribute('href'))!;
    await open(record, '.checks');
    await expectAccessible(page, 'record');
    await picture(page, 'record');
    await open('/record/registry/1', 'text=There is no such record.');
    await expectAccessible(page, 'no record');
  });

  it('from signing in to a record', async () => {
    await open('/issue', '.sign-in');
    await expectAccessible(page, 'signed out');
    // The form goes while it still asks for the artists.
    const answer = await holdBack('query Choices');
    await page.getByLabel('Token').fill('nonsense');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('This token is not known').waitFor();
    await answer();
    await expectAccessible(page, 'unknown token');
    await page.getByLabel('Token').fill('demo-token');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Signed in as').waitFor();
    await page
      .locator('.drop input[type=file]')
      .setInputFiles(
        ['harbour-at-dusk.jpg', 'glass-orchard.jpg'].map((name) => join(project, 'examples/files', name)),
      );
    await page.getByText('Uploaded').nth(1).waitFor();
    await expectAccessible(page, 'form');
    await picture(page, 'issue');

    await page.getByRole('button', { name: 'Issue 2 records' }).click();
    await page.getByText('This field is required.').first().waitFor();
    await expectAccessible(page, 'form with faults');
    await page.getByRole('button', { name: 'Remove: ' }).nth(1).click();

    await fillIn(page, longTitle);
    const check = await holdBack('validateSRRs');
    await page.getByRole('button', { name: 'Issue one record' }).click();
    await page.locator('[data-state=now]').getByText('The records are checked').waitFor();
    await expectAccessible(page, 'issuing');
    await check();
    await arrives(page, longTitle);
    await expectAccessible(page, 'issued');
    await page.getByRole('link', { name: 'Open the record' }).click();
    await page.locator('.checks').waitFor();
    await expectAccessible(page, 'record with a long title');
  });

  it('after a failure', async () => {
    await world.control('faults', { kind: 'mining', failure: 'gasAllowance', times: 1 });
    await open('/issue', 'text=Issue more');
    await page.getByRole('button', { name: 'Issue more' }).click();
    await world.choose(page, 'fails.png', 64);
    await fillIn(page, 'Fails');
    await page.getByRole('button', { name: 'Issue one record' }).click();
    await page.locator('[data-state=failed]').getByText('The chain mines them: Failed').waitFor();
    await page
      .locator('.outcomes')
      .getByRole('button', { name: 'Put it back into the form: Fails' })
      .waitFor();
    await expectAccessible(page, 'failed');
    await open('/work', '.entry button');
    await page.getByText('Record issued').waitFor();
    await expectAccessible(page, 'my work');
    await picture(page, 'work');
  });
});

describe('the keyboard alone', () => {
  /** Presses Tab until the element has the focus, and sees where the focus is at each place. */
  async function tabTo(selector: string): Promise<void> {
    for (let presses = 0; presses < 40; presses++) {
      await page.keyboard.press('Tab');
      const { there, outline } = await page.evaluate((selector) => {
        const focused = document.activeElement!;
        // The label of a hidden field shows its focus.
        const seen = focused.matches('input[type=file].hidden') ? focused.parentElement! : focused;
        return { there: focused.matches(selector), outline: getComputedStyle(seen).outlineStyle };
      }, selector);
      expect(outline).not.toBe('none');
      if (there) return;
    }
    throw new Error(`40 times Tab did not lead to ${selector}`);
  }

  it('issues a record', async () => {
    await open('/issue', 'text=Issue more');
    await tabTo('.skip');
    await page.keyboard.press('Enter');
    await tabTo('.outcomes button');
    await page.keyboard.press('Enter');
    // The form begins where the failed record was.
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toMatch(/-title$/);
    await page.keyboard.press('Control+A');
    await page.keyboard.type('By keyboard');
    await tabTo('.work button');
    await page.keyboard.press('Enter');
    await open('/issue', '.drop');
    // The browser hands file choosers over a moment after it was asked to: a key pressed at once opens its own.
    const chooser = page.waitForEvent('filechooser');
    await tabTo('.drop input');
    await page.keyboard.press('Enter');
    await (await chooser).setFiles(await world.pictureFile('keyboard.png', 64));
    // Keys choose among the artists that are there.
    await page.locator('option', { hasText: 'Ruth Amberley' }).waitFor({ state: 'attached' });
    await tabTo('[id$=-title]');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('By keyboard');
    await tabTo('[id$=-artist]');
    await page.keyboard.type('Ruth');
    await tabTo('[id$=-medium]');
    await page.keyboard.type('Keys');
    await tabTo('button.primary');
    await page.keyboard.press('Enter');
    await arrives(page, 'By keyboard');
  });

  it('throws nothing', () => {
    expect(world.problems).toEqual([]);
  });
});
