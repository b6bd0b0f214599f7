// What stands before the first script, and that nothing moves when the screen takes its place.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createVisitor, describeInBrowser } from './support/browser.ts';
import { channelBody, chat, furnish } from './support/furnish.ts';
import { lookInTurn } from './support/in-turn.ts';
import { startTidegate, type Tidegate } from './support/tidegate.ts';
import { settle, signIn, signInByForm } from './support/visit.ts';

/** Imperceptible layout shift. */
const mostShift = 0.05;
const screens = [
  '/',
  '/log',
  '/token',
  '/token?open=2',
  '/channel',
  '/channel/edit/1',
  '/user',
  '/user/edit/2',
  '/pricing',
  '/setting',
  '/outbox',
];

describeInBrowser('first paint', () => {
  let tidegate: Tidegate;
  beforeAll(async () => {
    tidegate = await startTidegate();
    const { api, key } = await furnish(tidegate);
    for (const name of ['one', 'two', 'three', 'four']) {
      await api.post('/api/token/', { name, unlimited_quota: true, expired_time: -1 });
      await api.post('/api/channel/', { ...channelBody(tidegate), name });
      await api.post('/api/user/', { username: name, password: 'another-lantern' });
      await chat(tidegate.url, key, { stream: false });
    }
  });
  afterAll(() => tidegate.close());

  it.each(lookInTurn(['phone', 'tablet', 'desk'] as const))('%s: the bar of a visitor is as high on every screen', async (size) => {
    const heights: number[] = [];
    const measure = async (page: Page) =>
      heights.push(await page.evaluate(() => document.querySelector('header')?.getBoundingClientRect().height ?? 0));
    // Without a worker, which would serve the assets.
    const first = await createVisitor(tidegate.url, { hasServiceWorker: true, size });
    await first.context.route('**/assets/**', (route) => route.abort());
    await first.page.goto('/login', { waitUntil: 'commit' });
    await first.page.locator('.sh header').waitFor();
    await measure(first.page);
    await first.context.close();
    const { page, context } = await createVisitor(tidegate.url, { hasServiceWorker: true, size });
    for (const screen of ['/', '/login', '/pricing']) {
      await page.goto(screen);
      await settle(page);
      await page.waitForFunction(() => document.querySelector('.sh') === null);
      await measure(page);
    }
    expect(new Set(heights)).toEqual(new Set([size === 'desk' ? 48 : 52]));
    await context.close();
  });

  for (const size of lookInTurn(['phone', 'desk'] as const)) {
    it(`${size}: the frame is there without any script, and the real one stands in its place`, async () => {
      const visitor = await createVisitor(tidegate.url, { hasServiceWorker: true, size, scheme: 'dark' });
      const { page, context, complaints } = visitor;
      await context.route('**/assets/**', (route) => route.abort());
      await context.addInitScript(() => localStorage.setItem('shell', 'user'));
      await page.goto('/log', { waitUntil: 'commit' });
      await page.locator('.sh').waitFor();
      expect(await page.evaluate(() => document.documentElement.dataset)).toMatchObject({
        mantineColorScheme: 'dark',
        shell: 'user',
        rows: '',
      });
      expect(complaints.filter((line) => /Content Security Policy/i.test(line))).toEqual([]);
      const drawn = await boxes(page, ['.sh header', '.sh main', '.sh nav']);
      await context.close();

      const signedIn = await createVisitor(tidegate.url, { hasServiceWorker: true, size, scheme: 'dark' });
      await signInByForm(signedIn);
      await signedIn.page.goto('/log');
      await settle(signedIn.page);
      // The sheet is what the screen stands in.
      expect(await boxes(signedIn.page, ['header', 'div:has(> main)', 'nav:has(a[href="/log"])'])).toEqual(drawn);
      await signedIn.context.close();
    });
  }

  it.each([
    ['/log', /\/assets\/log-[\w-]{8}\.js$/, /\/api\/log\/\?/],
    ['/channel', /\/assets\/channel-[\w-]{8}\.js$/, /\/api\/channel\/\?/],
  ])('%s: its rows are asked for before its screen is there, and once', async (screen, part, rows) => {
    // Without a worker, which would serve the assets.
    const visitor = await createVisitor(tidegate.url);
    await signIn(visitor);
    const { page, context } = visitor;
    let requested = 0;
    page.on('request', (request) => void (requested += rows.test(request.url()) ? 1 : 0));
    const first = page.waitForRequest(rows);
    await context.route(part, async (route) => {
      await first;
      await route.continue();
    });
    await page.goto(screen, { waitUntil: 'commit' });
    await page.locator('tbody tr[data-row-key]').first().waitFor();
    expect(requested).toBe(1);
    await context.close();
  });

  it('Home asks for all that it shows before anything has answered', async () => {
    const visitor = await createVisitor(tidegate.url);
    await signIn(visitor);
    const { page, context } = visitor;
    const wanted = ['/api/data/figures', '/api/data/desk', '/api/log/', '/api/log/self', '/api/user/self', '/api/channel/summary'];
    const waiting = new Set(wanted);
    const { promise, resolve } = Promise.withResolvers<void>();
    await context.route('**/api/**', async (route) => {
      waiting.delete(new URL(route.request().url()).pathname);
      if (waiting.size === 0) resolve();
      await promise;
      await route.continue();
    });
    await page.goto('/', { waitUntil: 'commit' });
    await promise;
    expect([...waiting]).toEqual([]);
    await settle(page);
    await context.close();
  });

  it.each(lookInTurn(['phone', 'tablet', 'desk'] as const))('%s: nothing moves while a screen opens', async (size) => {
    const visitor = await createVisitor(tidegate.url, { size });
    await signIn(visitor);
    for (const screen of screens) {
      const page = await visitor.context.newPage();
      await page.addInitScript(() => {
        Object.assign(window, { shift: 0 });
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) {
            const { value, hadRecentInput } = entry as PerformanceEntry & { value: number; hadRecentInput: boolean };
            if (!hadRecentInput) Object.assign(window, { shift: Number(Reflect.get(window, 'shift')) + value });
          }
        }).observe({ type: 'layout-shift', buffered: true });
      });
      await page.goto(screen);
      await settle(page);
      expect(await page.evaluate(() => Number(Reflect.get(window, 'shift'))), screen).toBeLessThan(mostShift);
      await page.close();
    }
    await visitor.context.close();
  });

  it('desk: the filters of a list stand in one line beside an open record', async () => {
    const visitor = await createVisitor(tidegate.url);
    const { page, context } = visitor;
    await signIn(visitor);
    for (const screen of ['/channel/edit/1?status=on&group=default&model=gpt', '/user/edit/2?keyword=o&group=default']) {
      await page.goto(screen);
      await settle(page);
      await page.locator('aside form').waitFor();
      const bar = await page.evaluate(() => document.querySelector('[role=search]')?.getBoundingClientRect().height ?? 0);
      expect(bar, screen).toBe(44);
    }
    await context.close();
  });

  it('desk: opening a record, J and K draw two rows of any list anew', async () => {
    const visitor = await createVisitor(tidegate.url);
    const { page, context } = visitor;
    await signIn(visitor);
    for (const screen of ['/log', '/token', '/channel', '/user']) {
      await page.goto(screen);
      await settle(page);
      const rows = page.locator('tbody tr[data-row-key]');
      expect(await rows.count(), screen).toBeGreaterThan(4);
      for (const key of ['j', 'j', 'Enter', 'k', 'j', 'Escape']) {
        await remember(page);
        await page.keyboard.press(key);
        await settle(page);
        expect(await drawnAnew(page), `${screen}: ${key}`).toBeLessThanOrEqual(2);
      }
    }
    await context.close();
  });
});

