// Credit from an administrator: a refund of a call, a change of a balance, and a new user's.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createVisitor, describeInBrowser, type Size, type Visitor } from './support/browser.ts';
import { type Api, chat, furnish, keyOf, signInByApi } from './support/furnish.ts';
import { lookInTurn } from './support/in-turn.ts';
import { text } from './support/texts.ts';
import { startTidegate, type Tidegate } from './support/tidegate.ts';
import { expectSoundScreen, panelOf, settle, signIn } from './support/visit.ts';

interface Row {
  id: number;
  quota: number;
}
type Language = 'zh' | 'en';

const shots = process.env['SHOTS'];
const looks: [Size, Language][] = [
  ['phone', 'zh'],
  ['desk', 'en'],
];
const keeper = { username: 'keeper', password: 'another-lantern' };

describeInBrowser('credit', () => {
  let tidegate: Tidegate;
  let api: Api;
  let key: string;
  beforeAll(async () => {
    tidegate = await startTidegate();
    ({ api } = await furnish(tidegate));
    // Some cents a call.
    await api.put('/api/option/', { key: 'ModelRatio', value: '{"gpt-4o-mini":500}' });
    await api.put('/api/user/', { id: 2, quota_change: 5_000_000 });
    const own = await signInByApi(tidegate.url, keeper);
    key = keyOf(await own.post('/api/token/', { name: 'Night watch', unlimited_quota: true, expired_time: -1 }));
  });
  afterAll(() => tidegate.close());

  async function open(path: string, size: Size, language: Language): Promise<Visitor & { shoot: (name: string) => Promise<void> }> {
    const visitor = await createVisitor(tidegate.url, { size, language });
    const { page } = visitor;
    await signIn(visitor);
    await page.goto(path);
    await settle(page);
    const shoot = async (name: string): Promise<void> => {
      if (shots !== undefined) await page.screenshot({ path: `${shots}/${name}-${size}-${language}.png` });
    };
    return { ...visitor, shoot };
  }
  const dialogOf = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true });
  const balance = async (id: number) => ((await api.get(`/api/user/${id}`)) as { quota: number }).quota;

  async function call(): Promise<Row> {
    await chat(tidegate.url, key, { stream: false });
    const [row] = ((await api.get('/api/log/?type=2&username=keeper')) as { items: Row[] }).items;
    if (row === undefined) throw new Error('no row');
    expect(row.quota).toBeGreaterThan(1000);
    return row;
  }

  it.each(lookInTurn(looks))('%s, %s: a receipt gives back what the call cost, and never more', async (size, language) => {
    const say = (name: string, values = {}) => text(`receipt.refund.${name}`, values, language);
    const row = await call();
    const before = await balance(2);
    const visitor = await open(`/log?open=${row.id}`, size, language);
    const { page, shoot } = visitor;
    const panel = panelOf(page, size);
    await panel.getByRole('button', { name: say('action'), exact: true }).click();
    const dialog = dialogOf(page, say('question'));
    const amount = dialog.getByLabel(say('amount'), { exact: true });
    expect(Number((await amount.inputValue()).replaceAll(/[$,]/g, ''))).toBeCloseTo(row.quota / 500_000, 6);
    await shoot('refund');
    const confirm = dialog.getByRole('button', { name: say('action'), exact: true });
    await confirm.click();
    await dialog.getByText(say('reason_required'), { exact: true }).waitFor();
    await dialog.getByLabel(say('reason'), { exact: true }).fill('The answer was empty');
    await expectSoundScreen(visitor);
    // Another administrator is faster, with a part of it.
    const part = 1000;
    await api.post(`/api/log/${row.id}/refund`, { amount: part, reason: 'A part of it', ref: `part-of-${row.id}` });
    await confirm.click();
    const left = String((row.quota - part) / 500_000);
    await dialog.getByText(say('too_large', { amount: `$${left}` }), { exact: true }).waitFor();
    await shoot('refund-too-large');
    expect(await balance(2)).toBe(before + part);
    await amount.fill(left);
    expect(await dialog.locator('[aria-invalid="true"]').count()).toBe(0);
    await amount.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await panel.getByText('The answer was empty', { exact: true }).waitFor();
    await panel.getByText('A part of it', { exact: true }).waitFor();
    expect(await balance(2)).toBe(before + row.quota);
    // Nothing is left to give.
    expect(await panel.getByRole('button', { name: say('action'), exact: true }).count()).toBe(0);
    await expectSoundScreen(visitor);
    // Whole words at the foot.
    const cut = await panel
      .getByRole('button')
      .evaluateAll((buttons) =>
        buttons.filter((button) => button.scrollWidth > button.clientWidth + 1).map((button) => button.textContent),
      );
    expect(cut).toEqual([]);
    await shoot('refunded');
    // The entry of the log and the call lead to each other.
    await panel
      .getByRole('link', { name: say('row') })
      .last()
      .click();
    await page.waitForURL((url) => url.searchParams.get('open') !== String(row.id));
    await panelOf(page, size)
      .getByRole('link', { name: say('call') })
      .click();
    await page.waitForURL((url) => url.searchParams.get('open') === String(row.id));
    await visitor.context.close();
  });

  it.each(lookInTurn(looks))('%s, %s: credit is added to a balance, with its reason in the history', async (size, language) => {
    const say = (name: string, values = {}) => text(`users.${name}`, values, language);
    const before = await balance(2);
    const visitor = await open('/user/edit/2', size, language);
    const { page, shoot } = visitor;
    const panel = panelOf(page, size);
    await panel.getByRole('button', { name: say('credit.action'), exact: true }).click();
    const dialog = dialogOf(page, say('credit.title', { name: 'keeper' }));
    const confirm = dialog.getByRole('button', { name: say('credit.action'), exact: true });
    await confirm.click();
    await dialog.getByText(say('credit.required'), { exact: true }).waitFor();
    await dialog.getByRole('button', { name: /^\$5(\.00)?$/ }).click();
    const reason = `Paid by bank transfer, ${size}`;
    await dialog.getByLabel(say('balance.reason'), { exact: true }).fill(reason);
    await expectSoundScreen(visitor);
    await shoot('credit');
    await dialog.getByLabel(say('balance.reason'), { exact: true }).press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(await balance(2)).toBe(before + 2_500_000);
    const { items } = (await api.get('/api/user/2/balance_history')) as { items: { amount: number; reason: string }[] };
    expect(items[0]).toMatchObject({ amount: 2_500_000, reason });
    await shoot('credited');
    await expectSoundScreen(visitor);
    await visitor.context.close();
  });

  it.each(lookInTurn(looks))('%s, %s: somebody new begins with a group and a balance', async (size, language) => {
    const say = (name: string, values = {}) => text(`users.${name}`, values, language);
    const username = `pilot-${size}`;
    const visitor = await open('/user', size, language);
    const { page, shoot } = visitor;
    await page
      .getByRole('main')
      .getByRole('button', { name: say('action.add'), exact: true })
      .click();
    const panel = panelOf(page, size);
    await panel.getByLabel(say('field.username'), { exact: true }).fill(username);
    await panel.getByLabel(say('field.password'), { exact: true }).fill('third-lantern');
    await panel.getByRole('combobox', { name: say('field.group'), exact: true }).click();
    await page.getByRole('listbox').getByRole('option', { name: 'vip', exact: true }).click();
    await panel.getByLabel(say('credit.opening'), { exact: true }).fill('2.5');
    await expectSoundScreen(visitor);
    await shoot('new-user');
    await panel.getByRole('button', { name: say('action.create'), exact: true }).click();
    await page.getByRole('main').getByText(username, { exact: true }).first().waitFor();
    const { items } = (await api.get(`/api/user/search?keyword=${username}`)) as { items: { id: number; group: string; quota: number }[] };
    expect(items).toMatchObject([{ group: 'vip', quota: 1_250_000 }]);
    const history = (await api.get(`/api/user/${items[0]?.id}/balance_history`)) as { items: object[] };
    expect(history.items).toMatchObject([{ kind: 'opening', amount: 1_250_000, actor_name: 'harbour' }]);
    await visitor.context.close();
  });
});
