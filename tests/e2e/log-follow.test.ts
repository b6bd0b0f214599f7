// The log of calls while calls are made: what is new comes by itself, and what was refused says why.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createVisitor, describeInBrowser } from './support/browser.ts';
import { chat, furnish, type Furnished, owner } from './support/furnish.ts';
import { lookInTurn } from './support/in-turn.ts';
import { startTidegate, type Tidegate } from './support/tidegate.ts';
import { settle, signIn } from './support/visit.ts';

const shots = process.env['SHOTS'];
const shoot = async (page: Page, name: string) => {
  if (shots !== undefined) await page.screenshot({ path: `${shots}/${name}.png` });
};

describeInBrowser('following the log', () => {
  let tidegate: Tidegate;
  let furnished: Furnished;
  beforeAll(async () => {
    tidegate = await startTidegate();
    furnished = await furnish(tidegate);
  });
  afterAll(() => tidegate.close());

  const refuse = () => chat(tidegate.url, furnished.key, { stream: false, model: 'no-such-model' }).catch(() => {});

  for (const size of lookInTurn(['desk', 'phone'] as const)) {
    it(`${size}: new calls come by themselves on top, and only as a number under an open row`, async () => {
      const visitor = await createVisitor(tidegate.url, { size, scheme: 'light', language: 'en' });
      const { page } = visitor;
      await signIn(visitor, owner);
      await page.goto('/log?size=50');
      await settle(page);
      const rows = page.locator('[data-row-key]');
      const before = await rows.count();
      await chat(tidegate.url, furnished.key, { stream: false });
      await expect.poll(() => rows.count(), { timeout: 60_000 }).toBe(before + 1);

      await rows.first().click();
      await page.getByRole('button', { name: 'Close' }).first().waitFor();
      await chat(tidegate.url, furnished.key, { stream: false });
      const line = page.getByRole('button', { name: '1 new row' });
      await line.waitFor({ timeout: 20_000 });
      // It is not covered. (On a phone the row covers it.)
      if (size === 'desk') await line.click({ trial: true });
      expect(await rows.count()).toBe(before + 1);
      await shoot(page, `newer-${size}`);
      await page.keyboard.press('Escape');
      await expect.poll(() => rows.count(), { timeout: 60_000 }).toBe(before + 2);
      expect(await line.count()).toBe(0);
      await visitor.context.close();
    });
  }
  it('new rows come by the stream: nothing is asked by the clock, and nothing at all while nobody looks', async () => {
    const visitor = await createVisitor(tidegate.url, { size: 'desk', language: 'en' });
    const { page } = visitor;
    const requested = requestedOf(page);
    await signIn(visitor, owner);
    const opened = page.waitForRequest(/\/api\/log\/tail/);
    await page.goto('/log?size=50');
    await opened;
    await settle(page);
    const rows = page.locator('[data-row-key]');
    const before = await rows.count();
    const known = requested.lists;
    // Three looks of the server find nothing.
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    expect(requested.lists).toBe(known);
    await chat(tidegate.url, furnished.key, { stream: false });
    await expect.poll(() => rows.count(), { timeout: 60_000 }).toBe(before + 1);
    const cursor = requested.tails.at(-1);

    await setVisible(page, false);
    await expect.poll(() => requested.open).toBe(0);
    await chat(tidegate.url, furnished.key, { stream: false });
    const hidden = requested.lists;
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(requested.lists).toBe(hidden);
    await setVisible(page, true);
    await expect.poll(() => rows.count(), { timeout: 60_000 }).toBe(before + 2);
    expect(requested.tails.at(-1)).not.toBe(cursor);
    // Where it stood.
    expect(new URL(requested.tails.at(-1) ?? '').searchParams.get('after')).not.toBeNull();
    await visitor.context.close();
  });

  it('where streams are cut, rows come all the same', async () => {
    const visitor = await createVisitor(tidegate.url, { size: 'phone', language: 'en' });
    const { page } = visitor;
    await page.route(/\/api\/log\/(self\/)?tail/, (route) => route.abort('connectionreset'));
    await signIn(visitor, owner);
    await page.goto('/log?size=50');
    await settle(page);
    const rows = page.locator('[data-row-key]');
    for (let round = 0; round < 2; round += 1) {
      const before = await rows.count();
      await chat(tidegate.url, furnished.key, { stream: false });
      await expect.poll(() => rows.count(), { timeout: 60_000 }).toBe(before + 1);
    }
    await visitor.context.close();
  });

  it('nothing moves under somebody who reads further down, until they go to the top', async () => {
    for (let made = 0; made < 25; made += 1) await chat(tidegate.url, furnished.key, { stream: false });
    const visitor = await createVisitor(tidegate.url, { size: 'phone', language: 'en' });
    const { page } = visitor;
    await signIn(visitor, owner);
    await page.goto('/log?size=50');
    await settle(page);
    const row = page.locator('[data-row-key]').nth(12);
    await row.scrollIntoViewIfNeeded();
    await page.mouse.wheel(0, 600);
    const place = () => row.evaluate((node) => [Math.round(node.getBoundingClientRect().top), node.textContent]);
    await expect.poll(async () => (await place())[0]).toBeLessThan(500);
    const before = await place();
    const tops = await page.evaluate(() =>
      [...document.querySelectorAll('[data-row-key]')].map((node) => node.getAttribute('data-row-key')).slice(0, 5),
    );
    await chat(tidegate.url, furnished.key, { stream: false });
    const line = page.getByRole('button', { name: '1 new row' });
    await line.waitFor({ timeout: 20_000, state: 'attached' });
    expect(await place()).toEqual(before);
    expect(
      await page.evaluate(() =>
        [...document.querySelectorAll('[data-row-key]')].map((node) => node.getAttribute('data-row-key')).slice(0, 5),
      ),
    ).toEqual(tops);
    await page.evaluate(() => {
      for (const node of [document.documentElement, ...document.querySelectorAll('*')]) if (node.scrollTop > 0) node.scrollTop = 0;
    });
    await expect.poll(() => page.locator('[data-row-key]').first().getAttribute('data-row-key'), { timeout: 60_000 }).not.toBe(tops[0]);
    expect(await line.count()).toBe(0);
    await visitor.context.close();
  });

  for (const size of lookInTurn(['desk', 'tablet', 'phone'] as const)) {
    it(`${size}: a refused call says why, and is found by its result`, async () => {
      await refuse();
      await refuse();
      const visitor = await createVisitor(tidegate.url, { size, scheme: 'dark', language: 'zh' });
      const { page } = visitor;
      await signIn(visitor, owner);
      await page.goto('/log?result=refused');
      const row = page.locator('[data-row-key]').first();
      await row.waitFor({ timeout: 20_000 });
      expect(await row.textContent()).toContain('模型 no-such-model 不存在');
      // The requested model is not truncated; the sentence is.
      expect(await row.getByTitle('no-such-model', { exact: true }).evaluate((model) => model.scrollWidth <= model.clientWidth)).toBe(true);
      await shoot(page, `refused-${size}`);
      await row.click();
      await page.getByText('404 model_not_found').waitFor();
      await shoot(page, `refused-open-${size}`);
      await visitor.context.close();
    });
  }
});

/** Counts the page's requests to the log: lists, and streams with how many of them are open. */
function requestedOf(page: Page): { lists: number; tails: string[]; open: number } {
  const requested = { lists: 0, tails: [] as string[], open: 0 };
  const isTail = (url: string) => new URL(url).pathname.endsWith('/tail');
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname === '/api/log/') requested.lists += 1;
    if (!isTail(request.url())) return;
    requested.tails.push(request.url());
    requested.open += 1;
  });
  page.on('requestfailed', (request) => isTail(request.url()) && (requested.open -= 1));
  page.on('requestfinished', (request) => isTail(request.url()) && (requested.open -= 1));
  return requested;
}

/** As when the tab goes behind another one. */
async function setVisible(page: Page, isVisible: boolean): Promise<void> {
  await page.evaluate(
    (state) => {
      Object.defineProperty(document, 'visibilityState', { value: state, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    },
    isVisible ? 'visible' : 'hidden',
  );
}
