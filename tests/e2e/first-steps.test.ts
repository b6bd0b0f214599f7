// What a first-time administrator does, without any documentation: set up, channel, token, the call that was copied, its receipt.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import { startFakeUpstream } from '#tests/support/fake-upstream.ts';
import { createVisitor, describeInBrowser, type Size } from './support/browser.ts';
import { furnish, owner, signInByApi } from './support/furnish.ts';
import { lookInTurn } from './support/in-turn.ts';
import { text } from './support/texts.ts';
import { startTidegate } from './support/tidegate.ts';
import { expectSoundScreen, panelOf, signIn } from './support/visit.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');

describeInBrowser('first steps', () => {
  for (const size of lookInTurn(['desk', 'phone'] as const)) {
    it(`${size}: from the set-up wizard through channel and token to the first call and its receipt`, async () => {
      await using tidegate = await startTidegate();
      tidegate.upstream.behave({ text: 'The tide turns at half past six.' });
      const visitor = await createVisitor(tidegate.url, { size });
      const { page, context } = visitor;
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);

      await page.goto('/');
      await page.waitForURL('**/setup');
      await setUp(page);
      // No sign-in in between: the guide is open, and its first step is the one to do.
      await page.waitForURL('**/first-call');
      await page.getByText(text('guide.steps_done', { done: 0, of: 3 })).waitFor();
      await expectSoundScreen(visitor);
      await page.getByRole('link', { name: text('guide.channel.add') }).click();
      await createChannel(page, size, tidegate.upstream.url);
      await page.waitForURL('**/first-call');
      // It was tested as it is before it was saved, and the next step has the focus.
      await page.getByText(new RegExp(text('guide.channel.tested_with', { model: '.+', time: '.+' }))).waitFor();
      await page.locator('h2:focus', { hasText: `2 · ${text('guide.token.name')}` }).waitFor();
      await page.getByRole('button', { name: text('guide.token.create') }).click();
      await page.getByText(text('guide.arrival.waiting')).waitFor();
      await page.locator('h2:focus', { hasText: `3 · ${text('guide.call.name')}` }).waitFor();
      await page
        .getByText(text('guide.arrival.listening_here', { host: new URL(tidegate.url).host, time: '' }).split('.')[0] ?? '')
        .waitFor();
      await page.getByText(text('guide.steps_done', { done: 2, of: 3 })).waitFor();
      await expectSoundScreen(visitor);

      // What is copied is run as it is; on the screen the key is masked.
      const curl = await copied(page, 'curl');
      const key = /sk-\w{48}/.exec(curl)?.[0] ?? '';
      expect(key).not.toBe('');
      expect(await page.getByRole('region', { name: 'curl' }).innerText()).not.toContain(key);
      expect(curl).toContain(`${tidegate.url}/v1/chat/completions`);
      const { stdout } = await run('bash', ['-c', curl.replace(/^curl/, 'curl -sS')]);
      expect(JSON.parse(stdout).choices[0].message.content).toBe('The tide turns at half past six.');
      await page.getByRole('heading', { name: text('guide.arrival.done') }).waitFor();
      await page.getByText(text('guide.steps_done', { done: 3, of: 3 })).waitFor();
      await expectSoundScreen(visitor);

      const node = await copied(page, 'Node');
      const sdk = await run(process.execPath, ['--input-type=module', '-e', node], { cwd: root });
      expect(sdk.stdout.trim()).toBe('The tide turns at half past six.');

      await page.getByRole('link', { name: text('guide.arrival.receipt') }).click();
      const receipt = panelOf(page, size);
      await receipt.getByText(text('receipt.receipt'), { exact: true }).waitFor();
      expect(await receipt.getByText('gpt-4o-mini').count()).toBeGreaterThan(0);
      const shown = await amountsOf(receipt, size);
      expect(shown.charged).toBeGreaterThan(0);
      expect(shown.sum).toBe(shown.charged);
      await receipt.getByText(text('common.receipt.adds_up', { unit: 'USD' })).waitFor();

      // What the receipt says was charged is what was charged: to the log, and to the balance.
      const api = await signInByApi(tidegate.url, owner);
      const log = (await api.get('/api/log/self?p=1&page_size=10&type=2')) as { items: { quota: number; token_id: number }[] };
      const self = (await api.get('/api/user/self')) as { used_quota: number };
      // The test of the channel has a row too; it was not charged.
      const calls = log.items.filter((item) => item.token_id !== 0);
      expect(calls).toHaveLength(2);
      for (const call of calls) expect(call.quota).toBe((shown.charged * 500_000) / 1_000_000);
      expect(self.used_quota).toBe(calls.reduce((sum, call) => sum + call.quota, 0));
      await expectSoundScreen(visitor);
      await context.close();
    });

    it(`${size}: the name of a model that is longer than the form is wide leaves the form as it is`, async () => {
      await using tidegate = await startTidegate();
      await furnish(tidegate);
      const name = `harbour-${'of-the-long-breakwater-'.repeat(4)}preview`;
      const upstream = await startFakeUpstream({ models: ['gpt-4o', name] });
      const visitor = await createVisitor(tidegate.url, { size });
      const { page } = visitor;
      await signIn(visitor);
      await page.goto('/channel/add');
      const panel = panelOf(page, size);
      await panel.getByLabel(text('channel.field.name'), { exact: true }).fill('Harbour mouth');
      await panel.getByLabel(text('channel.base_url.optional')).fill(upstream.url);
      await panel.getByLabel(text('channel.field.key'), { exact: true }).fill('upstream-key');
      await panel.getByRole('button', { name: text('channel.provider.ask') }).click();
      await panel.getByText(text('channel.provider.found', { count: 2 })).waitFor();
      expect(await panel.getByText(name).count()).toBeGreaterThan(1);
      const edge = page.viewportSize()?.width ?? 0;
      const ends = await panel
        .locator('input, textarea, button, legend')
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().right));
      expect(Math.max(...ends)).toBeLessThanOrEqual(edge);
      // Nor does a key's long form, which stands above its field.
      await panel.getByLabel(text('channel.field.key'), { exact: true }).fill('');
      const type = panel.getByLabel(text('channel.field.type'), { exact: true });
      await type.click();
      await type.fill('AWS');
      await page.getByRole('option', { name: 'AWS Bedrock' }).click();
      const field = await panel.getByText(text('channel.key_hint.aws')).boundingBox();
      expect((field?.x ?? 0) + (field?.width ?? edge)).toBeLessThanOrEqual(edge);
      await visitor.context.close();
      await upstream.close();
    });
  }
});

