// Prices that are not typed: from a file, and from what the providers ask. Nothing is saved before its changes were looked at.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { until } from '#tests/support/until.ts';
import { createVisitor, describeInBrowser } from './support/browser.ts';
import { channelBody, furnish } from './support/furnish.ts';
import type { Api } from './support/furnish.ts';
import { lookInTurn } from './support/in-turn.ts';
import { text } from './support/texts.ts';
import { startTidegate } from './support/tidegate.ts';
import { expectSoundScreen, panelOf, settle, signIn } from './support/visit.ts';

const mapOf = async (api: Api, key: string): Promise<Record<string, number>> => {
  const options = (await api.get('/api/option/')) as { key: string; value: string }[];
  return JSON.parse(options.find((option) => option.key === key)?.value ?? '{}');
};

describeInBrowser('where prices come from', () => {
  it('desk, tablet: the pager stands at the foot, above the bar that saves, however many rows there are', async () => {
    await using tidegate = await startTidegate();
    await furnish(tidegate);
    for (const size of ['desk', 'tablet'] as const) {
      const visitor = await createVisitor(tidegate.url, { size });
      const { page } = visitor;
      await signIn(visitor);
      await page.goto('/setting?tab=prices');
      await settle(page);
      const gap = async (): Promise<number> => {
        const pager = await page
          .getByRole('navigation', { name: text('common.pager.label') })
          .locator('..')
          .boundingBox();
        const save = await page
          .getByRole('button', { name: text('settings.save'), exact: true })
          .locator('..')
          .boundingBox();
        return Math.round((save?.y ?? 0) - (pager?.y ?? 0) - (pager?.height ?? 0));
      };
      const atFoot = await gap();
      expect(Math.abs(atFoot), `${size}: ten rows`).toBeLessThanOrEqual(16);
      await page.getByPlaceholder(text('prices.search')).fill('gpt-4o-mini-2024');
      await expectSoundScreen(visitor);
      expect(await gap(), `${size}: a few`).toBe(atFoot);
      await page.getByPlaceholder(text('prices.search')).fill('');
      await page.getByLabel(text('common.pager.size')).selectOption('100');
      await page.getByText(/^Items 1 - 100 /).waitFor();
      expect(await gap(), `${size}: a hundred`).toBe(atFoot);
      await visitor.context.close();
    }
  });

  for (const size of lookInTurn(['desk', 'phone'] as const)) {
    it(`${size}: what will be saved stands beside the table, without what stays, and with what it would have cost`, async () => {
      await using tidegate = await startTidegate();
      await furnish(tidegate);
      const visitor = await createVisitor(tidegate.url, { size });
      const { page } = visitor;
      await signIn(visitor);
      await page.goto('/setting?tab=prices');
      await settle(page);
      await page.getByPlaceholder(text('prices.search')).fill('gpt-4o-mini');
      const cell = page.getByLabel(`gpt-4o-mini ${text('prices.column.usd.input')}`, { exact: true });
      expect(await cell.inputValue()).toBe('0.15');
      await cell.fill('0.3');
      await cell.press('Enter');
      await page.getByRole('button', { name: text('settings.diff.open'), exact: true }).click();
      const panel = panelOf(page, size);
      const model = panel.getByRole('region', { name: 'gpt-4o-mini', exact: true });
      await model.waitFor();
      expect(await model.getByRole('listitem').allInnerTexts()).toEqual([
        expect.stringMatching(/^Input\s+0\.15 → 0\.30\s+\+100%$/),
        expect.stringMatching(/^Output\s+0\.60 → 1\.20\s+\+100%$/),
      ]);
      await panel.getByText(text('prices.effect.all')).waitFor();
      await panel.getByText(/\$[\d.]+ → \$[\d.]+/).waitFor();
      expect(await panel.innerText()).not.toMatch(/\d\.\d{7,}/);
      await expectSoundScreen(visitor);
      if (size === 'desk') {
        // Still a table: its cells stand side by side, below their headings.
        const tops = await page
          .locator('[data-row-key="gpt-4o-mini"] input[inputmode]')
          .evaluateAll((inputs) => inputs.map((input) => input.getBoundingClientRect().top));
        expect(tops.length).toBe(10);
        expect(new Set(tops).size).toBe(1);
      }
      await panel.getByRole('button', { name: text('prices.drop', { model: 'gpt-4o-mini' }) }).click();
      await panel.getByText(text('settings.nothing_changed')).waitFor();
      await visitor.context.close();
    });

    it(`${size}: from the catalogue for models without a price, and as a file there and back`, async () => {
      await using tidegate = await startTidegate();
      const { api } = await furnish(tidegate);
      await api.post('/api/channel/', { ...channelBody(tidegate), name: 'Far shore', models: 'gpt-4.1-2025-04-14,nobody-knows-it' });
      // As an operator has them who saved them before the model was there.
      for (const key of ['ModelRatio', 'CacheRatio']) {
        const { 'gpt-4.1-2025-04-14': _later, ...saved } = await mapOf(api, key);
        await api.put('/api/option/', { key, value: JSON.stringify(saved) });
      }
      const visitor = await createVisitor(tidegate.url, { size });
      const { page } = visitor;
      await signIn(visitor);
      await page.goto('/setting?tab=prices');
      await settle(page);
      // A phone shows them where they are asked for.
      if (size === 'phone') await page.getByRole('button', { name: text('prices.tools') }).click();
      const before = await mapOf(api, 'ModelRatio');
      expect(before['gpt-4.1-2025-04-14']).toBeUndefined();
      await page.getByRole('button', { name: text('prices.catalogue.apply') }).click();
      await page.getByText(text('prices.catalogue.filled_one', { count: 1 })).waitFor();
      const cell = page.getByLabel(`gpt-4.1-2025-04-14 ${text('prices.column.usd.input')}`, { exact: true });
      expect(await cell.inputValue()).toBe('2.00');
      // Not under the bar below or the toast above.
      await cell.evaluate((input) => input.scrollIntoView({ block: 'center' }));
      await expectSoundScreen(visitor);

      // Nothing is saved yet.
      expect(await mapOf(api, 'ModelRatio')).toEqual(before);
      await page.getByRole('button', { name: text('settings.save'), exact: true }).click();
      await panelOf(page, size)
        .getByRole('button', { name: /^Save .*change/ })
        .click();
      await until(async () => (await mapOf(api, 'ModelRatio'))['gpt-4.1-2025-04-14'] === 1);
      expect(await mapOf(api, 'ModelRatio')).toEqual({ ...before, 'gpt-4.1-2025-04-14': 1 });
      expect((await mapOf(api, 'CacheRatio'))['gpt-4.1-2025-04-14']).toBe(0.25);
      // What it does not know stays without a price.
      await settle(page);
      await page.getByRole('button', { name: text('prices.catalogue.apply') }).click();
      await page.getByText(text('prices.catalogue.none')).waitFor();

      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: text('prices.file.export') }).click(),
      ]);
      const content = JSON.parse(readFileSync(await file.path(), 'utf8'));
      expect(content.ModelRatio).toEqual(await mapOf(api, 'ModelRatio'));
      const input = page.getByLabel(text('prices.file.import')).and(page.locator('input'));
      const give = (name: string, body: string) => input.setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(body) });
      await give('no.json', '{"ModelRatio":{"gpt-4o":"much"}}');
      await page.getByText(text('prices.file.broken', { name: 'no.json' })).waitFor();
      await give('prices.json', JSON.stringify({ ModelRatio: { ...content.ModelRatio, 'nobody-knows-it': 7, 'gpt-4o': 2 } }));
      // A refused file has left nothing behind: two prices differ.
      await page.getByRole('button', { name: text('settings.save'), exact: true }).click();
      const diff = panelOf(page, size);
      await diff.getByText('nobody-knows-it').first().waitFor();
      expect(await diff.getByText('gpt-4.1-2025-04-14').count()).toBe(0);
      expect(await mapOf(api, 'ModelRatio')).toEqual(content.ModelRatio);
      await expectSoundScreen(visitor);
      await diff.getByRole('button', { name: text('settings.diff.save_other', { count: 5 }) }).click();
      await until(async () => (await mapOf(api, 'ModelRatio'))['nobody-knows-it'] === 7);
      expect(await mapOf(api, 'ModelRatio')).toEqual({ ...content.ModelRatio, 'nobody-knows-it': 7, 'gpt-4o': 2 });
      expect(await mapOf(api, 'ModelPrice')).toEqual(content.ModelPrice);
      await visitor.context.close();
    });
  }
});
