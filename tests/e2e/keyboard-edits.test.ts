// Days without a mouse, where something is typed, put off, taken back or closed: the focus stays at hand, and Esc ends the topmost.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { until } from '#tests/support/until.ts';
import { describeInBrowser, type Size } from './support/browser.ts';
import { untilInstalled, untilStored } from './support/device.ts';
import { type Api, furnish, signInByApi } from './support/furnish.ts';
import { lookInTurn } from './support/in-turn.ts';
import { enterByKeys, expectFocus, tabTo } from './support/keys.ts';
import { text } from './support/texts.ts';
import { startTidegate, type Tidegate } from './support/tidegate.ts';
import { panelOf, settle } from './support/visit.ts';

describeInBrowser('keyboard: edits', () => {
  // Every stop of the focus is a question to the browser, and a busy machine answers late.
  vi.setConfig({ testTimeout: 120_000 });
  let tidegate: Tidegate;
  let api: Api;
  beforeAll(async () => {
    tidegate = await startTidegate();
    ({ api } = await furnish(tidegate));
  });
  afterAll(() => tidegate.close());

  const open = async (path: string, size: Size = 'desk'): Promise<Page> => {
    const page = await enterByKeys(tidegate, { size, hasServiceWorker: true });
    await page.goto(path);
    await settle(page);
    return page;
  };

  /** The outbox of a device without a network, with these edits of settings in it. */
  const openWaiting = async (edits: Record<string, string>): Promise<Page> => {
    const page = await open('/setting?tab=content');
    await untilInstalled(page);
    await page.goto('/setting?tab=content');
    await settle(page);
    await untilStored(page, 'options');
    await page.context().setOffline(true);
    for (const [key, value] of Object.entries(edits)) {
      await page.getByLabel(text(`settings.option.${key}.label`)).fill(value);
      await page.keyboard.press('Control+s');
      await page.getByText(text('settings.queued.kept_one', { count: 1 })).waitFor();
    }
    await page.goto('/outbox');
    await page.getByText(text('settings.option.SystemName.label')).first().waitFor();
    return page;
  };

  it('desk: prices are typed over, brought back, reviewed and discarded', async () => {
    const page = await open('/setting?tab=prices', 'desk');
    // Its output has a fixed ratio and moves along.
    const review = text('settings.diff.review_other', { count: 2 });
    const input = `gpt-4o-mini ${text('prices.column.usd.input')}`;
    await tabTo(page, input);
    await page.keyboard.type('0.25');
    await page.keyboard.press('Enter');
    await expectFocus(page, input);
    await page.getByRole('button', { name: review }).waitFor();
    await page.keyboard.type('7');
    await page.keyboard.press('Escape');
    await expectFocus(page, input);
    expect(await page.getByLabel(input, { exact: true }).inputValue()).toBe('0.25');
    await page.keyboard.type('much');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText(text('prices.not_number')).waitFor();
    await expectFocus(page, input);
    expect(await page.getByLabel(input, { exact: true }).inputValue()).toBe('much');
    await page.keyboard.press('Escape');

    await tabTo(page, review, 'Shift+Tab');
    await page.keyboard.press('Enter');
    await panelOf(page, 'desk').getByText('gpt-4o-mini').first().waitFor();
    await page.keyboard.press('Escape');
    await panelOf(page, 'desk').waitFor({ state: 'detached' });
    await expectFocus(page, review);
    await tabTo(page, text('editing.discard'), 'Shift+Tab');
    await page.keyboard.press('Enter');
    await expectFocus(page, text('settings.diff.open'));
    await page.context().close();
  });

  for (const size of lookInTurn(['desk', 'phone'] as const)) {
    it(`${size}: what has the focus is not behind the bar that saves`, async () => {
      const page = await open('/setting?tab=prices', size);
      await tabTo(page, size === 'desk' ? text('prices.tick', { model: 'gpt-4o' }) : 'gpt-4o');
      for (let stop = 0; stop < 40; stop += 1) {
        const covered = await page.evaluate(() => {
          const element = document.activeElement;
          const { left, top, width, height } = element?.getBoundingClientRect() ?? new DOMRect();
          const hit = document.elementFromPoint(left + width / 2, top + height / 2);
          return hit !== null && element?.contains(hit) === false && hit.closest('label')?.contains(element) !== true
            ? `${element.outerHTML.slice(0, 120)} is under ${hit.outerHTML.slice(0, 80)}`
            : undefined;
        });
        expect(covered).toBeUndefined();
        await page.keyboard.press('Tab');
      }
      await page.context().close();
    });
  }

  it('an edit that waits is changed, let be and discarded; a conflict is settled with another value', async () => {
    const page = await openWaiting({ SystemName: 'Harbour office', Footer: 'By the sea' });
    const name = text('settings.option.SystemName.label');
    await tabTo(page, text('outbox.edit'));
    await page.keyboard.press('Enter');
    await expectFocus(page, name);
    await page.keyboard.type(' nowhere');
    await page.keyboard.press('Escape');
    await expectFocus(page, text('outbox.edit'));
    expect(await page.getByText('nowhere').count()).toBe(0);
    await page.keyboard.press('Enter');
    await expectFocus(page, name);
    await page.keyboard.press('End');
    await page.keyboard.type(' 2');
    await page.keyboard.press('Enter');
    await page.getByText('Harbour office 2').waitFor();
    await expectFocus(page, text('outbox.edit'));

    await api.put('/api/option/', { key: 'SystemName', value: 'Lighthouse' });
    await page.context().setOffline(false);
    await page.getByRole('radio').first().waitFor();
    await page.locator('input[type=radio]:checked').focus();
    await page.keyboard.press('ArrowUp');
    await expectFocus(page, text('setting_parts.conflict.other_label', { name }));
    await page.keyboard.type('Pier');
    await page.keyboard.press('Enter');
    await until(async () => (await optionOf(api, 'SystemName')) === 'Pier');
    await until(async () => (await optionOf(api, 'Footer')) === 'By the sea');
    // The last one is deleted: the focus moves to the screen.
    await page.locator('main:focus').waitFor();
    await page.context().close();
  });

  it('the one that comes after an edit that is discarded has the focus', async () => {
    const page = await openWaiting({ SystemName: 'Elsewhere', Footer: 'Elsewhere' });
    await tabTo(page, text('outbox.discard'));
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page
      .locator('li:focus')
      .filter({ hasText: text('settings.option.Footer.label') })
      .waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.context().close();
  });

  it('two models are asked, a question is put in other words or not, and one model closed', async () => {
    const page = await open('/playground');
    tidegate.upstream.behave({ text: 'At noon.' });
    await tabTo(page, text('playground.model.beside'));
    await page.keyboard.press('Enter');
    await tabTo(page, text('playground.model.numbered', { number: 2 }));
    // Passed, it does not cover what is below.
    expect(await page.getByRole('option').count()).toBe(0);
    await tabTo(page, text('playground.ask.label'));
    await page.keyboard.type('When does the tide turn?');
    await tabTo(page, text('playground.ask.send'));
    await page.keyboard.press('Enter');
    await expectFocus(page, text('playground.ask.label'));
    await until(async () => (await page.getByRole('article').getByText('USD').count()) === 2);

    await tabTo(page, text('playground.question.edit'), 'Shift+Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.type('nothing');
    await page.keyboard.press('Escape');
    await page
      .locator('button:focus')
      .and(page.getByRole('button', { name: text('playground.question.edit') }))
      .waitFor();
    expect(await page.getByText('nothing').count()).toBe(0);
    await tabTo(page, text('playground.answer.again'));
    await page.keyboard.press('Enter');
    // Its buttons go while it is written: the focus stays in the conversation.
    await page.getByRole('log').and(page.locator(':focus')).waitFor();
    await until(async () => (await page.getByRole('article').getByText('USD').count()) === 2);
    await tabTo(page, text('playground.model.close', { model: 'gpt-4o' }), 'Shift+Tab');
    await page.keyboard.press('Enter');
    await page
      .getByRole('group', { name: text('playground.model.group') })
      .and(page.locator(':focus'))
      .waitFor();
    await page.context().close();
  });

  it('a conversation is deleted, and the list of them keeps the focus', async () => {
    const page = await open('/playground');
    tidegate.upstream.behave({ text: 'At noon.' });
    await tabTo(page, text('playground.ask.label'));
    await page.keyboard.type('Which tide?');
    await page.keyboard.press('Enter');
    await page.getByRole('article').getByText('USD').waitFor();
    await tabTo(page, text('playground.conversation.all'), 'Shift+Tab');
    await page.keyboard.press('Enter');
    await page.locator('aside:focus').waitFor();
    await tabTo(page, text('playground.conversation.delete', { title: 'Which tide?' }));
    await page.keyboard.press('Enter');
    const question = page.getByRole('dialog');
    await question.waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await question.waitFor({ state: 'detached' });
    await page.locator('aside:focus').waitFor();
    await page.keyboard.press('Escape');
    await expectFocus(page, text('playground.conversation.all'));
    await page.context().close();
  });

  it('views of the log are saved and removed without leaving their sheet', async () => {
    const page = await open('/log');
    await tabTo(page, text('logs.views.title'));
    await page.keyboard.press('Enter');
    await tabTo(page, text('logs.views.name'));
    await page.keyboard.type('Mine');
    await tabTo(page, text('logs.views.save'));
    await page.keyboard.press('Enter');
    await expectFocus(page, text('logs.views.name'));
    await tabTo(page, text('logs.views.remove', { name: 'Mine' }), 'Shift+Tab');
    await page.keyboard.press('Enter');
    await page
      .getByRole('group', { name: text('logs.views.title') })
      .and(page.locator(':focus'))
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel(text('logs.views.name')).waitFor({ state: 'detached' });
    await expectFocus(page, text('logs.views.title'));
    await page.context().close();
  });

  it('invite earnings are moved: all of them after too little, which is not said any more', async () => {
    await api.put('/api/option/', { key: 'QuotaForInviter', value: '2100000' });
    const keeper = { username: 'keeper', password: 'another-lantern' };
    const { aff_code } = (await (await signInByApi(tidegate.url, keeper)).get('/api/user/self')) as { aff_code: string };
    await fetch(`${tidegate.url}/api/user/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'invited', password: 'yet-another-1', aff_code }),
    });
    const page = await enterByKeys(tidegate, {}, keeper);
    await page.goto('/personal');
    await settle(page);
    await tabTo(page, text('account.invite.transfer'));
    await page.keyboard.press('Enter');
    await expectFocus(page, text('account.invite.amount', { amount: '$4.20' }));
    await page.keyboard.press('Control+a');
    await page.keyboard.type('0.5');
    await page.keyboard.press('Enter');
    const refusal = page.getByText(text('account.invite.small', { amount: '$1.00' }), { exact: true });
    await refusal.waitFor();
    await tabTo(page, text('account.invite.all'));
    await page.keyboard.press('Enter');
    await refusal.waitFor({ state: 'detached' });
    await tabTo(page, text('account.invite.confirm', { amount: '$4.20' }));
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByText(text('account.invite.done', { amount: '$4.20' })).waitFor();
    await page.context().close();
  });
});

async function optionOf(api: Api, name: string): Promise<string | undefined> {
  const options = (await api.get('/api/option/')) as { key: string; value: string }[];
  return options.find(({ key }) => key === name)?.value;
}
