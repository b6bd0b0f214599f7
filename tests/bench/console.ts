// `npm run bench:console`: how long the console takes on a slow device (a CPU four times slower, 1.6 Mbit/s, 150 ms round
// trip), in a desk's window and on a phone. Content is what a screen is opened for: Home's figures, a list's rows. Of the longest task two figures: on the wall of the slow phone, and of the processor at full speed, times four, the least of
// some visits: on a machine that has other work only the second means something. Figures are printed, never asserted: machines differ.
// Needs Chromium and a built console. `-- /log /token?size=100` looks at these only.
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { furnish, owner } from '#tests/e2e/support/furnish.ts';
import { text } from '#tests/e2e/support/texts.ts';
import { startTidegate } from '#tests/e2e/support/tidegate.ts';
import { longestTask } from './task-times.ts';

const rows = 100;
/** How much slower the phone's processor is. */
const slowness = 4;
/** Visits at full speed. */
const visits = 3;
const allScreens = ['/', '/log', '/token?size=100', '/channel?size=100', '/user?size=100', '/pricing', '/setting'];
const phoneScreens = ['/', '/log'];
const desk = { viewport: { width: 1440, height: 900 } };
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const requested = process.argv.slice(2);
const network = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 94_000 };
const print = (line: string) => void process.stdout.write(`${line}\n`);
const executablePath = [process.env['TEST_CHROMIUM'], '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
  (place) => place !== undefined && existsSync(place),
);
if (executablePath === undefined) throw new Error('No Chromium: TEST_CHROMIUM names its place');

interface Seen {
  firstPaint: number;
  shift: number;
  longest: number;
}

declare global {
  interface Window {
    seen: Seen;
  }
}

await using tidegate = await startTidegate({ isOwnProcess: true });
const { api } = await furnish(tidegate);
for (let made = 0; made < rows; made += 1) {
  await api.post('/api/token/', { name: `Token ${made}`, unlimited_quota: true, expired_time: -1 });
  await api.post('/api/channel/', { type: 1, name: `Channel ${made}`, key: `k${made}`, models: 'gpt-4o', groups: ['default'], status: 2 });
  await api.post('/api/user/', { username: `user${made}`, password: 'another-lantern' });
}
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--disable-quic'] });
try {
  if (requested.length === 0) await firstAndSecondVisit(browser);
  await lists(await visitor(browser, desk), requested.length === 0 ? allScreens : requested);
  const onPhone = phoneScreens.filter((screen) => requested.length === 0 || requested.includes(screen));
  await lists(await visitor(browser, phone), onPhone, 'phone, ');
} finally {
  await browser.close();
}

async function firstAndSecondVisit(on: Browser): Promise<void> {
  const context = await visitor(on, desk);
  const page = await slowPage(context);
  await page.goto('/login');
  await page.getByRole('button', { name: text('session.login.submit') }).waitFor();
  const usable = await page.evaluate(() => performance.now());
  await report(page, `/login, first visit: usable ${seconds(usable)}`);
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  const again = await slowPage(context);
  await again.goto('/login');
  await again.getByRole('button', { name: text('session.login.submit') }).waitFor();
  await report(again, `/login, second visit: usable ${seconds(await again.evaluate(() => performance.now()))}`);
  await context.close();
}

async function lists(context: BrowserContext, screens: readonly string[], where = ''): Promise<void> {
  await signIn(context);
  for (const screen of screens) {
    const slow = await slowPage(context);
    const content = await open(slow, screen);
    await settle(slow);
    const processor = { opening: Infinity, keys: Infinity };
    for (let visit = 0; visit < visits; visit += 1) {
      const page = await slowPage(context, 1);
      const opening = await longestTask(browser, page, async () => {
        await open(page, screen);
        await settle(page);
      });
      processor.opening = Math.min(processor.opening, opening);
      if (isList(screen)) processor.keys = Math.min(processor.keys, await longestTask(browser, page, () => pressKeys(page)));
      await page.close();
    }
    await report(slow, `${where}${screen}: content ${seconds(content)}`, processor.opening);
    if (isList(screen)) {
      await slow.evaluate(() => (window.seen.longest = 0));
      await pressKeys(slow);
      await report(slow, `${where}${screen}: J, Enter, J, K, Esc`, processor.keys);
    }
    await slow.close();
  }
  await context.close();
}

async function signIn(context: BrowserContext): Promise<void> {
  const page = await context.newPage();
  await page.goto('/login');
  await page.getByLabel(text('session.login.username')).fill(owner.username);
  await page.getByLabel(text('session.login.password'), { exact: true }).fill(owner.password);
  await page.getByRole('button', { name: text('session.login.submit'), exact: true }).click();
  await page.waitForURL((url) => url.pathname !== '/login');
  // Lists are measured for a returning visitor: no service worker is being installed at the same time.
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  await page.close();
}

/** Opens a screen; gives the milliseconds until its content stands. */
async function open(page: Page, screen: string): Promise<number> {
  await page.goto(screen);
  await page.getByRole('main').waitFor();
  if (screen === '/')
    await page
      .getByRole('main')
      .locator('dt', { hasText: text('home.today.spent') })
      .first()
      .waitFor();
  else if (screen !== '/setting') await page.locator('[data-row-key]').first().waitFor();
  return page.evaluate(() => performance.now());
}

async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
}

function isList(screen: string): boolean {
  return screen.includes('size=');
}

async function pressKeys(page: Page): Promise<void> {
  for (const key of ['j', 'j', 'Enter', 'j', 'k', 'Escape']) {
    await page.keyboard.press(key);
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
  }
}

function visitor(on: Browser, size: BrowserContextOptions): Promise<BrowserContext> {
  return on.newContext({ ...size, baseURL: tidegate.url, locale: 'en-US', reducedMotion: 'reduce' });
}

/** A page on the slow phone that notes paints, shifts and long tasks from its very start. */
async function slowPage(context: BrowserContext, rate = slowness): Promise<Page> {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', network);
  await session.send('Emulation.setCPUThrottlingRate', { rate });
  await page.addInitScript(() => {
    const seen = { firstPaint: 0, shift: 0, longest: 0 };
    window.seen = seen;
    const watch = (type: string, note: (entry: PerformanceEntry) => void) =>
      new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true });
    watch('paint', (entry) => {
      if (entry.name === 'first-contentful-paint') seen.firstPaint = entry.startTime;
    });
    watch('layout-shift', (entry) => {
      if ('value' in entry && typeof entry.value === 'number' && !('hadRecentInput' in entry && entry.hadRecentInput === true))
        seen.shift += entry.value;
    });
    watch('longtask', (entry) => {
      seen.longest = Math.max(seen.longest, entry.duration);
    });
  });
  return page;
}

async function report(page: Page, what: string, processor?: number): Promise<void> {
  const { firstPaint, shift, longest } = await page.evaluate(() => window.seen);
  const tasks = `longest task ${Math.round(longest)} ms${processor === undefined ? '' : ` (processor ${Math.round(slowness * processor)} ms)`}`;
  print(`${what.padEnd(44)} first paint ${seconds(firstPaint)}, ${tasks}, shift ${shift.toFixed(3)}`);
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(2)} s`;
}
