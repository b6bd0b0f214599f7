// Days without a mouse: whatever is done here is done with keys, and where the focus is can be seen at each stop.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { describeInBrowser, type VisitorOptions } from './support/browser.ts';
import { type Api, chat, furnish } from './support/furnish.ts';
import { describedBy, enterByKeys, expectFocus, expectRow, run, tabTo } from './support/keys.ts';
import { text } from './support/texts.ts';
import { startTidegate, type Tidegate } from './support/tidegate.ts';
import { panelOf, settle } from './support/visit.ts';

/** Milliseconds: every stop of the focus is a question to the browser, and a busy machine answers late. */
const patience = 120_000;

describeInBrowser('keyboard', () => {
  vi.setConfig({ testTimeout: patience });
  let tidegate: Tidegate;
  let api: Api;
  let key: string;
  beforeAll(async () => {
    tidegate = await startTidegate();
    ({ api, key } = await furnish(tidegate));
  });
  afterAll(() => tidegate.close());

  const enter = (options?: VisitorOptions): Promise<Page> => enterByKeys(tidegate, options);

  it('a key is created and copied, then deleted, and taken back before the message goes', async () => {
    const page = await enter();
    await run(page, text('palette.action.new_token'));
    await expectFocus(page, text('tokens.form.name'));
    await page.keyboard.press('Control+s');
    await expectFocus(page, text('tokens.form.name'));
    expect(await page.locator(':focus').getAttribute('aria-invalid')).toBe('true');
    expect(await describedBy(page)).not.toBe('');
    await page.keyboard.type('Night watch');
    await page.keyboard.press('Control+s');
    await expectFocus(page, text('tokens.action.copy_named', { name: 'Night watch' }));
    await page.keyboard.press('Enter');
    await expectFocus(page, text('common.copy.done'));
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^sk-\w{48}$/);
    await page.keyboard.press('Escape');
    await page.getByRole('complementary').waitFor({ state: 'detached' });
    await page.getByRole('row').filter({ hasText: 'Night watch' }).waitFor();
    // The list is loaded again behind the panel; what is pressed meanwhile may be lost.
    await settle(page);

    await page.keyboard.press('j');
    await expectRow(page, 'Night watch');
    await tabTo(page, text('tokens.action.delete_named', { name: 'Night watch' }));
    await page.keyboard.press('Enter');
    await page.getByText(text('tokens.undo.deleted_one', { name: 'Night watch' })).waitFor();
    // The row that has taken its place.
    await expectRow(page, 'Visitors');
    // Behind everything else on the page, and before the browser's own bar: one step back from its beginning.
    await tabTo(page, text('common.undo.action'), 'Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByText(text('common.undo.done'), { exact: true }).waitFor();
    await page.getByRole('row').filter({ hasText: 'Night watch' }).waitFor();
    // What had the focus before the message.
    await expectFocus(page, text('shell.skip'));
    await page.context().close();
  });

  it('calls are filtered, one is opened and closed again, and the skip link leads past the menu', async () => {
    const page = await enter({ scheme: 'dark' });
    await run(page, text('shell.menu.logs'));
    await page.waitForURL('**/log');
    await settle(page);
    // A screen reader announces the new screen.
    await page.getByRole('status').getByText(text('logs.title')).waitFor({ state: 'attached' });
    await page.keyboard.press('f');
    await tabTo(page, text('logs.filter.model'));
    await page.keyboard.type('gpt-4o-mini');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/log?model=gpt-4o-mini');
    await settle(page);
    await tabTo(page, text('shell.skip'), 'Shift+Tab');
    await page.keyboard.press('Enter');
    expect(await page.locator('main:focus').count()).toBe(1);
    await page.keyboard.press('j');
    await expectRow(page, 'gpt-4o-mini');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.has('open'));
    const panel = panelOf(page, 'desk');
    await panel.waitFor();
    // Into the panel, past the buttons of all rows; back to the row that it shows.
    await page.keyboard.press('Enter');
    await tabTo(page, text('common.panel.next'));
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.get('open') === '2');
    await tabTo(page, text('common.action.close'));
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    await page.locator('tr[data-row-key="2"]:focus').waitFor();
    await page.context().close();
  });

  it('hours of the log are walked and one is opened', async () => {
    // The file may have started in an earlier hour than this test.
    await chat(tidegate.url, key, { stream: false });
    const page = await enter();
    await page.goto('/log');
    await settle(page);
    const hours = page.getByRole('group', { name: text('logs.timeline.label') });
    await hours.getByRole('button').last().waitFor();
    const newest = (await hours.getByRole('button').last().getAttribute('aria-label')) ?? '';
    await page.keyboard.press('j');
    await tabTo(page, newest, 'Shift+Tab');
    // What is reached is said where the picture is named.
    await page.getByRole('figure').getByText(newest).waitFor();
    // There is one stop for all of them.
    await page.keyboard.press('Shift+Tab');
    expect(await hours.locator(':focus').count()).toBe(0);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.get('range') === 'custom');
    await settle(page);
    await page.keyboard.press('j');
    await expectRow(page, 'gpt-4o-mini');
    await page.context().close();
  });

  it('a setting is found, edited and saved from anywhere, and not under a dialog', async () => {
    const page = await enter();
    await run(page, text('shell.menu.settings'));
    await settle(page);
    await page.keyboard.press('/');
    await page.keyboard.type('RetryTimes');
    await tabTo(page, text('settings.option.RetryTimes.label'));
    await page.keyboard.press('Control+a');
    await page.keyboard.type('4');
    await tabTo(page, text('shell.skip'), 'Shift+Tab');
    // Listed where it works.
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: text('common.keys.title') });
    await help.getByText(text('palette.key.save'), { exact: true }).waitFor();
    await page.keyboard.press('Control+s');
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
    await expectFocus(page, text('shell.skip'));
    // Under the dialog nothing was saved.
    await page.getByText(text('editing.unsaved_one', { count: 1 })).waitFor();

    await tabTo(page, text('settings.diff.open'), 'Shift+Tab');
    await page.keyboard.press('Enter');
    const review = panelOf(page, 'desk');
    await review.getByText(text('settings.option.RetryTimes.label')).waitFor();
    await page.keyboard.press('Control+s');
    await page
      .getByRole('status')
      .getByText(text('settings.saved_one', { count: 1 }))
      .waitFor();
    await review.waitFor({ state: 'detached' });
    const options = (await api.get('/api/option/')) as { key: string; value: string }[];
    expect(options.find((option) => option.key === 'RetryTimes')?.value).toBe('4');
    await page.context().close();
  });

  it('a dialog that a row opened by its menu gives the focus back to the menu', async () => {
    const page = await enter();
    await run(page, text('shell.menu.users'));
    await settle(page);
    await page.keyboard.press('j');
    const menu = text('users.action.more', { name: 'keeper' });
    await tabTo(page, menu);
    await page.keyboard.press('Enter');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expectFocus(page, menu);
    await page.context().close();
  });

  it('a question is asked in the playground, stopped, and asked again', async () => {
    const page = await enter();
    tidegate.upstream.behave({ text: 'The tide turns at noon and again at midnight', holdAfter: 4 });
    await run(page, text('shell.menu.playground'));
    await settle(page);
    await tabTo(page, text('playground.ask.label'));
    await page.keyboard.type('When does the tide turn?');
    await page.keyboard.press('Enter');
    const answer = page.getByRole('article').last();
    await answer.getByText('The tide').waitFor();
    // While a field has the focus, ? is a letter.
    expect(await page.getByRole('dialog').count()).toBe(0);
    await tabTo(page, text('playground.ask.stop'));
    await page.keyboard.press('Enter');
    await answer.getByText(text('playground.answer.state.stopped')).waitFor();
    tidegate.upstream.reset();
    tidegate.upstream.behave({ text: 'At noon.' });
    await tabTo(page, text('playground.answer.again'), 'Shift+Tab');
    await page.keyboard.press('Enter');
    await answer.getByText('At noon.').waitFor();
    await page.context().close();
  });
});
