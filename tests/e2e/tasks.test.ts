// The logs of drawings and music: their rows, their owners, and how often the server is polled.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createVisitor, describeInBrowser, type Visitor, type VisitorOptions } from './support/browser.ts';
import { untilInstalled, untilStored } from './support/device.ts';
import { drawPictures, mediaAddress } from './support/fill.ts';
import { type Api, furnish, owner } from './support/furnish.ts';
import { changeTask, drawings, music, seedTasks, videos } from './support/seed-tasks.ts';
import { lookInTurn } from './support/in-turn.ts';
import { text } from './support/texts.ts';
import { startTidegate, type Tidegate } from './support/tidegate.ts';
import { expectSoundScreen, openFromMenu, panelOf, settle, signIn } from './support/visit.ts';

const keeper = { username: 'keeper', password: 'another-lantern' };
const shots = process.env['SHOTS'];
const shoot = async (page: Page, name: string) => {
  if (shots !== undefined) await page.screenshot({ path: `${shots}/${name}.png` });
};
/** Milliseconds of the page's clock: longer than the console waits between two looks. */
const severalPolls = 30_000;

const looks: Required<VisitorOptions>[] = [
  { size: 'phone', scheme: 'light', language: 'zh' },
  { size: 'phone', scheme: 'dark', language: 'en' },
  { size: 'tablet', scheme: 'light', language: 'en' },
  { size: 'desk', scheme: 'light', language: 'en' },
  { size: 'desk', scheme: 'dark', language: 'zh' },
];

