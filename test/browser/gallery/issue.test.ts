import { utimes } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { arrives, fillIn, loaded, openGallery, thirtyMegabytes } from '../../_util/gallery-page.ts';

let world: Awaited<ReturnType<typeof openGallery>>;
let page: Page;

beforeAll(async () => {
  world = await openGallery();
  page = await world.visitor();
  await world.signIn(page);
  // An installation and a build may come first.
}, 300_000);
afterAll(() => world?.stack.disposeAsync());

/** The progress bar is under way and moves. */
async function moving(page: Page): Promise<void> {
  await page.getByText(/^Uploading \d+%/).waitFor({ timeout: 30_000 });
  const share = () => page.locator('progress').evaluate((bar) => (bar as HTMLProgressElement).value);
  const before = await share();
  await expect.poll(share, { timeout: 10_000 }).toBeGreaterThan(before);
  expect(await share()).toBeLessThan(1);
}

describe('issuing', () => {
  it('shows the faults of the preflight at their fields', async () => {
    await world.choose(page, 'small.png', 40);
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

  it('says again what is wrong with a file that was refused, and does not wait for it', async () => {
    await world.choose(page, 'no-extension', 40);
    const refusal = page.locator('.work').getByText('needs an extension');
    await refusal.waitFor();
    const sent = page.waitForRequest((request) => Boolean(request.postData()?.includes('createUploads')));
    await page.getByRole('button', { name: 'Issue one record' }).click();
    await sent;
    await refusal.waitFor();
    await page.getByRole('button', { name: 'Remove: ' }).click();
  });

  it('resumes after a reload in the middle of a 30 MB upload, up to the mined picture', async () => {
    await world.choose(page, 'reloaded.png', thirtyMegabytes);
    await fillIn(page, 'Reloaded');
    await moving(page);
    await page.getByRole('button', { name: 'Issue one record' }).click();
    await page.reload();
    await moving(page);
    await arrives(page, 'Reloaded');
  }, 240_000);

  it('resumes after ten seconds without a connection', async () => {
    await page.getByRole('button', { name: 'Issue more' }).click();
    await world.choose(page, 'cut.png', thirtyMegabytes);
    await fillIn(page, 'Cut off');
    await moving(page);
    await page.getByRole('button', { name: 'Issue one record' }).click();
    const cut = world.connection.cut(10_000);
    await page.getByText('The connection is lost.').waitFor();
    await cut;
    await arrives(page, 'Cut off');
  }, 240_000);

  it('resumes when the response to its issue call is lost', async () => {
    await page.getByRole('button', { name: 'Issue more' }).click();
    await world.choose(page, 'unread.png', 64);
    await fillIn(page, 'Unread');
    await page.route('**/graphql', (route) =>
      route.request().postData()?.includes('query Issued') ? route.abort() : route.continue(),
    );
    await page.getByRole('button', { name: 'Issue one record' }).click();
    await page.getByText('The connection is lost.').waitFor();
    await page.unroute('**/graphql');
    await arrives(page, 'Unread');
  }, 120_000);

  it('finds its records when the page ended before the answer came', async () => {
    await page.getByRole('button', { name: 'Issue more' }).click();
    await world.choose(page, 'unheard.png', 64);
    await fillIn(page, 'Unheard');
    const taken = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('issueSRRs')) return route.continue();
      await route.fetch();
      taken.resolve();
    });
    await page.getByRole('button', { name: 'Issue one record' }).click();
    await taken.promise;
    await page.unroute('**/graphql');
    await page.reload();
    await arrives(page, 'Unheard');
  }, 120_000);

  it('asks for the file again when the browser could not keep it, and takes another one', async () => {
    const forgetful = await world.visitor();
    await forgetful.addInitScript(() => {
      IDBObjectStore.prototype.put = () => {
        throw new DOMException('The disk is full.', 'QuotaExceededError');
      };
    });
    await world.signIn(forgetful);
    await world.choose(forgetful, 'lost.png', thirtyMegabytes);
    await fillIn(forgetful, 'Lost');
    await moving(forgetful);
    await forgetful.getByRole('button', { name: 'Issue one record' }).click();
    await forgetful.reload();
    const again = forgetful.getByLabel('Choose the file again');
    await again.setInputFiles(await world.pictureFile('other.png', 64));
    await arrives(forgetful, 'Lost');
    await forgetful.context().close();
  }, 240_000);

  it('asks for the file again when it was changed on the disk before it was sent', async () => {
    const editor = await world.visitor();
    await world.signIn(editor);
    const announced = Promise.withResolvers<void>();
    const changed = Promise.withResolvers<void>();
    await editor.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('createUploads')) {
        announced.resolve();
        await changed.promise;
      }
      await route.continue();
    });
    await world.choose(editor, 'edited.png', 64);
    await announced.promise;
    // Chromium knows a changed file by the second of its change.
    await utimes(await world.pictureFile('edited.png', 80), new Date(), new Date(Date.now() + 60_000));
    changed.resolve();
    const again = editor.getByLabel('Choose the file again');
    await again.setInputFiles(await world.pictureFile('saved.png', 64));
    await fillIn(editor, 'Edited');
    await editor.getByRole('button', { name: 'Issue one record' }).click();
    await arrives(editor, 'Edited');
    await editor.context().close();
  }, 120_000);

  it('issues other works after another tab has sent the same form', async () => {
    const sender = await world.visitor();
    await world.signIn(sender);
    await world.choose(sender, 'first.png', 64);
    await fillIn(sender, 'Sent elsewhere');
    const late = await sender.context().newPage();
    await late.goto(`${world.url}/issue`);
    await late.locator('.work').waitFor();
    await sender.getByRole('button', { name: 'Issue one record' }).click();
    await arrives(sender, 'Sent elsewhere');
    await fillIn(late, 'Sent late');
    await late.getByRole('button', { name: 'Issue one record' }).click();
    await late.getByText('was used for another issuance').waitFor();
    await late.getByRole('button', { name: 'Remove: ' }).click();
    await world.choose(late, 'second.png', 64);
    await fillIn(late, 'Another work');
    await late.getByRole('button', { name: 'Issue one record' }).click();
    await arrives(late, 'Another work');
    await sender.context().close();
  }, 240_000);
});

