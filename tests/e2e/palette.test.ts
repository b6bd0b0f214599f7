// The command palette: by keyboard and by finger, for each role what it may do, and the list of shortcuts.
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { createVisitor, describeInBrowser } from './support/browser.ts';
import { furnish } from './support/furnish.ts';
import { text } from './support/texts.ts';
import { startTidegate } from './support/tidegate.ts';
import { expectSoundScreen, settle, signIn } from './support/visit.ts';

const keeper = { username: 'keeper', password: 'another-lantern' };

describeInBrowser('palette', () => {
  it('desk: by keyboard alone to a screen, a channel, a call by its request; what was opened comes first', async () => {
    await using tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url);
    const { page } = visitor;
    await signIn(visitor);
    await visitor.page.goto('/');

    await openByKeys(page);
    await page.keyboard.type('usage l');
    await expectChosen(page, text('shell.menu.logs'));
    await page.keyboard.press('Enter');
    await page.waitForURL('**/log');
    expect(await palette(page).count()).toBe(0);

    await openByKeys(page);
    await page.keyboard.type('mouth');
    await option(page, 'Harbour mouth').waitFor();
    await expectSoundScreen(visitor);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/channel/edit/*');
    await settle(page);

    const logs = (await api.get('/api/log/?p=1&page_size=1')) as { items: { id: number; request_id: string; model_name: string }[] };
    const [call] = logs.items;
    await openByKeys(page);
    await page.keyboard.type(call?.request_id ?? '');
    await option(page, new RegExp(`#${call?.id}`)).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname === '/log' && url.searchParams.get('open') === String(call?.id));
    await settle(page);

    await openByKeys(page);
    await page.keyboard.type(`#${call?.id}`);
    await option(page, new RegExp(call?.model_name ?? '')).waitFor();
    await page.keyboard.press('Escape');
    expect(await palette(page).count()).toBe(0);

    await openByKeys(page);
    const recent = palette(page).getByRole('group', { name: text('palette.group.recent') });
    await recent.getByRole('option', { name: /Harbour mouth/ }).waitFor();
    expect(await recent.getByRole('option').allInnerTexts()).toHaveLength(3);
    await visitor.context.close();
  });

  it('desk: keys that are typed before its code is there arrive in it, and are no shortcuts of the list', async () => {
    await using tidegate = await startTidegate();
    await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url);
    const { page } = visitor;
    await signIn(visitor);
    let letIn = (): void => undefined;
    const typedFirst = new Promise<void>((resolve) => {
      letIn = resolve;
    });
    let held = 0;
    await page.route(/\/palette-[^/]*\.js$/, async (route) => {
      held += 1;
      await typedFirst;
      await route.continue();
    });
    await page.goto('/channel');
    await settle(page);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('usage jk');
    expect(held).toBeGreaterThan(0);
    expect(await page.locator('[data-row-key]:focus').count()).toBe(0);
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('l');
    letIn();
    await palette(page).getByRole('combobox').waitFor();
    await page.keyboard.type('o');
    expect(await palette(page).getByRole('combobox').inputValue()).toBe('usage lo');
    await expectChosen(page, text('shell.menu.logs'));
    await visitor.context.close();
  });

  it('desk: Enter that is pressed before its code is there opens what was typed', async () => {
    await using tidegate = await startTidegate();
    await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url);
    const { page } = visitor;
    await signIn(visitor);
    let letIn = (): void => undefined;
    const typedFirst = new Promise<void>((resolve) => {
      letIn = resolve;
    });
    await page.route(/\/palette-[^/]*\.js$/, async (route) => {
      await typedFirst;
      await route.continue();
    });
    await page.goto('/channel');
    await settle(page);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('usage l');
    await page.keyboard.press('Enter');
    letIn();
    await page.waitForURL('**/log');
    expect(await palette(page).count()).toBe(0);
    await visitor.context.close();
  });

  it('desk: a channel is disabled where one is, and put back, by keyboard alone', async () => {
    await using tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url);
    const { page } = visitor;
    await signIn(visitor);
    await visitor.page.goto('/');
    const statusOf = async () => ((await api.get('/api/channel/1')) as { status: number }).status;

    await openByKeys(page);
    await page.keyboard.type('mouth');
    await expectChosen(page, 'Harbour mouth');
    await page.keyboard.press('ArrowRight');
    await expectChosen(page, text('palette.record.test', { name: 'Harbour mouth' }));
    await expectSoundScreen(visitor);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page
      .getByText(text('palette.told.disabled', { name: 'Harbour mouth' }))
      .first()
      .waitFor();
    expect(await statusOf()).toBe(2);
    await page.keyboard.press('Control+z');
    await page.getByText(text('common.undo.done')).first().waitFor();
    expect(await statusOf()).toBe(1);
    await visitor.context.close();
  });

  it('desk: actions change the language and the theme, lead to a new token, and sign out', async () => {
    await using tidegate = await startTidegate();
    await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url);
    const { page } = visitor;
    await signIn(visitor);
    await visitor.page.goto('/');

    await runByWords(page, '> dark');
    await page.locator('[data-mantine-color-scheme=dark]').waitFor();
    await runByWords(page, '>中文');
    await page.locator('html[lang=zh-CN]').waitFor();
    await page.getByRole('button', { name: text('shell.find', {}, 'zh') }).waitFor();
    await runByWords(page, '创建令牌');
    await page.waitForURL('**/token?open=new');
    await settle(page);
    // An untouched form is left without a question.
    await runByWords(page, '退出');
    await page.waitForURL('**/login');
    expect(await page.getByRole('combobox').count()).toBe(0);
    await visitor.context.close();
  });

  it('phone: whoever is no administrator is offered no screen, action or record of theirs', async () => {
    await using tidegate = await startTidegate();
    await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url, { size: 'phone', scheme: 'dark' });
    const { page } = visitor;
    await signIn(visitor, keeper);
    await visitor.page.goto('/');
    const requested: string[] = [];
    page.on('request', (request) => requested.push(new URL(request.url()).pathname));

    await page.getByRole('button', { name: text('shell.find_short') }).tap();
    await palette(page).waitFor();
    const offered = (await palette(page).getByRole('option').allInnerTexts()).join('\n');
    for (const screen of ['channels', 'redemptions', 'users', 'settings']) expect(offered).not.toContain(text(`shell.menu.${screen}`));
    for (const action of ['new_channel', 'new_codes', 'new_user']) expect(offered).not.toContain(text(`palette.action.${action}`));
    expect(offered).toContain(text('shell.menu.wallet'));
    await expectSoundScreen(visitor);

    await page.keyboard.type('Harbour');
    await palette(page).getByText(text('palette.nothing')).waitFor();
    expect(requested.filter((path) => /^\/api\/(channel|user)\/(search|\d)/.test(path))).toEqual([]);
    await palette(page).getByRole('combobox').fill('wallet');
    await option(page, text('shell.menu.wallet')).tap();
    await page.waitForURL('**/topup');
    await visitor.context.close();
  });

  it('desk: what an administrator opened is not remembered for the next account, nor without a network found', async () => {
    await using tidegate = await startTidegate();
    await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url, { hasServiceWorker: true });
    const { page, context } = visitor;
    await signIn(visitor);
    await visitor.page.goto('/');
    await runByWords(page, 'mouth');
    await page.waitForURL('**/channel/edit/*');
    await settle(page);
    await runByWords(page, '> sign out');
    await page.waitForURL('**/login');
    await signIn(visitor, keeper);
    await visitor.page.goto('/');
    await openByKeys(page);
    expect(await palette(page).innerText()).not.toContain('Harbour mouth');

    await context.setOffline(true);
    await page.keyboard.type('to');
    await palette(page).getByText(text('palette.offline')).waitFor();
    await option(page, text('shell.menu.tokens')).waitFor();
    await context.close();
  });

  it('desk: ? lists the keys of the screen that is open, and does nothing while somebody types', async () => {
    await using tidegate = await startTidegate();
    await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url);
    const { page } = visitor;
    await signIn(visitor);
    await visitor.page.goto('/');
    await page.goto('/token');
    await settle(page);
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: text('common.keys.title') });
    await help.getByText(text('common.keys.tick'), { exact: true }).waitFor();
    await help.getByText(text('palette.key.open')).waitFor();
    expect(await help.getByText(text('palette.key.search')).count()).toBe(0);
    await expectSoundScreen(visitor);
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });

    await page.goto('/setting');
    await settle(page);
    await page.keyboard.press('?');
    await help.getByText(text('palette.key.search')).waitFor();
    expect(await help.getByText(text('common.keys.tick'), { exact: true }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.keyboard.press('/');
    await page.keyboard.type('?');
    expect(await help.count()).toBe(0);
    await visitor.context.close();
  });
});

function palette(page: Page): Locator {
  return page.getByRole('dialog', { name: /^(Go to, find or do|前往、查找或执行)$/ });
}

function option(page: Page, name: string | RegExp): Locator {
  return palette(page).getByRole('option', { name }).first();
}

async function openByKeys(page: Page): Promise<void> {
  // The frame handles keys once it is rendered.
  await page.getByRole('button', { name: /^(Go to, find a record|前往页面)/ }).waitFor();
  await page.keyboard.press('Control+k');
  await palette(page).getByRole('combobox').waitFor();
}

async function expectChosen(page: Page, name: string): Promise<void> {
  await palette(page).getByRole('option', { selected: true }).filter({ hasText: name }).waitFor();
}

/** Types, waits until something fits, and takes the first. */
async function runByWords(page: Page, words: string): Promise<void> {
  await openByKeys(page);
  await page.keyboard.type(words);
  await palette(page)
    .getByRole('option', { selected: true })
    .filter({ hasText: words.replace(/^> ?/, '').split(' ')[0] ?? '' })
    .waitFor();
  await page.keyboard.press('Enter');
}
