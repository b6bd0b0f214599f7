// Everything twice and four times as large, as a browser's zoom makes a desk of 1440 × 900: all is there, and scrolls one way.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createVisitor, describeInBrowser, type Visitor } from './support/browser.ts';
import { furnish } from './support/furnish.ts';
import { text } from './support/texts.ts';
import { startTidegate, type Tidegate } from './support/tidegate.ts';
import { expectSoundScreen, settle, signIn } from './support/visit.ts';

describeInBrowser('zoom', () => {
  vi.setConfig({ testTimeout: 120_000 });
  let tidegate: Tidegate;
  beforeAll(async () => {
    tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    await api.post('/api/redemption/', { name: 'Regatta', quota: 1000, count: 2 });
  });
  afterAll(() => tidegate.close());

  const open = async (width: number, height: number): Promise<Visitor> => {
    const visitor = await createVisitor(tidegate.url, { size: 'desk' });
    await visitor.page.setViewportSize({ width, height });
    await signIn(visitor);
    return visitor;
  };

  it('200 %: rows of a list show all of their last cell, and there is room for some of them', async () => {
    const visitor = await open(720, 450);
    const { page, context } = visitor;
    for (const path of ['/log', '/channel', '/token', '/user', '/redemption']) {
      await page.goto(path);
      await expectSoundScreen(visitor);
      expect.soft(await page.locator('tr[data-row-key] > td:last-child').evaluateAll(cut), path).toEqual([]);
      // The bars above it scroll away.
      expect(await page.locator('table').evaluate(roomOf), path).toBeGreaterThan(340);
      await page.locator('main footer').scrollIntoViewIfNeeded();
    }
    await context.close();
  });

  it('400 %: bars do not stay, whatever is below is scrolled to, and a new screen begins at its top', async () => {
    const visitor = await open(360, 225);
    const { page, context } = visitor;
    for (const path of ['/', '/log', '/personal', '/playground']) {
      await page.goto(path);
      await expectSoundScreen(visitor);
      const standing = await page.evaluate(() => {
        scrollTo(0, 60);
        // Of a screen that does not fill the window twice there is a bar at one end.
        const isLong = document.documentElement.scrollHeight > 2 * innerHeight;
        const ends = isLong ? [4, innerHeight - 4] : [4];
        return ends.filter((y) => document.elementFromPoint(innerWidth / 2, y)?.closest('main') === null);
      });
      expect(standing, path).toEqual([]);
    }
    await page.goto('/personal');
    await settle(page);
    await page.getByRole('button', { name: text('shell.menu.more') }).scrollIntoViewIfNeeded();
    await page
      .getByRole('navigation')
      .getByRole('link', { name: text('shell.menu.tokens_short') })
      .click();
    await page.waitForURL('**/token');
    await settle(page);
    await expect.poll(() => page.evaluate(() => scrollY)).toBe(0);
    await expectWholeSheet(page);
    await context.close();
  });
});

/** How high the box is in which it scrolls. */
function roomOf(table: Element): number {
  let box = table.parentElement;
  while (box !== null && !['auto', 'scroll'].includes(getComputedStyle(box).overflowY)) box = box.parentElement;
  return box?.clientHeight ?? 0;
}

/** What does not fit into its cell. */
function cut(cells: Element[]): string[] {
  return cells
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
    .map(({ scrollWidth, clientWidth, textContent }) => `${scrollWidth} of ${clientWidth}: ${textContent}`);
}

/** The fields of a record have the window to themselves: its head and foot scroll with them. */
async function expectWholeSheet(page: Page): Promise<void> {
  await page.goto('/token?open=1');
  const sheet = page.getByRole('dialog');
  const field = sheet.getByLabel(text('tokens.form.name'));
  await field.waitFor();
  await settle(page);
  await field.evaluate((node) => node.scrollIntoView({ block: 'center' }));
  const ends = await page.evaluate(() =>
    [6, innerHeight - 6].map((y) => document.elementFromPoint(innerWidth / 2, y)?.closest('header, footer')?.tagName),
  );
  expect(ends).toEqual([undefined, undefined]);
  await sheet.getByRole('button', { name: text('common.action.save'), exact: true }).scrollIntoViewIfNeeded();
}