describe('signing out', () => {
  it('leaves no work, file or event to the next person at the browser', async () => {
    const leaver = await world.visitor();
    await world.signIn(leaver);
    await world.choose(leaver, 'private.png', 64);
    await fillIn(leaver, 'Not for others');
    const dialogs: string[] = [];
    leaver.once('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.accept();
    });
    // As an upload does that ends after the draft was forgotten, and before the page is gone.
    await leaver.evaluate(() => {
      const { removeItem } = localStorage;
      const draft = localStorage.getItem('draft') ?? '';
      let ended = false;
      Storage.prototype.removeItem = (key) => {
        removeItem.call(localStorage, key);
        if (!ended) queueMicrotask(() => localStorage.setItem('draft', draft));
        ended = true;
      };
    });
    await leaver.getByRole('button', { name: 'Sign out' }).click();
    await leaver.getByLabel('Token').waitFor();
    expect(dialogs).toEqual([expect.stringContaining('not been issued yet')]);
    const left = await leaver.evaluate(async () => [
      ...Object.keys(localStorage).filter((key) => !['language', 'theme'].includes(key)),
      ...(await indexedDB.databases()).map(({ name }) => name),
    ]);
    expect(left).toEqual([]);
    await world.signIn(leaver);
    expect(await leaver.locator('.work').count()).toBe(0);
    await leaver.context().close();
  }, 60_000);
});

describe('my work', () => {
  /** Issues in another tab, while `page` shows what comes of it. */
  async function issueBeside(title: string): Promise<void> {
    const other = await page.context().newPage();
    await other.goto(`${world.url}/issue`);
    await other.getByRole('button', { name: 'Issue more' }).click();
    await world.choose(other, `${title}.png`, 64);
    await fillIn(other, title);
    await other.getByRole('button', { name: 'Issue one record' }).click();
    await other.getByRole('button', { name: 'Issue more' }).waitFor();
    await other.close();
  }

  /** What the tests above have issued: the page shows an event for each. */
  const issued = [
    'Reloaded',
    'Cut off',
    'Unread',
    'Unheard',
    'Lost',
    'Edited',
    'Sent elsewhere',
    'Another work',
  ];

  it('lists issuances and shows an event as it comes', async () => {
    await page.goto(`${world.url}/work`);
    await page.getByRole('link', { name: 'Reloaded' }).waitFor();
    const events = page.getByText('Record issued');
    await expect.poll(() => events.count(), { timeout: 30_000 }).toBe(issued.length);
    await issueBeside('Third');
    await expect.poll(() => events.count(), { timeout: 60_000 }).toBe(issued.length + 1);
    await page.getByRole('link', { name: 'Third' }).waitFor();
  }, 120_000);

  it('says that it follows again as soon as the connection is back', async () => {
    await page.goto(`${world.url}/work`);
    const following = page.getByText('Following live');
    await following.waitFor();
    const cut = world.connection.cut(3_000);
    await expect.poll(() => following.count()).toBe(0);
    await cut;
    await following.waitFor();
  });

  it('says what to do about a failed entry, and fills the form with it', async () => {
    // The sandbox's chain refuses the next record.
    await world.control('faults', { kind: 'mining', failure: 'gasAllowance', times: 1 });
    await issueBeside('Fourth');
    const entry = page.locator('.entry').filter({ hasText: 'Fourth' });
    await entry.getByText('If it has not after some minutes, issue it again').waitFor({ timeout: 60_000 });
    await page.reload();
    await entry.getByRole('button', { name: 'Put it back into the form: Fourth' }).press('Enter');
    const work = page.locator('.work');
    await expect.poll(() => work.getByLabel('Title').inputValue()).toBe('Fourth');
    expect(await work.getByLabel('Medium').inputValue()).toBe('Noise on a screen');
    await expect.poll(() => work.getByLabel('Artist').locator(':checked').innerText()).toBe('Ruth Amberley');
    // This browser has dropped the file; the gateway has it.
    await expect.poll(() => loaded(work.locator('img'))).toEqual([true]);
    await page.getByRole('button', { name: 'Issue one record' }).click();
    await arrives(page, 'Fourth');
  }, 120_000);

  it('says that more did not come, and keeps what came through the next event', async () => {
    await page.goto(`${world.url}/work`);
    const more = page.getByRole('button', { name: 'Show more' });
    await more.waitFor();
    await page.route('**/graphql', (route) => route.abort());
    await more.click();
    await page.getByText('The gateway did not answer.').waitFor();
    await page.unroute('**/graphql');
    await more.click();
    await more.waitFor({ state: 'detached' });
    const issuances = page.locator('.issuance');
    const before = await issuances.count();
    await issueBeside('Fifth');
    await page.getByRole('link', { name: 'Fifth' }).waitFor();
    expect(await issuances.count()).toBe(before);
  }, 120_000);

  it('throws nothing', () => {
    expect(world.problems).toEqual([]);
  });
});
