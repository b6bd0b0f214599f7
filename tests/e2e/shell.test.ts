// The frame around every screen: its navigation at each size, what it says of channels, and what stands in it where
// there is nothing to show.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { until } from '#tests/support/until.ts';
import { createVisitor, describeInBrowser, type Visitor } from './support/browser.ts';
import { chat, furnish, type Furnished } from './support/furnish.ts';
import { lookInTurn } from './support/in-turn.ts';
import { text } from './support/texts.ts';
import { startTidegate, type Tidegate } from './support/tidegate.ts';
import { settle, signIn } from './support/visit.ts';

const keeper = { username: 'keeper', password: 'another-lantern' };
const navigation = (page: Page) => page.getByRole('navigation', { name: text('shell.menu.label') });

describeInBrowser('shell', () => {
  it('tablet: a rail of names behind icons; nothing of it can be folded, and no bar stands below', async () => {
    await using tidegate = await startTidegate();
    await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url, { size: 'tablet' });
    await signIn(visitor);
    const { page } = visitor;
    await page.goto('/channel');
    await settle(page);
    const rail = await navigation(page).boundingBox();
    expect(rail).toMatchObject({ x: 0, y: 52, width: 56 });
    const channels = navigation(page).getByRole('link', { name: text('shell.menu.channels'), exact: true });
    expect(await channels.innerText()).toBe('');
    expect(await channels.getAttribute('aria-current')).toBe('page');
    const target = await channels.boundingBox();
    expect(Math.min(target?.width ?? 0, target?.height ?? 0)).toBeGreaterThanOrEqual(44);
    expect(await navigation(page).getByRole('button').count()).toBe(0);
    expect(await navigation(page).count()).toBe(1);
    // Reached by keyboard, the name can be seen.
    await channels.focus();
    await page.getByText(text('shell.menu.channels'), { exact: true }).last().waitFor();
    await visitor.context.close();
  });

  it('tablet: how a channel did stands in the list, and no key is offered to a finger', async () => {
    await using tidegate = await startTidegate();
    await furnish(tidegate);
    for (const isTouched of [true, false]) {
      const visitor = await createVisitor(tidegate.url, { size: isTouched ? 'tablet' : 'desk' });
      await signIn(visitor);
      const { page } = visitor;
      // A tablet of ten inches, upright; and a narrow window of a desk.
      await page.setViewportSize({ width: 834, height: 1112 });
      await page.goto('/channel');
      await settle(page);
      const headings = await page.getByRole('columnheader').filter({ visible: true }).allInnerTexts();
      expect(headings).toEqual(expect.arrayContaining([text('channels.column.calls'), text('channels.column.ok')]));
      expect(headings).not.toContain(text('channels.column.weight'));
      const field = page.getByRole('button', { name: text('shell.find'), exact: true });
      expect(await field.locator('kbd').isVisible()).toBe(!isTouched);
      await visitor.context.close();
    }
  });

  it('on the first of January there are fireworks, and on no other day', async () => {
    await using tidegate = await startTidegate();
    await furnish(tidegate);
    for (const size of ['phone', 'desk'] as const) {
      const visitor = await createVisitor(tidegate.url, { size });
      const { page } = visitor;
      const button = page.getByRole('button', { name: text('shell.new_year') });
      await signIn(visitor);
      await visitor.page.goto('/');
      await settle(page);
      expect(await button.count()).toBe(0);
      await page.clock.setFixedTime(new Date('2027-01-01T09:00:00+08:00'));
      await page.goto('/pricing');
      await button.click();
      await page.locator('[data-fireworks]').waitFor({ state: 'attached' });
      await visitor.context.close();
    }
  });

  it('tablet: filters stand behind one button; rows are 44 and 48 px high', async () => {
    await using tidegate = await startTidegate();
    await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url, { size: 'tablet' });
    await signIn(visitor);
    const { page } = visitor;
    const heights: Record<string, number | undefined> = {};
    for (const screen of ['/channel', '/log']) {
      await page.goto(screen);
      await settle(page);
      expect(await page.getByRole('main').getByRole('combobox').filter({ visible: true }).count(), screen).toBe(
        // The pager's choice of rows.
        1,
      );
      heights[screen] = (
        await page
          .getByRole('row')
          .filter({ has: page.getByRole('cell') })
          .first()
          .boundingBox()
      )?.height;
    }
    expect(Math.round(heights['/channel'] ?? 0)).toBe(48);
    expect(Math.round(heights['/log'] ?? 0)).toBe(44);
    await page.getByRole('button', { name: text('common.filter.open'), exact: true }).click();
    await page.getByRole('dialog').getByLabel(text('logs.filter.model')).waitFor();
    await visitor.context.close();
  });

  it('desk: the sidebar is folded by hand, and stays so on this device', async () => {
    await using tidegate = await startTidegate();
    await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url, { size: 'desk' });
    await signIn(visitor);
    await visitor.page.goto('/');
    const { page } = visitor;
    const width = async () => (await navigation(page).boundingBox())?.width;
    expect(await width()).toBe(196);
    await page.getByRole('button', { name: text('shell.sidebar.collapse') }).click();
    expect(await width()).toBe(56);
    await page.reload();
    await settle(page);
    expect(await width()).toBe(56);
    await page.getByRole('button', { name: text('shell.sidebar.expand') }).click();
    expect(await width()).toBe(196);
    await visitor.context.close();
  });

  it('every size: a channel that was disabled automatically shows in the navigation of administrators alone', async () => {
    await using tidegate = await startTidegate();
    const furnished = await furnish(tidegate);
    await disableAutomatically(tidegate, furnished);
    for (const [size, name] of [
      ['desk', text('shell.menu.with_alarms_one', { name: text('shell.menu.channels'), count: 1 })],
      ['tablet', text('shell.menu.with_alarms_one', { name: text('shell.menu.channels'), count: 1 })],
      ['phone', text('shell.menu.with_channel_alarms_one', { name: text('shell.menu.home_short'), count: 1 })],
    ] as const) {
      const visitor = await createVisitor(tidegate.url, { size });
      await signIn(visitor);
      await visitor.page.goto('/');
      await navigation(visitor.page).getByRole('link', { name, exact: true }).waitFor();
      const main = visitor.page.getByRole('main');
      // At a desk the list of what needs a hand says it, by name.
      const says =
        size === 'desk' ? text('home.todo.channel', { name: 'Harbour mouth' }) : text('home.channels_disabled_one', { count: 1 });
      await main.getByRole('link', { name: says }).click();
      await visitor.page.waitForURL(size === 'desk' ? '**/channel?open=*' : '**/channel?status=auto');
      await main.getByText('Harbour mouth').first().waitFor();
      await visitor.context.close();
    }
    const requested: string[] = [];
    const visitor = await createVisitor(tidegate.url, { size: 'desk' });
    visitor.page.on('request', (request) => requested.push(new URL(request.url()).pathname));
    await signIn(visitor, keeper);
    await visitor.page.goto('/');
    await settle(visitor.page);
    expect(await navigation(visitor.page).innerText()).not.toContain(text('shell.menu.channels'));
    expect(requested.filter((path) => path.startsWith('/api/channel'))).toEqual([]);
    await visitor.context.close();
  });

  it('desk: the alarm goes with the edit that ends it', async () => {
    await using tidegate = await startTidegate();
    const furnished = await furnish(tidegate);
    await disableAutomatically(tidegate, furnished);
    // A channel whose last call failed would still count as failing.
    await furnished.api.get('/api/channel/test');
    await until(async () => JSON.stringify(await furnished.api.get('/api/channel/runs')).includes('"done"'));
    const visitor = await createVisitor(tidegate.url, { size: 'desk' });
    await signIn(visitor);
    const { page } = visitor;
    await page.goto('/channel');
    const channels = text('shell.menu.channels');
    await navigation(page)
      .getByRole('link', { name: text('shell.menu.with_alarms_one', { name: channels, count: 1 }), exact: true })
      .waitFor();
    await page.getByRole('button', { name: text('channels.action.more', { name: 'Harbour mouth' }) }).click();
    await page.getByRole('menuitem', { name: text('channels.action.enable'), exact: true }).click();
    await navigation(page).getByRole('link', { name: channels, exact: true }).waitFor();
    expect(visitor.complaints).toEqual([]);
    await visitor.context.close();
  });

  for (const size of lookInTurn(['phone', 'tablet', 'desk'] as const)) {
    it(`${size}: an address that leads nowhere is said inside the frame`, async () => {
      await using tidegate = await startTidegate();
      await furnish(tidegate);
      const visitor = await createVisitor(tidegate.url, { size });
      await expectNotFound(visitor, '/no/such/page');
      expect(await navigation(visitor.page).count(), 'a guest has no navigation').toBe(0);
      await visitor.page.getByRole('link', { name: text('session.login.link') }).waitFor();
      await signIn(visitor);
      for (const address of ['/no/such/page', '/channels', '/token/12', '/channel/nothing']) {
        await expectNotFound(visitor, address);
        await navigation(visitor.page).getByRole('link').first().waitFor();
      }
      expect(visitor.complaints).toEqual([]);
      await visitor.context.close();
    });
  }

  it('unknown addresses: a document is the console, a call of the API is an honest 404', async () => {
    await using tidegate = await startTidegate();
    const page = await fetch(`${tidegate.url}/no/such/page`, { headers: { accept: 'text/html' } });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const call = await fetch(`${tidegate.url}/api/no/such/call`);
    expect([call.status, call.headers.get('content-type')?.startsWith('application/json')]).toEqual([404, true]);
  });

  it('the chip has a name that says what it is, its state and what it opens', async () => {
    await using tidegate = await startTidegate();
    await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url, { hasServiceWorker: true, size: 'desk' });
    await signIn(visitor);
    const { page, context } = visitor;
    await page.goto('/setting?tab=content');
    await settle(page);
    await page.getByRole('button', { name: 'Data: live. Open details', exact: true }).waitFor();
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Data: offline, under 1 min old. Open details', exact: true }).waitFor();
    // Read aloud is the state, without its age.
    expect(await page.getByRole('banner').getByRole('status').innerText()).toBe('Data: offline');
    await page.getByLabel(text('settings.option.SystemName.label')).fill('Harbour');
    await page.getByRole('button', { name: text('settings.save_offline') }).click();
    await page.getByRole('link', { name: 'Data: offline, under 1 min old, 1 edit waiting. Open outbox', exact: true }).waitFor();
    expect(await page.getByRole('banner').getByRole('status').innerText()).toBe('Data: offline, 1 edit waiting');
    await context.close();
  });
});

async function expectNotFound({ page }: Visitor, address: string): Promise<void> {
  await page.goto(address);
  await page.getByRole('main').getByText(text('frame.not_found.text')).waitFor();
  await page.getByRole('heading', { level: 1, name: text('frame.not_found.title') }).waitFor();
  expect(await page.getByRole('banner').count(), address).toBe(1);
}

/** The provider refuses the key of the channel for good. */
async function disableAutomatically(tidegate: Tidegate, { api, key }: Furnished): Promise<void> {
  await api.put('/api/option/', { key: 'AutomaticDisableChannelEnabled', value: 'true' });
  tidegate.upstream.behave({
    status: 401,
    error: { message: 'Incorrect API key provided', type: 'invalid_request_error', code: 'invalid_api_key' },
  });
  await chat(tidegate.url, key, { stream: false }).catch(() => undefined);
  await until(async () => {
    const summary = await api.get('/api/channel/summary');
    return JSON.stringify(summary).includes('"disabled_by_system":1');
  });
  tidegate.upstream.reset();
}
