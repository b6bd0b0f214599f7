// Limits from their first key stroke to the call that they refuse: set on a phone without a mouse, and for a group of the site.
import { expect, it } from 'vitest';
import { until } from '#tests/support/until.ts';
import { createVisitor, describeInBrowser } from './support/browser.ts';
import { chat, furnish, owner, signInByApi } from './support/furnish.ts';
import { enterByKeys, tabTo } from './support/keys.ts';
import { savePicture } from './support/save-picture.ts';
import { text } from './support/texts.ts';
import { startTidegate } from './support/tidegate.ts';
import { expectSoundScreen, panelOf, settle, signIn } from './support/visit.ts';

interface Row {
  id: number;
  name: string;
  budgets: { amount: number; period: string; at_end: string; time_zone?: string }[];
}

describeInBrowser('limits', () => {
  it('phone, by keyboard: a budget and a rate limit are set with one save, and the second call is refused', async () => {
    await using tidegate = await startTidegate();
    const { api, key } = await furnish(tidegate);
    const row = async () => ((await api.get('/api/token/?p=0&size=20')) as Row[]).find(({ name }) => name === 'Field notebook');
    const page = await enterByKeys(tidegate, { size: 'phone', language: 'en' });
    await page.goto(`/token?open=${(await row())?.id}`);
    await settle(page);

    // From the sheet, which has the focus.
    await page.keyboard.press('Tab');
    await tabTo(page, text('limits.part.limits'));
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: text('limits.budgets.add'), exact: true }).waitFor();
    await tabTo(page, text('limits.budgets.add'));
    await page.keyboard.press('Enter');
    // The amount has the focus: the form begins with it.
    await page.keyboard.type('25');
    await tabTo(page, text('limits.rates.add'));
    await page.keyboard.press('Enter');
    await page.keyboard.type('1');
    await tabTo(page, text('limits.form.meter'));
    await page.keyboard.press('ArrowDown');
    await page.getByRole('option', { name: text('limits.meter.requests_day'), exact: true }).waitFor();
    for (const step of ['ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(step);
    await page.keyboard.press('Control+s');
    await until(async () => (await row())?.budgets.length === 1);
    expect(await row()).toMatchObject({
      budgets: [{ amount: 12_500_000, period: 'month', at_end: 'stop' }],
      rate_limits: [{ meter: 'requests', per: 'day', amount: 1 }],
    });

    expect((await chat(tidegate.url, key, { stream: false })).status).toBe(200);
    await expect(chat(tidegate.url, key, { stream: false })).rejects.toThrow('429');
    await page.reload();
    // The address has the part.
    await panelOf(page, 'phone').getByText(text('limits.level.used_up')).waitFor();
    await page.context().close();
  });

  it('phone, by keyboard: a budget that is used up says so, and a raise for its period lets calls pass', async () => {
    await using tidegate = await startTidegate();
    const { api, key } = await furnish(tidegate);
    const budget = { id: 'm1', amount: 1, period: 'month', starts: 'calendar', at_end: 'stop' };
    const rows = (await api.get('/api/token/?p=0&size=20')) as Row[];
    const id = rows.find(({ name }) => name === 'Field notebook')?.id;
    // Less than any call costs.
    await api.put('/api/token/', { id, budgets: [budget] });
    await until(() =>
      chat(tidegate.url, key, { stream: false }).then(
        () => false,
        (failure: unknown) => String(failure).includes('402'),
      ),
    );
    const page = await enterByKeys(tidegate, { size: 'phone', language: 'en' });
    await page.goto(`/token?open=${id}&part=limits`);
    await settle(page);
    await page.keyboard.press('Tab');
    await tabTo(page, text('limits.period.month'));
    await page.keyboard.press('Enter');
    await tabTo(page, text('limits.raise.action_month'));
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: text('limits.raise.title', { name: text('limits.period.month') }) }).waitFor();
    await page.keyboard.type('5');
    await page.keyboard.press('Enter');
    await page.getByText(text('limits.raise.done', { left: '$5.00' })).waitFor();
    expect((await chat(tidegate.url, key, { stream: false })).status).toBe(200);
    await page.context().close();
  });

  it('desk: 60 requests a minute for each user of a group take three fields', async () => {
    await using tidegate = await startTidegate();
    await furnish(tidegate);
    const api = await signInByApi(tidegate.url, owner);
    const visitor = await createVisitor(tidegate.url, { size: 'desk', scheme: 'dark', language: 'en' });
    const { page } = visitor;
    await signIn(visitor);
    await page.goto('/setting?tab=ratelimit');
    await settle(page);
    await page.getByRole('button', { name: text('limits.rates.add'), exact: true }).click();
    await page.getByRole('button', { name: text('common.action.save'), exact: true }).click();
    await page.getByText(text('limits.problem.amount_required')).waitFor();
    await page.keyboard.type('60');
    await page.getByRole('combobox', { name: text('limits.form.groups'), exact: true }).fill('default');
    await page.keyboard.press('Enter');
    await settle(page);
    await savePicture(visitor, 'site-rate-limit');
    await page.getByRole('button', { name: text('common.action.save'), exact: true }).click();
    const stored = async () =>
      ((await api.get('/api/option/')) as { key: string; value: string }[]).find(({ key }) => key === 'SiteRateLimits')?.value ?? '[]';
    await until(async () => (await stored()) !== '[]');
    expect(JSON.parse(await stored())).toEqual([{ meter: 'requests', per: 'minute', amount: 60, groups: ['default'], counted: 'user' }]);
    await expectSoundScreen(visitor);
    await page.context().close();
  });
});