/** What the clipboard holds after Copy. */
async function copied(page: Page, kind: string): Promise<string> {
  await page.getByRole('button', { name: kind, exact: true }).click();
  await page.getByRole('button', { name: text('guide.snippet.copy'), exact: true }).click();
  await page.getByRole('button', { name: text('common.copy.done'), exact: true }).waitFor();
  const code = await page.evaluate(() => navigator.clipboard.readText());
  await page.getByRole('button', { name: text('guide.snippet.copy'), exact: true }).waitFor();
  return code;
}

async function setUp(page: Page): Promise<void> {
  await page.getByLabel(text('setup.account.username')).fill(owner.username);
  await page.getByLabel(text('setup.account.password'), { exact: true }).fill(owner.password);
  await page.getByLabel(text('setup.account.confirm'), { exact: true }).fill(owner.password);
  await page.getByRole('button', { name: text('setup.submit') }).click();
}

async function createChannel(page: Page, size: Size, upstream: string): Promise<void> {
  const panel = panelOf(page, size);
  await panel.getByLabel(text('channel.field.name'), { exact: true }).fill('Harbour mouth');
  await panel.getByLabel(text('channel.base_url.optional')).fill(upstream);
  await panel.getByLabel(text('channel.field.key'), { exact: true }).fill('upstream-key');
  // The provider says what it has; what the form was filled with goes without a word.
  await panel.getByRole('button', { name: text('channel.provider.ask') }).click();
  await panel.getByText(text('channel.provider.found', { count: 3 })).waitFor();
  expect(await panel.getByText(/\u2212/).count()).toBe(0);
  // What is ticked counts without a further press.
  await panel.getByRole('button', { name: text('channel.editor.create'), exact: true }).click();
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
