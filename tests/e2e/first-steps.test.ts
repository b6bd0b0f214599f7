// What a new user does on the first day, as the README tells it: set up, sign in, channel, token, a streamed call, its receipt.
import { expect, it } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import { createVisitor, describeInBrowser } from './support/browser.ts';
import type { Size } from './support/browser.ts';
import { chat, owner, signInByApi } from './support/furnish.ts';
import { text } from './support/texts.ts';
import { startTidegate } from './support/tidegate.ts';
import { expectSoundScreen, openFromMenu, panelOf, settle, signIn } from './support/visit.ts';

describeInBrowser('first steps', () => {
  for (const size of ['desk', 'phone'] as const) {
    it(`${size}: from the set-up wizard to the receipt of a streamed call`, { timeout: 120_000 }, async () => {
      await using tidegate = await startTidegate();
      tidegate.upstream.behave({ text: 'The tide turns at half past six.' });
      const visitor = await createVisitor(tidegate.url, { size });
      const { page, context } = visitor;

      await page.goto('/');
      await page.waitForURL('**/setup');
      await setUp(page);
      await signIn(visitor);
      await openFromMenu(page, size, 'shell.menu.channels');
      await createChannel(page, size, tidegate.upstream.url);
      await openFromMenu(page, size, 'shell.menu.tokens');
      const key = await createToken(page, size);

      const answer = await chat(tidegate.url, key, { stream: true });
      expect(answer.text).toBe('The tide turns at half past six.');
      expect(answer.events).toBeGreaterThan(3);

      await openFromMenu(page, size, 'shell.menu.logs');
      const receipt = await openReceipt(page, size);
      expect(await receipt.getByText('gpt-4o-mini').count()).toBeGreaterThan(0);
      const shown = await amountsOf(receipt, size);
      expect(shown.charged).toBeGreaterThan(0);
      expect(shown.sum).toBe(shown.charged);
      await receipt.getByText(text('common.receipt.adds_up', { unit: 'USD' })).waitFor();

      // What the receipt says was charged is what was charged: to the log, and to the balance.
      const api = await signInByApi(tidegate.url, owner);
      const log = (await api.get('/api/log/self?p=1&page_size=10&type=2')) as { items: { quota: number }[] };
      const self = (await api.get('/api/user/self')) as { used_quota: number };
      expect(log.items).toHaveLength(1);
      expect(log.items[0]?.quota).toBe((shown.charged * 500_000) / 1_000_000);
      expect(self.used_quota).toBe(log.items[0]?.quota);
      await expectSoundScreen(visitor);
      await context.close();
    });
  }
});

async function setUp(page: Page): Promise<void> {
  await page.getByLabel(text('setup.account.username')).fill(owner.username);
  await page.getByLabel(text('setup.account.password'), { exact: true }).fill(owner.password);
  await page.getByLabel(text('setup.account.confirm'), { exact: true }).fill(owner.password);
  await page.getByRole('button', { name: text('setup.submit') }).click();
  await page.waitForURL((url) => url.pathname !== '/setup');
}

async function createChannel(page: Page, size: Size, upstream: string): Promise<void> {
  await page.getByRole('main').getByText(text('channels.action.add')).first().click();
  const panel = panelOf(page, size);
  await panel.getByLabel(text('channels.field.name'), { exact: true }).fill('Harbour mouth');
  await panel.getByLabel(text('channels.base_url.optional')).fill(upstream);
  await panel.getByLabel(text('channels.field.key'), { exact: true }).fill('upstream-key');
  await panel.getByRole('button', { name: text('channels.models.clear'), exact: true }).click();
  await panel.getByLabel(new RegExp(`^${text('channels.field.models')}`)).fill('gpt-4o-mini');
  await page.keyboard.press('Enter');
  await panel.getByRole('button', { name: text('channels.editor.create'), exact: true }).click();
  await page.getByRole('main').getByText('Harbour mouth').first().waitFor();
  // Its record is open now; on a phone it lies over everything.
  await panel.getByRole('button', { name: text('common.action.close'), exact: true }).click();
}

/** The key of a new token, as it is shown once. */
async function createToken(page: Page, size: Size): Promise<string> {
  await page.getByRole('main').getByText(text('tokens.action.create')).first().click();
  const panel = panelOf(page, size);
  await panel.getByLabel(text('tokens.form.name'), { exact: true }).fill('Field notebook');
  await panel.getByLabel(text('tokens.form.unlimited')).check();
  await panel.getByRole('button', { name: text('tokens.action.create'), exact: true }).click();
  const key = await panel.getByText(/^sk-\w{48}$/).innerText();
  await panel.getByRole('button', { name: text('common.action.done'), exact: true }).click();
  return key;
}

async function openReceipt(page: Page, size: Size): Promise<Locator> {
  await settle(page);
  if (size === 'phone') await page.getByRole('main').getByRole('listitem').getByRole('button').first().click();
  else
    await page
      .getByRole('main')
      .getByRole('row')
      .filter({ has: page.getByRole('cell') })
      .filter({ hasText: 'gpt-4o-mini' })
      .first()
      .click();
  const panel = panelOf(page, size);
  await panel.getByText(text('logs.panel.receipt'), { exact: true }).waitFor();
  return panel;
}

/** The amounts of a receipt in millionths of a dollar: its lines added up, and what it says was charged. */
async function amountsOf(receipt: Locator, size: Size): Promise<{ sum: number; charged: number }> {
  const rows = await receipt
    .getByRole('row')
    .evaluateAll((all) => all.map((row) => [row.firstElementChild?.textContent ?? '', row.lastElementChild?.textContent ?? '']));
  const charged = rows.find(([name]) => name === text('common.receipt.charged'))?.[1];
  const subtotal = rows.findIndex(([name]) => name === text('common.receipt.subtotal'));
  if (charged === undefined || subtotal === -1) throw new Error(`No receipt in ${JSON.stringify(rows)}`);
  const lines = size === 'desk' ? rows.slice(1, subtotal) : rows.slice(subtotal, subtotal + 1);
  const corrections = rows.slice(subtotal + 1, -1);
  const sum = [...lines, ...corrections].reduce((total, [, amount]) => total + millionths(amount), 0);
  return { sum, charged: millionths(charged) };
}

function millionths(shown: string | undefined): number {
  const amount = Number(/[\d,.]+/.exec(shown ?? '')?.[0].replaceAll(',', ''));
  if (Number.isNaN(amount)) throw new Error(`No amount: ${shown}`);
  return Math.round(amount * 1_000_000) * (shown?.includes('−') === true ? -1 : 1);
}
