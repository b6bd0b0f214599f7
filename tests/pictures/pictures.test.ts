// Every screen in every state, photographed. `npm run pictures` takes a selection of looks, `-- --all` all of them.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionKey } from '#server/money/settlement/session-writes.ts';
import { createVisitor, describeInBrowser, type Visitor, type VisitorOptions } from '#tests/e2e/support/browser.ts';
import { untilInstalled } from '#tests/e2e/support/device.ts';
import { askPlayground, drawPictures } from '#tests/e2e/support/fill.ts';
import { furnishNothing } from '#tests/e2e/support/furnish.ts';
import { plainScreens, recordScreens, shellScreens } from '#tests/e2e/support/screens.ts';
import { seededSessions } from '#tests/e2e/support/seed-sessions.ts';
import { text } from '#tests/e2e/support/texts.ts';
import { startTidegate, type Tidegate } from '#tests/e2e/support/tidegate.ts';
import { settle, signIn } from '#tests/e2e/support/visit.ts';
import { fileOf, type Picture, writeAlbum } from './album.ts';
import { seedSite } from './seed-site.ts';

type Look = Required<VisitorOptions>;
const states = ['filled', 'empty', 'loading', 'failed', 'offline'] as const;
type State = (typeof states)[number];

const folder = path.resolve(import.meta.dirname, '../../pictures');
const takesAll = process.env['PICTURES'] === 'all';
const only = process.env['PICTURES_ONLY'] ?? '';
/** Ranges begin where the seeds do, whatever time of the day it is. */
const sessionScreens = [
  '/log?view=sessions&range=week',
  `/log?view=sessions&session=${sessionKey(1, 1, seededSessions[0]?.session ?? '')}`,
];
const screens = [
  ...shellScreens,
  ...recordScreens(1),
  '/token?open=1',
  '/token?open=3&part=limits',
  '/setting?tab=ratelimit',
  '/log?open=1',
  ...sessionScreens,
  '/token?open=new',
  ...['', '?open=of-member', '?open=invite', '?tab=teams', '?tab=usage', '?tab=invites', '?tab=settings'].map(
    (rest) => `/organisation/of-site${rest}`,
  ),
].filter((screen) => only === '' || screen.startsWith(only));
const guestScreens = plainScreens.filter((screen) => only === '' || screen.startsWith(only));

const everyLook = (['phone', 'tablet', 'desk'] as const).flatMap((size) =>
  (['light', 'dark'] as const).flatMap((scheme) => (['zh', 'en'] as const).map((language): Look => ({ size, scheme, language }))),
);
const phone: Look = { size: 'phone', scheme: 'dark', language: 'zh' };
const tablet: Look = { size: 'tablet', scheme: 'light', language: 'zh' };
const desk: Look = { size: 'desk', scheme: 'light', language: 'en' };
const darkDesk: Look = { ...desk, scheme: 'dark' };
const looksOf = (state: State): readonly Look[] => (takesAll ? everyLook : state === 'filled' ? [phone, tablet, desk, darkDesk] : [phone]);
const nameOf = ({ size, scheme, language }: Look) => `${size}-${scheme}-${language}`;

