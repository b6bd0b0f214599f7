// The browser of these tests: one Chromium for the files of one process, a fresh profile per visitor.
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';
import { watchRequests } from './network-idle.ts';

// The first is the same engine without a browser's own windows and buttons: a third less work.
const places = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Only the servers of these tests: other names fail to resolve, at once.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
];

/** CSS pixels: the narrowest phone that is supported, a tablet held upright, and a common desk. */
export const sizes = { phone: { width: 360, height: 780 }, tablet: { width: 768, height: 1024 }, desk: { width: 1440, height: 900 } };
export type Size = keyof typeof sizes;

export interface VisitorOptions {
  size?: Size;
  scheme?: 'light' | 'dark';
  language?: 'zh' | 'en';
}

interface VisitorSystem {
  /** A contrast theme: the browser leaves few colours. */
  hasForcedColors?: boolean;
  /** Screens open without a network. Elsewhere a worker that installs itself would only take time. */
  hasServiceWorker?: boolean;
}

/** A visitor with a separate browser profile: storage, service worker and network are not shared. */
export interface Visitor {
  context: BrowserContext;
  page: Page;
  /** Errors and warnings on the console, uncaught exceptions, and answers that must not be, since a screen was last looked at. */
  complaints: string[];
}

let running: Browser | undefined;

/** A suite with a browser. Without one it fails where a browser is owed (`CI`), and is skipped with its reason elsewhere. */
export function describeInBrowser(name: string, body: () => void): void {
  const executablePath = [process.env.TEST_CHROMIUM, ...places].find((place) => place !== undefined && place !== '' && existsSync(place));
  if (executablePath === undefined) {
    const reason = `no Chromium at ${places.join(', ')} (TEST_CHROMIUM names another place)`;
    if (process.env.CI !== undefined && process.env.CI !== '') throw new Error(`Browser tests cannot run: ${reason}`);
    describe.skip(`${name} - skipped: ${reason}`, body);
    return;
  }
  describe(name, () => {
    beforeAll(async () => {
      // It ends with this process.
      if (running?.isConnected() !== true) running = await chromium.launch({ executablePath, args: flags });
    });
    afterAll(async () => {
      // Those of tests that failed.
      for (const left of running?.contexts() ?? []) await left.close();
    });
    body();
  });
}

export async function createVisitor(
  url: string,
  {
    size = 'desk',
    scheme = 'light',
    language = 'en',
    hasForcedColors = false,
    hasServiceWorker = false,
  }: VisitorOptions & VisitorSystem = {},
  /** Console errors that a test provokes. */
  expected?: RegExp,
): Promise<Visitor> {
  if (running === undefined) throw new Error('There is no browser yet: use describeInBrowser');
  const isTouched = size !== 'desk';
  const context = await running.newContext({
    baseURL: url,
    viewport: sizes[size],
    deviceScaleFactor: size === 'phone' ? 2 : 1,
    isMobile: isTouched,
    hasTouch: isTouched,
    colorScheme: scheme,
    forcedColors: hasForcedColors ? 'active' : 'none',
    locale: language === 'zh' ? 'zh-CN' : 'en-US',
    timezoneId: 'Asia/Shanghai',
    reducedMotion: 'reduce',
    serviceWorkers: hasServiceWorker ? 'allow' : 'block',
  });
  context.setDefaultTimeout(30_000);
  watchRequests(context, { isInstalled: hasServiceWorker });
  const complaints: string[] = [];
  const page = await context.newPage();
  const note = (complaint: string) => {
    if (expected?.test(complaint) !== true) complaints.push(complaint);
  };
  watch(page, note);
  context.on('page', (opened) => watch(opened, note));
  return { context, page, complaints };
}

/** The browser driver's message about a requested block. */
const workerBlocked = 'Service Worker registration blocked by Playwright';

function watch(page: Page, note: (complaint: string) => void): void {
  page.on('console', (message) => {
    if (message.text() === workerBlocked) return;
    if (message.type() === 'error' || message.type() === 'warning') note(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => note(`uncaught: ${error.stack ?? error.message}`));
  page.on('response', (response) => {
    if (response.status() >= 500) note(`${response.status()}: ${response.url()}`);
  });
}
