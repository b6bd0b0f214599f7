// While answers are on their way a screen shows the shapes of what will be there: none over another, and little moves when it comes.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createVisitor, describeInBrowser } from './support/browser.ts';
import { chat, furnish } from './support/furnish.ts';
import { startTidegate, type Tidegate } from './support/tidegate.ts';
import { settle, signIn } from './support/visit.ts';

/** Holds answers until released. */
async function hold(page: Page, path: RegExp): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(path, async (route) => {
    await promise;
    await route.continue().catch(() => undefined);
  });
  return resolve;
}

/** How much of what was in sight has moved, as browsers measure it (Cumulative Layout Shift); 0.1 is good. */
async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    Object.assign(globalThis, { shifted: 0 });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        if ('value' in entry) Object.assign(globalThis, { shifted: Reflect.get(globalThis, 'shifted') + Number(entry.value) });
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

const shapesOf = (page: Page) =>
  page.evaluate(() => {
    const shapes = [...document.querySelectorAll('main [aria-busy]')].filter((one) => one.checkVisibility({ visibilityProperty: true }));
    const boxes = shapes.map((one) => one.getBoundingClientRect());
    const overlaps = boxes.filter((box, index) =>
      boxes.some(
        (other, at) => at > index && box.left < other.right && other.left < box.right && box.top < other.bottom && other.top < box.bottom,
      ),
    );
    return { count: shapes.length, overlaps: overlaps.length, lowest: Math.max(0, ...boxes.map(({ bottom }) => bottom)) };
  });

describeInBrowser('loading shapes', () => {
  let tidegate: Tidegate;
  beforeAll(async () => {
    tidegate = await startTidegate();
    const { key } = await furnish(tidegate);
    for (let calls = 0; calls < 3; calls += 1) await chat(tidegate.url, key, { stream: false });
  });
  afterAll(() => tidegate[Symbol.asyncDispose]());

  it.each([
    ['phone', '/', /\/api\/(?!status)/],
    ['phone', '/', /\/api\/data\//],
    ['phone', '/detail', /\/api\/(?!status)/],
    ['desk', '/', /\/api\/(?!status)/],
    ['desk', '/', /\/api\/data\//],
    ['desk', '/detail', /\/api\/(?!status)/],
    ['desk', '/setting?tab=prices', /price-editor/],
    ['phone', '/setting?tab=prices', /price-editor/],
  ] as const)('%s: %s while %s is slow', async (size, screen, slow) => {
    const visitor = await createVisitor(tidegate.url, { size });
    await signIn(visitor);
    const { page } = visitor;
    await watchShifts(page);
    const release = await hold(page, slow);
    await page.goto(screen);
    await expect.poll(async () => (await shapesOf(page)).count, { timeout: 60_000 }).toBeGreaterThan(0);
    const { overlaps, lowest } = await shapesOf(page);
    expect(overlaps).toBe(0);
    // They fill the window, as the screen will.
    expect(lowest).toBeGreaterThan(size === 'phone' ? 500 : 700);
    release();
    await expect.poll(async () => (await shapesOf(page)).count, { timeout: 60_000 }).toBe(0);
    await settle(page);
    expect(await page.evaluate((): number => Reflect.get(globalThis, 'shifted'))).toBeLessThan(0.1);
    await visitor.context.close();
  });
});