describeInBrowser('pictures', () => {
  const taken: Picture[] = [];
  let organisation = 0;
  const sites = new Map<State, { tidegate: Tidegate; database: string }>();

  beforeAll(async () => {
    await mkdir(folder, { recursive: true });
    for (const kind of ['filled', 'empty'] as const) {
      const database = await mkdtemp(path.join(tmpdir(), 'tidegate-pictures-'));
      const url = `file:${path.join(database, 'tidegate.db')}`;
      const tidegate = await startTidegate({ env: { DATABASE_URL: url } });
      if (kind === 'filled') organisation = await seedSite(tidegate, url);
      else await furnishNothing(tidegate);
      sites.set(kind, { tidegate, database });
    }
  });
  afterAll(async () => {
    await writeAlbum(folder, taken);
    for (const { tidegate, database } of sites.values()) {
      await tidegate.close();
      await rm(database, { recursive: true, force: true });
    }
  });

  const siteOf = (state: State): Tidegate => {
    const site = sites.get(state === 'empty' ? 'empty' : 'filled');
    if (site === undefined) throw new Error('No site is running');
    return site.tidegate;
  };

  /** Bytes of the picture: one colour all over is hardly a thousand. */
  async function take(page: Page, picture: Omit<Picture, 'file'>): Promise<number> {
    const file = fileOf(picture);
    const size = page.viewportSize();
    // What there is to read is read to its end.
    if (picture.state === 'filled' && size !== null) await page.setViewportSize({ ...size, height: size.height + (await hidden(page)) });
    const bytes = await page.screenshot({ path: path.join(folder, file) });
    if (size !== null) await page.setViewportSize(size);
    taken.push({ ...picture, file });
    return bytes.length;
  }

  // `--only` may leave either without a screen.
  describe.each(screens.length > 0 ? states : [])('%s', (state) => {
    describe.each(looksOf(state).map((look) => [nameOf(look), look] as const))('%s', (look, options) => {
      let visitor: Visitor;
      beforeAll(async () => {
        visitor = await createVisitor(siteOf(state).url, { ...options, hasServiceWorker: state === 'offline' });
        await prepare(visitor, siteOf(state), state, options.language);
      });
      afterAll(() => visitor.context.close());

      it.each(screens)('%s', async (screen) => {
        await visitor.page.goto(screen.replace('of-site', String(organisation)).replace('of-member', String(organisation + 3)), {
          waitUntil: 'commit',
        });
        await still(visitor.page, state);
        expect(await take(visitor.page, { screen, state, look })).toBeGreaterThan(2_000);
      });
    });
  });

  const guestLooks = guestScreens.length > 0 ? looksOf('filled') : [];
  describe.each(guestLooks.map((look) => [nameOf(look), look] as const))('nobody signed in, %s', (look, options) => {
    it.each(guestScreens)('%s', async (screen) => {
      const visitor = await createVisitor(siteOf('filled').url, options);
      await visitor.page.goto(screen);
      await still(visitor.page, 'filled');
      expect(await take(visitor.page, { screen, state: 'filled', look })).toBeGreaterThan(2_000);
      await visitor.context.close();
    });
  });
});

/** Signed in, and with what makes the state. */
async function prepare(visitor: Visitor, tidegate: Tidegate, state: State, language: 'zh' | 'en'): Promise<void> {
  const { page, context } = visitor;
  const isBroken = state === 'loading' || state === 'failed';
  if (isBroken) {
    await page.addInitScript(() => {
      indexedDB.deleteDatabase('tidegate');
      // The worker would answer in place of the routes.
      Object.defineProperty(navigator.serviceWorker, 'register', { value: () => new Promise(() => {}) });
    });
  }
  await signIn(visitor);
  await page.goto('/');
  await page.getByRole('main').waitFor();
  if (state !== 'empty') {
    // The notice of the site opens once, over everything.
    await page.goto('/');
    await page.getByRole('button', { name: text('site.notice_seen', {}, language) }).click();
  }
  await drawPictures(visitor);
  if (state === 'filled' || state === 'offline') await askPlayground(visitor, tidegate, language);
  if (isBroken) await page.route(/\/api\/(?!status)/, (route) => (state === 'loading' ? undefined : route.fulfill(fault)));
  if (state !== 'offline') return;
  await untilInstalled(page);
  // Screens that were visited before are cached.
  for (const screen of ['/', '/token', '/log', '/pricing']) {
    await page.goto(screen);
    await settle(page);
  }
  await context.setOffline(true);
}

const fault = {
  status: 500,
  headers: { 'x-oneapi-request-id': '20261122180102583920-k4Qz7bX1' },
  contentType: 'application/json',
  body: JSON.stringify({ success: false, message: '服务器内部错误，请联系管理员', code: 'internal_error' }),
};

/** Pixels below what is seen of the part that scrolls; of a very long one not all. */
function hidden(page: Page): Promise<number> {
  return page.evaluate(() => {
    const parts = [...document.querySelectorAll('main, main *, [role=dialog] *, aside, aside *')];
    const scrolling = parts.filter((part) => ['auto', 'scroll'].includes(getComputedStyle(part).overflowY) && part.clientHeight > 200);
    return Math.min(1_600, Math.max(0, ...scrolling.map((part) => part.scrollHeight - part.clientHeight)));
  });
}

/** Until nothing changes any more; what loads for ever is given a moment. */
async function still(page: Page, state: State): Promise<void> {
  await page.getByRole('main').waitFor();
  if (state === 'loading')
    await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') !== null, null, { timeout: 2_000 }).catch(() => null);
  else await settle(page).catch(() => null);
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
}
