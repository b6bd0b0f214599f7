// In a contrast theme of the system the browser drops backgrounds, shadows and gradients: other signs show their states.
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createVisitor, describeInBrowser } from './support/browser.ts';
import { furnish } from './support/furnish.ts';
import { text } from './support/texts.ts';
import { startTidegate, type Tidegate } from './support/tidegate.ts';
import { settle, signIn } from './support/visit.ts';

/** What of an element, or of a part that its style draws, has which colour. */
const colourOf = (element: Locator, property: 'backgroundColor' | 'color', part = ''): Promise<string> =>
  element.evaluate((node, of) => getComputedStyle(node, of.part)[of.property], { property, part });

describeInBrowser('contrast themes', () => {
  vi.setConfig({ testTimeout: 120_000 });
  let tidegate: Tidegate;
  beforeAll(async () => {
    tidegate = await startTidegate();
    await furnish(tidegate);
  });
  afterAll(() => tidegate.close());

  const open = async (scheme: 'light' | 'dark', path: string): Promise<Page> => {
    const visitor = await createVisitor(tidegate.url, { scheme, hasForcedColors: true });
    await signIn(visitor);
    await visitor.page.goto(path);
    await settle(visitor.page);
    return visitor.page;
  };

  it.each(['light', 'dark'] as const)('%s: what is chosen, ticked, on and open is seen', async (scheme) => {
    const page = await open(scheme, '/token');
    const [ticked, other] = [page.getByRole('checkbox').nth(1), page.getByRole('checkbox').nth(2)];
    await ticked.check();
    expect(await colourOf(ticked, 'backgroundColor')).not.toBe(await colourOf(other, 'backgroundColor'));
    // The tick is drawn on the background of its box.
    expect(await colourOf(ticked, 'backgroundColor', '::after')).not.toBe(await colourOf(ticked, 'backgroundColor'));
    const rows = page.locator('tr[data-row-key]');
    await rows.nth(1).click();
    await page.getByRole('complementary').waitFor();
    for (const row of [rows.nth(0), rows.nth(1)]) {
      const marked = await row.evaluate((node) => getComputedStyle(node, '::before').width);
      expect(marked).toBe('6px');
    }
    const here = page.getByRole('navigation').getByRole('link', { name: text('shell.menu.tokens'), exact: true });
    const there = page.getByRole('navigation').getByRole('link', { name: text('shell.menu.logs'), exact: true });
    await expectReported(here, there);
    const chosen = page.locator('aside button[aria-pressed=true]').first();
    await expectReported(chosen, page.locator('aside button[aria-pressed=true] + button').first());
    const [on, off] = [
      page.locator('input[role=switch]:checked + *').first(),
      page.locator('input[role=switch]:not(:checked) + *').first(),
    ];
    await expectReported(on, off, false);
    expect(await off.evaluate((node) => getComputedStyle(node).borderTopWidth)).not.toBe('0px');
    await page.context().close();
  });

  it('the series of a chart have the colours of their legend, on any ground', async () => {
    const page = await open('dark', '/detail');
    // Set to light, in a theme that is dark.
    await page.evaluate(() => document.documentElement.setAttribute('data-mantine-color-scheme', 'light'));
    const spent = page.getByRole('region', { name: text('dashboard.spent.title') });
    const bar = spent.locator('svg.recharts-surface rect[fill]').first();
    await bar.waitFor();
    const swatch = spent.locator('dl i').first();
    const shown = await colourOf(swatch, 'backgroundColor');
    expect(shown).toBe(await bar.evaluate((node) => getComputedStyle(node).fill));
    expect(shown).toBe('rgb(51, 167, 166)');
    await page.context().close();
  });
});

/** By its ground, on which the words can be read. */
async function expectReported(chosen: Locator, other: Locator, hasWords = true): Promise<void> {
  const ground = await colourOf(chosen, 'backgroundColor');
  expect(ground).not.toBe(await colourOf(other, 'backgroundColor'));
  if (!hasWords) return;
  expect(await colourOf(chosen, 'color')).not.toBe(ground);
  expect(await chosen.evaluate((node) => getComputedStyle(node).getPropertyValue('forced-color-adjust'))).toBe('none');
}
