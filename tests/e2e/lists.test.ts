// Features of all lists: a search during an edit, all rows of all pages, collapsible tags, the chart above the log.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createVisitor, describeInBrowser } from './support/browser.ts';
import { channelBody, furnish } from './support/furnish.ts';
import { text } from './support/texts.ts';
import { startTidegate, type Tidegate } from './support/tidegate.ts';
import { expectSoundScreen, panelOf, settle, signIn } from './support/visit.ts';

const shots = process.env['SHOTS'];
const shoot = async (page: Page, name: string) => {
  if (shots !== undefined) await page.screenshot({ path: `${shots}/${name}.png` });
};
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const rowNames = (page: Page) => page.locator('[data-row-key]').allTextContents();
const channelCount = 24;

describeInBrowser('lists', () => {
  let tidegate: Tidegate;
  beforeAll(async () => {
    tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    for (let index = 0; index < channelCount - 2; index += 1) {
      const tag = ['azure', 'cn', ''][index % 3];
      await api.post('/api/channel/', { ...channelBody(tidegate), key: `key-${index}`, name: `quay-${index}`, tag });
      await api.post('/api/token/', { name: `berth-${index}`, remain_quota: 1_000, expired_time: -1 });
    }
  });
  afterAll(() => tidegate.close());

  async function open(path: string): Promise<Page> {
    const visitor = await createVisitor(tidegate.url);
    await signIn(visitor);
    await visitor.page.goto(path);
    await settle(visitor.page);
    return visitor.page;
  }

  it.each(['/channel', '/token', '/log', '/user'])('%s at a desk scrolls within its frame, the page does not', async (path) => {
    const page = await open(path);
    await page.locator('[data-row-key]').first().waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollHeight - document.documentElement.clientHeight)).toBe(0);
  });

  it.each([
    ['/channel', 'quay-3', 'channels.filter.keyword', 'channel.field.name'],
    ['/token', 'berth-3', 'tokens.filter.keyword', 'tokens.field.name'],
  ])('%s: a search beside an edit that is not saved narrows the list, and asks nothing', async (path, name, search, field) => {
    const page = await open(`${path}?size=50`);
    await page.locator('[data-row-key]', { hasText: name }).first().click();
    const edited = panelOf(page, 'desk')
      .getByLabel(new RegExp(`^${text(field)}`))
      .first();
    await edited.fill('half an edit');
    await page.getByRole('searchbox', { name: text(search) }).pressSequentially('-17', { delay: 30 });
    await expect.poll(async () => (await rowNames(page)).length).toBe(1);
    expect(await edited.inputValue()).toBe('half an edit');
    expect(await page.getByRole('alertdialog').count()).toBe(0);
    expect(await page.getByText(text('common.unsaved.title')).count()).toBe(0);
    // Leaving still needs a confirmation.
    await button(page, text('common.action.close')).first().click();
    await page.getByText(text('common.unsaved.title')).waitFor();
    await page.context().close();
  });

  it.each([1101, 1200, 1300])(
    '%i pixels wide: the page size stands at the edge of the list, in the type of its neighbours',
    async (width) => {
      const page = await open('/channel?size=10');
      await page.setViewportSize({ width, height: 800 });
      const size = page.getByRole('combobox', { name: text('common.pager.size') });
      const range = page
        .getByRole('navigation', { name: text('common.pager.label') })
        .getByText(text('common.pager.range', { start: '1', end: '10', total: String(channelCount) }));
      const [box, title] = [await size.boundingBox(), await page.getByRole('heading', { level: 1 }).boundingBox()];
      expect(box?.x).toBe(title?.x);
      const typeOf = (element: Element) => getComputedStyle(element).fontSize;
      expect(await size.evaluate(typeOf)).toBe(await range.evaluate(typeOf));
      const beside = await page.getByRole('button', { name: text('common.pager.next') }).boundingBox();
      expect(box?.height).toBe(beside?.height);
      await page.context().close();
    },
  );

  it('all rows of all pages are ticked at once', async () => {
    const page = await open('/channel?size=10');
    await page.getByRole('checkbox', { name: text('common.list.tick_page') }).check();
    await page
      .getByText(text('common.list.selected_other', { count: 10 }), { exact: true })
      .first()
      .waitFor();
    await shoot(page, 'select-all-desk');
    await button(page, text('common.list.select_all', { total: String(channelCount) })).click();
    await page
      .getByText(text('common.list.selected_other', { count: channelCount }), { exact: true })
      .first()
      .waitFor();
    expect(await button(page, /^Select all/).count()).toBe(0);
    await page.context().close();
  });

  it('tags fold, one by one and all, and stay so', async () => {
    const page = await open('/channel?by=tag&size=50');
    await button(page, text('channels.tag.fold', { name: 'azure' })).click();
    await expect.poll(async () => (await rowNames(page)).some((row) => row.includes('quay-0'))).toBe(false);
    await shoot(page, 'tags-folded-desk');
    await page.reload();
    await settle(page);
    expect((await rowNames(page)).some((row) => row.includes('quay-0'))).toBe(false);
    await button(page, text('channels.tag.fold', { name: text('channels.tag.all') })).click();
    await expect.poll(() => rowNames(page)).toEqual([]);
    await button(page, text('channels.tag.unfold', { name: 'cn' })).click();
    await expect.poll(async () => (await rowNames(page)).some((row) => row.includes('quay-1'))).toBe(true);
    await page.context().close();
  });

  it('the picture above the log stays under every filter, and an hour of it can be pressed', async () => {
    const visitor = await createVisitor(tidegate.url);
    await signIn(visitor);
    const { page } = visitor;
    for (const query of ['', '?model=gpt-4o-mini', '?range=hour', '?type=3', '?range=custom', '?result=failed&range=week']) {
      await page.goto(`/log${query}`);
      await page.getByRole('figure').getByText(text('logs.timeline.now'), { exact: true }).waitFor();
    }
    await page.goto('/log?model=gpt-4o-mini');
    await settle(page);
    await expectSoundScreen(visitor);
    const bars = page.getByRole('group', { name: text('logs.timeline.label') }).getByRole('button');
    // The newest with calls: the hour may have changed since they were made.
    const counts = await bars.evaluateAll((all) => all.map((bar) => Number(/: (\d+),/.exec(bar.ariaLabel ?? '')?.[1])));
    const newest = counts.findLastIndex((calls) => calls > 0);
    expect(counts.reduce((sum, calls) => sum + calls, 0)).toBe(3);
    await bars.nth(newest).click();
    await page.waitForURL((url) => url.searchParams.get('range') === 'custom');
    await settle(page);
    await shoot(page, 'timeline-hour-desk');
    expect(await bars.count()).toBeGreaterThan(0);
    expect((await rowNames(page)).length).toBe(counts[newest]);
    await page.context().close();
  });
});