describeInBrowser('drawing log and task log', () => {
  let tidegate: Tidegate;
  let folder: string;
  let database: string;
  let ids: number[];
  let api: Api;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'tidegate-tasks-'));
    database = `file:${path.join(folder, 'tidegate.db')}`;
    tidegate = await startTidegate({ env: { DATABASE_URL: database } });
    ({ api } = await furnish(tidegate));
    await setSite('true');
    const own = { id: 1, username: owner.username };
    ids = await seedTasks(database, own, drawings);
    await seedTasks(database, own, music);
    await seedTasks(database, own, videos);
    await seedTasks(database, { id: 2, username: 'keeper' }, [
      { prompt: 'a rope, seen from very near', quota: 50_000, upstream_id: 'keeper-1' },
      { platform: 'suno', action: 'MUSIC', prompt: 'bells of the keeper', quota: 50_000, upstream_id: 'keeper-2' },
    ]);
  });
  afterAll(async () => {
    await tidegate.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Whether the site has drawings and music. */
  async function setSite(value: 'true' | 'false'): Promise<void> {
    for (const key of ['DrawingEnabled', 'TaskEnabled']) await api.put('/api/option/', { key, value });
  }

  async function visit(look: VisitorOptions = {}, account: { username: string; password: string } = owner): Promise<Visitor> {
    const visitor = await createVisitor(tidegate.url, { ...look, hasServiceWorker: true });
    await drawPictures(visitor);
    await signIn(visitor, account);
    await visitor.page.goto('/');
    return visitor;
  }

  describe.each(lookInTurn(looks))('$size, $scheme, $language', (look) => {
    it('rows, gallery and open records are sound', async () => {
      const visitor = await visit(look);
      const { page } = visitor;
      const name = `${look.size}-${look.scheme}-${look.language}`;
      for (const [screen, title] of [
        ['/midjourney', 'drawing'],
        ['/task?range=month', 'music'],
        ['/task?range=month&kind=video', 'video'],
      ] as const) {
        await page.goto(screen);
        await page.locator('[data-row-key]').first().waitFor();
        await expectSoundScreen(visitor);
        await shoot(page, `${name}-${title}`);
        await page.getByRole('button', { name: text('tasks.view.gallery', {}, look.language), exact: true }).click();
        await page.getByRole('main').getByRole('img', { includeHidden: true }).or(page.locator('main li img')).first().waitFor();
        await expectSoundScreen(visitor);
        await shoot(page, `${name}-${title}-gallery`);
        const at = page.locator('[data-row-key]').nth(title === 'drawing' ? 3 : title === 'music' ? 2 : 1);
        await at.click();
        await panelOf(page, look.size)
          .getByText(text('tasks.column.submitted', {}, look.language))
          .first()
          .waitFor();
        await expectSoundScreen(visitor);
        await shoot(page, `${name}-${title}-open`);
      }
      await visitor.context.close();
    });
  });

  it('videos are a kind of the task log, each with its length, price and way to it', async () => {
    const visitor = await visit();
    const { page } = visitor;
    await page.goto('/task?range=month');
    await page
      .getByRole('radio', { name: text('tasks.kind.video'), exact: true })
      .or(page.getByText(text('tasks.kind.video'), { exact: true }))
      .first()
      .click();
    await page.waitForURL(/kind=video/);
    const rows = page.locator('[data-row-key]');
    await rows.filter({ hasText: 'a ferry leaves the harbour' }).first().click();
    const panel = panelOf(page, 'desk');
    const player = panel.locator('video');
    expect(await player.getAttribute('poster')).toMatch(/^\/pg\/tasks\/\d+\/content\?variant=thumbnail$/);
    const save = panel.getByRole('link', { name: text('tasks.video.save') });
    expect(await save.getAttribute('href')).toBe(await player.getAttribute('src'));
    expect(await save.getAttribute('download')).toBe('video_q8Zb0fJmVx2cLr7TtK1yWdN4.mp4');
    await panel.getByText('1080×1920').first().waitFor();
    await rows.filter({ hasText: 'the same at dusk' }).first().click();
    await panel.getByText('GET /v1/videos/video_remix/content').waitFor();
    await rows.filter({ hasText: 'fog' }).first().click();
    await panel.getByText(text('frame.server.no_video')).first().waitFor();
    await page.getByText('GET /v1/videos').waitFor({ state: 'detached' });
    await visitor.context.close();
  });

  it('the menu names them only where the site has them', async () => {
    const visitor = await visit();
    const { page } = visitor;
    await openFromMenu(page, 'desk', 'shell.menu.drawings');
    expect(new URL(page.url()).pathname).toBe('/midjourney');
    await openFromMenu(page, 'desk', 'shell.menu.tasks');
    expect(new URL(page.url()).pathname).toBe('/task');
    await setSite('false');
    await page.reload();
    await page
      .getByRole('navigation')
      .getByRole('link', { name: text('shell.menu.logs'), exact: true })
      .waitFor();
    await settle(page);
    for (const key of ['shell.menu.drawings', 'shell.menu.tasks'])
      expect(
        await page
          .getByRole('navigation')
          .getByRole('link', { name: text(key), exact: true })
          .count(),
        key,
      ).toBe(0);
    await setSite('true');
    await visitor.context.close();
  });

  it('a user sees own rows only, and neither channels nor a note about callbacks', async () => {
    const visitor = await visit({}, keeper);
    const { page } = visitor;
    for (const [screen, own, others] of [
      ['/midjourney', 'a rope, seen from very near', 'isometric harbour'],
      ['/task', 'bells of the keeper', 'a slow shanty'],
    ] as const) {
      // Also if the address requests more.
      await page.goto(`${screen}?channel=1`);
      await page.getByRole('main').getByText(own).first().waitFor();
      expect(await page.locator('[data-row-key]').count()).toBe(1);
      expect(await page.getByRole('main').innerText()).not.toContain(others);
      expect(await page.getByRole('columnheader', { name: text('tasks.column.channel') }).count()).toBe(0);
      expect(await page.getByText(text('tasks.callback.off')).count()).toBe(0);
    }
    // A link to another user's record shows nothing of it.
    await page.goto(`/midjourney?open=${ids[0]}`);
    await page.getByText(text('tasks.panel.missing_text')).waitFor();
    await visitor.context.close();
  });

  it('administrators see everybody’s, filter them, and are told that callbacks are off', async () => {
    const visitor = await visit();
    const { page } = visitor;
    await page.goto('/midjourney?size=50');
    await page.getByText(text('tasks.callback.off')).waitFor();
    await page.getByText('a rope, seen from very near').first().waitFor();
    // A list draws its first rows at once, the rest right after.
    await expect.poll(() => page.locator('[data-row-key]').count()).toBe(drawings.length + 1);
    await page.getByRole('main').getByLabel(text('tasks.filter.status')).selectOption('FAILURE');
    await expect.poll(() => page.locator('[data-row-key]').count()).toBe(1);
    expect(new URL(page.url()).searchParams.get('status')).toBe('FAILURE');
    await page.goto('/midjourney?id=keeper-1');
    await page.getByText('a rope, seen from very near').first().waitFor();
    expect(await page.locator('[data-row-key]').count()).toBe(1);
    await page.goto('/midjourney?id=no-such-task');
    await page
      .getByRole('button', { name: text('common.filter.clear') })
      .first()
      .waitFor();
    await visitor.context.close();
  });

  it('a picture that does not come says so, and keeps its place', async () => {
    const visitor = await visit();
    const { page, context } = visitor;
    await context.route(mediaAddress, (route) => route.abort());
    await page.goto('/midjourney?view=gallery&size=50');
    await page.getByText(text('tasks.picture.broken')).first().waitFor();
    const boxes = await page
      .locator('[data-row-key] > span:first-child')
      .evaluateAll((found) => found.map((box) => Math.abs(box.getBoundingClientRect().width - box.getBoundingClientRect().height)));
    expect(boxes.every((difference) => difference < 1)).toBe(true);
    await visitor.context.close();
  });

  it('is asked again only while something runs, the tab is visible and there is a network', async () => {
    const [id = 0] = await seedTasks(database, { id: 2, username: 'keeper' }, [
      { prompt: 'a net, drying', status: 'IN_PROGRESS', progress: '10%', upstream_id: 'keeper-3' },
    ]);
    const visitor = await visit({}, keeper);
    const { page, context } = visitor;
    let requested = 0;
    page.on('request', (request) => {
      if (new URL(request.url()).pathname === '/api/mj/self') requested += 1;
    });
    await page.clock.install();
    await page.goto('/midjourney');
    const bar = page.getByRole('progressbar');
    await bar.waitFor();
    await settle(page);
    expect(await bar.getAttribute('aria-valuenow')).toBe('10');
    /** Counts polls while the page's clock advances. */
    const requestedMeanwhile = async (): Promise<number> => {
      const before = requested;
      await page.clock.runFor(severalPolls);
      await settle(page);
      return requested - before;
    };
    // A busy machine takes a moment to notice.
    const untilRequested = (when: string) => expect.poll(requestedMeanwhile, { message: when, timeout: 60_000 }).toBeGreaterThan(0);
    await changeTask(database, id, { progress: '80%' });
    await untilRequested('runs');
    await expect.poll(() => bar.getAttribute('aria-valuenow')).toBe('80');

    await setVisibility(page, 'hidden');
    await settle(page);
    expect(await requestedMeanwhile(), 'hidden').toBe(0);
    await setVisibility(page, 'visible');
    await untilRequested('visible again');
    await context.setOffline(true);
    await page.getByText(text('common.freshness.offline'), { exact: true }).first().waitFor();
    expect(await requestedMeanwhile(), 'offline').toBe(0);
    await context.setOffline(false);
    await untilRequested('online again');

    await changeTask(database, id, { status: 'SUCCESS', progress: '100%', finish_time: Date.now() });
    await untilRequested('ends');
    await expect.poll(() => bar.count()).toBe(0);
    expect(await requestedMeanwhile(), 'nothing runs').toBe(0);
    await context.close();
  });

  it('without a network the rows stay readable, with their age', async () => {
    const visitor = await visit({ size: 'phone' });
    const { page, context } = visitor;
    await untilInstalled(page);
    for (const screen of ['/midjourney', '/task?range=month']) {
      await page.goto(screen);
      await settle(page);
    }
    await untilStored(page, 'drawings', 'tasks');
    await context.setOffline(true);
    await page.goto('/midjourney');
    await page.getByText(text('common.freshness.offline'), { exact: true }).first().waitFor();
    await page.getByText('isometric harbour').first().waitFor();
    const [asOf = ''] = text('common.freshness.as_of', { time: '\u0000' }).split('\u0000');
    await page.getByRole('main').getByText(asOf).first().waitFor();
    await shoot(page, 'phone-offline');
    await page.goto('/task?range=month');
    await page.getByText('Turning of the Tide').first().waitFor();
    expect(await page.getByRole('main').getByText(asOf).count()).toBe(1);
    await context.close();
  });

  it('nothing of an upstream is run or loaded but pictures and audio with https', async () => {
    await seedTasks(database, { id: 2, username: 'keeper' }, [
      {
        prompt: '<img src=x onerror="window.hit=1">',
        image_url: 'javascript:window.hit=1',
        upstream_id: 'keeper-4',
        fail_reason: '<b>no</b>',
      },
      {
        platform: 'suno',
        action: 'MUSIC',
        upstream_id: 'keeper-5',
        data: JSON.stringify([
          {
            title: '<script>window.hit=1</script>',
            audio_url: 'data:text/html,x',
            image_url: 'http://insecure.example/a.png',
            image_large_url: 'https://cdn.example/a.png',
            video_url: 'javascript:window.hit=1',
          },
        ]),
      },
    ]);
    const visitor = await visit({}, keeper);
    const { page } = visitor;
    const outside: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(tidegate.url)) outside.push(request.url());
    });
    for (const screen of ['/midjourney?id=keeper-4', '/task?id=keeper-5']) {
      await page.goto(screen);
      await page.locator('[data-row-key]').first().click();
      await page
        .getByRole('complementary')
        .last()
        .getByRole('button', { name: text('tasks.panel.raw') })
        .click();
      await settle(page);
      const links = await page
        .locator('main a, aside a, aside audio, aside img')
        .evaluateAll((found) => found.map((one) => one.getAttribute('href') ?? one.getAttribute('src') ?? ''));
      expect(links.filter((link) => !link.startsWith('/') && !link.startsWith('https:'))).toEqual([]);
    }
    expect(await page.evaluate(() => 'hit' in window)).toBe(false);
    expect(outside).toEqual([]);
    await visitor.context.close();
  });
});

async function setVisibility(page: Page, state: 'hidden' | 'visible'): Promise<void> {
  await page.evaluate((next) => {
    Object.defineProperty(document, 'visibilityState', { value: next, configurable: true });
    Object.defineProperty(document, 'hidden', { value: next === 'hidden', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, state);
}