function boxes(page: Page, selectors: string[]): Promise<number[][]> {
  return page.evaluate(
    (all) =>
      all.map((selector) => {
        const box = document.querySelector(selector)?.getBoundingClientRect();
        return [box?.x ?? -1, box?.y ?? -1, box?.width ?? -1, box?.height ?? -1];
      }),
    selectors,
  );
}

/** React gives a row that it renders again a new object of properties. */
async function remember(page: Page): Promise<void> {
  const known = await page.evaluate(() => {
    const rows = [...document.querySelectorAll('tbody tr[data-row-key]')];
    Object.assign(window, { drawn: new Map(rows.map((row) => [row, propertiesOf(row)])) });
    return rows.filter((row) => propertiesOf(row) !== undefined).length;
    function propertiesOf(row: Element): unknown {
      const key = Object.keys(row).find((name) => name.startsWith('__reactProps'));
      return key === undefined ? undefined : Reflect.get(row, key);
    }
  });
  expect(known, 'rows whose properties can be seen').toBeGreaterThan(1);
}

function drawnAnew(page: Page): Promise<number> {
  return page.evaluate(() => {
    const drawn = Reflect.get(window, 'drawn') as Map<Element, unknown>;
    return [...drawn].filter(([row, properties]) => {
      const key = Object.keys(row).find((name) => name.startsWith('__reactProps'));
      return key === undefined || Reflect.get(row, key) !== properties;
    }).length;
  });
}
