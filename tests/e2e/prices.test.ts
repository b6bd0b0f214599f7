// Prices that are not typed: from a file, and from the providers' price lists. Changes are reviewed before they are saved.
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { until } from '#tests/support/until.ts';
import { createVisitor, describeInBrowser, type Size } from './support/browser.ts';
import { type Api, channelBody, furnish } from './support/furnish.ts';
import { lookInTurn } from './support/in-turn.ts';
import { text } from './support/texts.ts';
import { startTidegate } from './support/tidegate.ts';
import { expectSoundScreen, panelOf, settle, signIn } from './support/visit.ts';

const mapOf = async (api: Api, key: string): Promise<Record<string, number>> => {
  const options = (await api.get('/api/option/')) as { key: string; value: string }[];
  return JSON.parse(options.find((option) => option.key === key)?.value ?? '{}');
};

const reviewButton = (page: Page, count: number) =>
  page.getByRole('button', { name: text(`settings.diff.review_${count === 1 ? 'one' : 'other'}`, { count }), exact: true }).last();

/** A desk has its prices in a row; a phone and a tablet have them in a sheet. */
async function openModel(page: Page, size: Size, model: string): Promise<void> {
  if (size !== 'desk') await page.getByRole('listitem').getByRole('button', { name: model, exact: true }).click();
}

