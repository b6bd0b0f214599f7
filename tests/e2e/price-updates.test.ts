// Price changes of a catalogue: seen from Home, reviewed, applied, planned, and found again among a model's earlier prices.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { until } from '#tests/support/until.ts';
import { createVisitor, describeInBrowser } from './support/browser.ts';
import { type Api, furnish } from './support/furnish.ts';
import { seedPrices } from './support/seed-prices.ts';
import { text } from './support/texts.ts';
import { startTidegate } from './support/tidegate.ts';
import { expectSoundScreen, panelOf, settle, signIn } from './support/visit.ts';

const ratios = { 'deepseek-chat': 0.14, 'deepseek-reasoner': 0.14, 'claude-3-5-haiku': 0.4, 'gpt-4o-mini': 0.075 };

const ratioOf = async (api: Api, model: string): Promise<number | undefined> => {
  const options = (await api.get('/api/option/')) as { key: string; value: string }[];
  return JSON.parse(options.find(({ key }) => key === 'ModelRatio')?.value ?? '{}')[model];
};

describeInBrowser('price updates', () => {
  it.each(['desk', 'phone'] as const)(
    '%s: a change is reviewed and applied, a guarded one after a confirmation, and is in the history',
    async (size) => {
      const folder = await mkdtemp(path.join(tmpdir(), 'tidegate-prices-'));
      const url = `file:${path.join(folder, 'tidegate.db')}`;
      const tidegate = await startTidegate({ env: { DATABASE_URL: url } });
      const { api } = await furnish(tidegate);
      await api.put('/api/option/', { key: 'ModelRatio', value: JSON.stringify(ratios) });
      await seedPrices(url);
      const visitor = await createVisitor(tidegate.url, { size });
      const { page } = visitor;
      await signIn(visitor);
      await page.goto('/');
      await page.getByText(text('home.todo.price_reviews_other', { count: 4 })).click();
      await page.waitForURL(/price-updates/);
      await settle(page);
      await expectSoundScreen(visitor);

      await page.getByText('deepseek-chat', { exact: true }).click();
      const panel = panelOf(page, size);
      await panel.getByText(text('price-lines.history.title')).waitFor();
      await settle(page);
      await expectSoundScreen(visitor);
      await panel.getByRole('button', { name: text('price-updates.action.apply'), exact: true }).click();
      await until(async () => (await ratioOf(api, 'deepseek-chat')) === 0.15);

      await page.getByText('claude-3-5-haiku', { exact: true }).click();
      await panel.getByText(text('price-updates.guard_why.moved')).waitFor();
      await panel.getByRole('button', { name: text('price-updates.action.apply'), exact: true }).click();
      const dialog = page.getByRole('dialog').last();
      await dialog.getByText(text('price-updates.confirm.title_one', { count: 1 })).waitFor();
      expect(await ratioOf(api, 'claude-3-5-haiku')).toBe(0.4);
      await dialog.getByRole('button', { name: text('price-updates.action.apply'), exact: true }).click();
      await until(async () => (await ratioOf(api, 'claude-3-5-haiku')) === 0.5);

      await page.goto('/setting?tab=prices');
      if (size === 'desk')
        await page.getByRole('button', { name: text('prices.history', { model: 'claude-3-5-haiku' }), exact: true }).click();
      else {
        await page.getByRole('searchbox').fill('claude-3-5-haiku');
        await page.getByRole('listitem').getByRole('button', { name: 'claude-3-5-haiku', exact: true }).click();
        await page.getByRole('button', { name: text('price-lines.history.title') }).click();
      }
      await page.getByText('models.dev', { exact: false }).first().waitFor();
      await settle(page);
      await expectSoundScreen(visitor);
      await visitor.context.close();
      await tidegate.close();
      await rm(folder, { recursive: true, force: true });
    },
  );
});
