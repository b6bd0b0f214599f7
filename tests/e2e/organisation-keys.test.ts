// An organisation by keyboard alone: founded, funded, twenty people invited with a monthly budget, a member changed and removed, the account switched.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createVisitor, describeInBrowser } from './support/browser.ts';
import { type Api, furnish, signInByApi } from './support/furnish.ts';
import { enterByKeys, expectFocus, run, tabTo } from './support/keys.ts';
import { text } from './support/texts.ts';
import { startTidegate, type Tidegate } from './support/tidegate.ts';
import { expectSoundScreen, panelOf, settle, signIn } from './support/visit.ts';

const name = 'Harbour Labs';
const password = 'a password of theirs';
const usd = 500_000;

describeInBrowser('keyboard: organisations', () => {
  // Every stop of the focus is a question to the browser, and a busy machine answers late.
  vi.setConfig({ testTimeout: 180_000 });
  let tidegate: Tidegate;
  let api: Api;
  beforeAll(async () => {
    tidegate = await startTidegate();
    ({ api } = await furnish(tidegate));
  });
  afterAll(() => tidegate.close());

  const press = async (page: Page, key: string) => {
    await tabTo(page, text(key));
    await page.keyboard.press('Enter');
  };

  /** A member with a key. Returns its user id. */
  async function join(organisation: number, username: string, display_name: string): Promise<number> {
    await api.post('/api/user/', { username, password, display_name });
    const invited = (await api.post(`/api/organisation/${organisation}/invites`, { emails: [], role: 'developer' })) as { link: string };
    const self = await signInByApi(tidegate.url, { username, password });
    await self.post('/api/organisation/invite/accept', { token: invited.link.split('#')[1] });
    const acting = await signInByApi(tidegate.url, { username, password }, { 'openai-organization': `org-${organisation}` });
    await acting.post('/api/token/', { name: `${username}-key`, unlimited_quota: true });
    return ((await self.get('/api/user/self')) as { id: number }).id;
  }

  it('is founded, funded and filled; a member is changed and removed, and the account switched', async () => {
    const page = await enterByKeys(tidegate);
    await page.goto('/organisations?show=mine');
    await settle(page);
    await press(page, 'organisations.found.action');
    await expectFocus(page, text('organisations.field.name'));
    await page.keyboard.type(name);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/organisation\/\d+$/);
    const id = Number(page.url().split('/').at(-1));
    await settle(page);

    await press(page, 'organisations.fund.action');
    await expectFocus(page, text('organisations.fund.amount'));
    await page.keyboard.type('50');
    await page.keyboard.press('Enter');
    await page.getByText(text('organisations.fund.done', { amount: '$50.00' })).waitFor();
    expect(await api.get(`/api/organisation/${id}`)).toMatchObject({ quota: 50 * usd });

    await press(page, 'organisations.invite.action');
    await press(page, 'organisations.invite.by_link');
    await tabTo(page, text('organisations.invite.addresses_link'));
    for (let person = 1; person <= 20; person += 1) {
      await page.keyboard.insertText(`person${person}@example.com`);
      await page.keyboard.press('Enter');
    }
    await tabTo(page, text('organisations.invite.budget'));
    await page.keyboard.type('20');
    await page.keyboard.press('Enter');
    await page.getByText(text('organisations.made.title_other', { count: 20 })).waitFor();
    expect(await panelOf(page, 'desk').locator('code').count()).toBe(20);
    const invites = (await api.get(`/api/organisation/${id}/invites`)) as { budgets: unknown[] }[];
    expect(invites).toHaveLength(20);
    for (const invite of invites) expect(invite.budgets).toMatchObject([{ amount: 20 * usd, period: 'month', at_end: 'stop' }]);
    await press(page, 'common.action.done');

    const leaver = await join(id, 'aiko', 'Aiko Tanaka');
    const heir = await join(id, 'tomas', 'Tomás Ruiz');
    await page.reload();
    await settle(page);
    // The founder is the first.
    for (const key of ['j', 'j', 'Enter']) await page.keyboard.press(key);
    await panelOf(page, 'desk').getByText('Aiko Tanaka').first().waitFor();
    await tabTo(page, text('organisations.column.role'));
    await page.keyboard.press('Enter');
    const billing = page.getByRole('option', { name: text('acting.role.billing') });
    await billing.waitFor();
    for (let step = 0; step < 6 && (await billing.getAttribute('data-combobox-selected')) === null; step += 1)
      await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+s');
    const roleOf = async (user: number) => {
      const { items } = (await api.get(`/api/organisation/${id}/members?page_size=50`)) as { items: { user_id: number; role: string }[] };
      return items.find((member) => member.user_id === user)?.role;
    };
    await expect.poll(() => roleOf(leaver)).toBe('billing');

    await settle(page);
    await press(page, 'organisations.member.remove');
    await expectFocus(page, text('organisations.remove.keys'));
    // Esc closes the list alone.
    await page.keyboard.press('ArrowDown');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('option').first().waitFor({ state: 'hidden' });
    await expectFocus(page, text('organisations.remove.keys'));
    await page.keyboard.press('Control+a');
    await page.keyboard.type('Tom');
    await page.getByRole('option', { name: 'Tomás Ruiz' }).waitFor();
    // Chooses: the member stays until a further one.
    await page.keyboard.press('Enter');
    await page.getByRole('option').first().waitFor({ state: 'hidden' });
    expect(await page.getByRole('combobox', { name: text('organisations.remove.keys') }).inputValue()).toBe(
      text('organisations.remove.heir', { name: 'Tomás Ruiz' }),
    );
    expect(await roleOf(leaver)).toBe('billing');
    await page.keyboard.press('Enter');
    await page.getByText(text('organisations.remove.done', { name: 'Aiko Tanaka' })).waitFor();
    const acting = await signInByApi(tidegate.url, { username: 'tomas', password }, { 'openai-organization': `org-${id}` });
    const keys = (await acting.get('/api/token/?p=0')) as { name: string; member_id?: number }[];
    expect(keys.map((key) => key.name).toSorted()).toEqual(['aiko-key', 'tomas-key']);
    expect(await roleOf(heir)).toBe('developer');

    await run(page, text('palette.action.own_account'));
    await page.getByText(text('acting.on_behalf', { name })).waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('a finger chooses to whom keys go, too', async () => {
    const { id } = (await api.post('/api/organisation/', { name: 'Pier', ref: 'the-pier' })) as { id: number };
    const leaver = await join(id, 'priya', 'Priya');
    await join(id, 'sven', 'Sven');
    const visitor = await createVisitor(tidegate.url, { size: 'phone' });
    const { page } = visitor;
    await signIn(visitor);
    await page.goto(`/organisation/${id}?open=${leaver}`);
    await page.getByRole('button', { name: text('organisations.member.remove'), exact: true }).click();
    const dialog = page.getByRole('dialog', { name: text('organisations.remove.title', { name: 'Priya' }) });
    await dialog.getByRole('combobox', { name: text('organisations.remove.keys') }).click();
    await page.getByRole('option', { name: 'Sven' }).click();
    await expectSoundScreen(visitor);
    await dialog.getByRole('button', { name: text('organisations.member.remove'), exact: true }).click();
    await page.getByText(text('organisations.remove.done', { name: 'Priya' })).waitFor();
    const acting = await signInByApi(tidegate.url, { username: 'sven', password }, { 'openai-organization': `org-${id}` });
    expect(((await acting.get('/api/token/?p=0')) as { name: string }[]).map((key) => key.name).toSorted()).toEqual([
      'priya-key',
      'sven-key',
    ]);
    await visitor.context.close();
  });
});