describeInBrowser('prices as a table', () => {
  it('desk: rows of 36 px at every width, with eleven prices each, and nothing beyond the edge', async () => {
    await using tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    // One with a price per second, one with a name that exceeds every column, one unknown model.
    const models = `sora-2,claude-haiku-4-5,${'a-very-long-name-of-a-model-'.repeat(4)},nobody-knows-it`;
    await api.post('/api/channel/', { ...channelBody(tidegate), name: 'Far shore', models });
    const visitor = await createVisitor(tidegate.url, { size: 'desk' });
    const { page } = visitor;
    await signIn(visitor);
    for (const width of [1101, 1280, 1440, 1920, 2200]) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto('/setting?tab=prices');
      await settle(page);
      await page.locator('[data-row-key="sora-2"]').waitFor();
      const seen = await page.locator('[data-row-key]').evaluateAll((rows) => ({
        heights: [...new Set(rows.map((row) => row.getBoundingClientRect().height))],
        prices: [
          ...new Set(rows.map((row) => [...row.querySelectorAll('input[inputmode]')].filter((cell) => cell.checkVisibility()).length)),
        ],
      }));
      expect(seen, String(width)).toEqual({ heights: [36], prices: [11] });
      const beyond = await page.getByRole('main').evaluate((main) => {
        const ends = [...main.querySelectorAll('[data-row-key] *')].map((part) => part.getBoundingClientRect().right);
        return Math.max(...ends) - main.getBoundingClientRect().right;
      });
      expect(beyond, String(width)).toBeLessThanOrEqual(0);
    }
    // What has a price of any kind is not without one; Home counts the same models.
    const unpriced = await page.getByRole('button', { name: /^No price \d+$/ }).innerText();
    expect(unpriced).toBe(text('prices.show.unpriced', { count: 2 }));
    await page.goto('/');
    await page.getByText(text('home.todo.unpriced_other', { count: 2 })).waitFor();
    await visitor.context.close();
  });

  it('desk: the edited cell alone changes, and Review is the only way to save', async () => {
    await using tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    await api.post('/api/channel/', { ...channelBody(tidegate), name: 'Far shore', models: 'claude-haiku-4-5,gpt-5-mini' });
    const visitor = await createVisitor(tidegate.url, { size: 'desk' });
    const { page } = visitor;
    await signIn(visitor);
    await page.goto('/setting?tab=prices');
    await settle(page);
    for (const [index, model] of ['claude-haiku-4-5', 'gpt-5-mini'].entries()) {
      const cells = page.locator(`[data-row-key="${model}"] input[inputmode]`);
      const shown = () => cells.evaluateAll((inputs) => inputs.map((input) => (input instanceof HTMLInputElement ? input.value : '')));
      await cells.first().waitFor();
      const before = await shown();
      await cells.first().fill('4');
      await page.keyboard.press('Tab');
      await reviewButton(page, index + 1).waitFor();
      await page.getByPlaceholder(text('prices.search')).focus();
      expect(await shown()).toEqual(before.with(0, '4.00'));
    }
    expect(await page.getByRole('button', { name: /^Save/ }).count()).toBe(0);
    const saved = await mapOf(api, 'ModelRatio');
    // The key that saves shows the changes first, too.
    await page.keyboard.press('Control+s');
    const panel = panelOf(page, 'desk');
    await panel.getByRole('region', { name: 'gpt-5-mini' }).waitFor();
    expect(await mapOf(api, 'ModelRatio')).toEqual(saved);
    await panel.getByRole('button', { name: text('settings.diff.save_other', { count: 2 }) }).click();
    await until(async () => (await mapOf(api, 'ModelRatio'))['gpt-5-mini'] === 2);
    expect((await mapOf(api, 'CompletionRatio'))['claude-haiku-4-5']).toBe(1.25);
    await visitor.context.close();
  });

  for (const size of lookInTurn(['phone', 'tablet'] as const)) {
    it(`${size}: a model opens its sheet with what is set, and further prices are added there`, async () => {
      await using tidegate = await startTidegate();
      const { api } = await furnish(tidegate);
      await api.post('/api/channel/', { ...channelBody(tidegate), name: 'Far shore', models: 'claude-haiku-4-5' });
      const visitor = await createVisitor(tidegate.url, { size });
      const { page } = visitor;
      await signIn(visitor);
      await page.goto('/setting?tab=prices');
      await settle(page);
      const card = page.locator('[data-row-key="claude-haiku-4-5"]');
      expect(await card.innerText()).toMatch(/1\.00\s*\/\s*5\.00/);
      expect(await page.locator('[data-row-key] input').count()).toBe(0);
      await openModel(page, size, 'claude-haiku-4-5');
      const sheet = page.getByRole('dialog', { name: 'claude-haiku-4-5' });
      expect(await sheet.getByRole('textbox').count()).toBe(5);
      await sheet.getByLabel(`claude-haiku-4-5 ${text('prices.column.usd.output')}`).fill('6');
      await sheet.getByRole('button', { name: text('prices.add_group', { group: text('prices.group.image') }) }).click();
      await sheet.getByLabel(`claude-haiku-4-5 ${text('prices.column.usd.seen')}`).fill('2');
      await sheet.getByRole('button', { name: text('prices.done') }).click();
      expect(await card.innerText()).toMatch(/1\.00\s*\/\s*6\.00/);
      expect(await card.innerText()).toContain(text('prices.not_saved'));
      await expectSoundScreen(visitor);
      await reviewButton(page, 2).click();
      await panelOf(page, size)
        .getByRole('button', { name: text('settings.diff.save_other', { count: 2 }) })
        .click();
      await until(async () => (await mapOf(api, 'ImageRatio'))['claude-haiku-4-5'] === 2);
      expect((await mapOf(api, 'CompletionRatio'))['claude-haiku-4-5']).toBe(6);
      await visitor.context.close();
    });
  }
});

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
      // A desk reviews at the head of the screen.
      const foot =
        size === 'desk'
          ? page.getByRole('main')
          : page
              .getByRole('contentinfo')
              .or(page.locator('footer'))
              .filter({ has: page.getByRole('button', { name: text('settings.diff.open'), exact: true }) })
              .first();
      const gap = async (): Promise<number> => {
        const pager = await page
          .getByRole('navigation', { name: text('common.pager.label') })
          .locator('..')
          .boundingBox();
        const below = await foot.boundingBox();
        const edge = size === 'desk' ? (below?.y ?? 0) + (below?.height ?? 0) : (below?.y ?? 0);
        return Math.round(edge - (pager?.y ?? 0) - (pager?.height ?? 0));
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
      await openModel(page, size, 'gpt-4o-mini');
      const cell = page.getByLabel(`gpt-4o-mini ${text('prices.column.usd.input')}`, { exact: true });
      expect(await cell.inputValue()).toBe('0.15');
      await cell.fill('0.3');
      await cell.press('Enter');
      // Its output has a fixed ratio: it is the one price that moves along.
      await reviewButton(page, 2).click();
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
        expect(tops.length).toBe(11);
        // Pictures leave for the panel.
        expect(new Set(tops.filter((top) => top > 0)).size).toBe(1);
        expect(tops.filter((top) => top > 0).length).toBe(9);
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
      const before = await mapOf(api, 'ModelRatio');
      expect(before['gpt-4.1-2025-04-14']).toBeUndefined();
      // A phone has everything in the menu.
      const choose = async (name: string): Promise<void> => {
        await page.getByRole('button', { name: text('prices.more') }).click();
        await page.getByRole('menuitem', { name }).click();
      };
      const applyCatalogue = (): Promise<void> =>
        size === 'phone'
          ? choose(text('prices.catalogue.apply'))
          : page.getByRole('button', { name: text('prices.catalogue.apply') }).click();
      await applyCatalogue();
      await page.getByText(text('prices.catalogue.filled_one', { count: 1 })).waitFor();
      await openModel(page, size, 'gpt-4.1-2025-04-14');
      const cell = page.getByLabel(`gpt-4.1-2025-04-14 ${text('prices.column.usd.input')}`, { exact: true });
      expect(await cell.inputValue()).toBe('2.00');
      // Not under the bar below or the toast above.
      await cell.evaluate((input) => input.scrollIntoView({ block: 'center' }));
      await expectSoundScreen(visitor);
      if (size === 'phone') await page.getByRole('button', { name: text('prices.done') }).click();

      // Nothing is saved yet.
      expect(await mapOf(api, 'ModelRatio')).toEqual(before);
      expect(await page.getByRole('button', { name: text('settings.save'), exact: true }).count()).toBe(0);
      await page.getByRole('button', { name: /^Review \d/ }).click();
      await panelOf(page, size)
        .getByRole('button', { name: /^Save .*change/ })
        .click();
      await until(async () => (await mapOf(api, 'ModelRatio'))['gpt-4.1-2025-04-14'] === 1);
      expect(await mapOf(api, 'ModelRatio')).toEqual({ ...before, 'gpt-4.1-2025-04-14': 1 });
      expect((await mapOf(api, 'CacheRatio'))['gpt-4.1-2025-04-14']).toBe(0.25);
      // What it does not know stays without a price.
      await settle(page);
      await applyCatalogue();
      await page.getByText(text('prices.catalogue.none')).waitFor();

      const [file] = await Promise.all([page.waitForEvent('download'), choose(text('prices.file.export'))]);
      const content = JSON.parse(readFileSync(await file.path(), 'utf8'));
      expect(content.ModelRatio).toEqual(await mapOf(api, 'ModelRatio'));
      const input = page.getByLabel(text('prices.file.import')).and(page.locator('input'));
      const give = (name: string, body: string) => input.setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(body) });
      await give('no.json', '{"ModelRatio":{"gpt-4o":"much"}}');
      await page.getByText(text('prices.file.broken', { name: 'no.json' })).waitFor();
      await give('prices.json', JSON.stringify({ ModelRatio: { ...content.ModelRatio, 'nobody-knows-it': 7, 'gpt-4o': 2 } }));
      // A refused file has left nothing behind: two prices differ.
      await page.getByRole('button', { name: /^Review \d/ }).click();
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
