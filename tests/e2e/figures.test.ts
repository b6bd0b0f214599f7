// Amounts and counts in lists: whole, in one form per column, short where a thousand would not be read digit by digit.
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { createVisitor, describeInBrowser, type VisitorOptions } from './support/browser.ts';
import { channelBody, chat, furnish, owner, signInByApi } from './support/furnish.ts';
import { text } from './support/texts.ts';
import { startTidegate, type Tidegate } from './support/tidegate.ts';
import { expectSoundScreen, panelOf, settle, signIn } from './support/visit.ts';

const desks: Required<VisitorOptions>[] = [
  { size: 'desk', scheme: 'dark', language: 'zh' },
  { size: 'desk', scheme: 'light', language: 'en' },
];

describeInBrowser('figures', () => {
  it('desk: amounts of the usage logs are whole, however large, also beside an open record', async () => {
    await using tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    for (const usd of [1_250, 12_500, 246_913.58]) await api.put('/api/user/', { id: 2, quota_change: usd * 500_000 });
    for (const look of desks) {
      const visitor = await createVisitor(tidegate.url, look);
      const { page } = visitor;
      await signIn(visitor);
      await page.goto('/log');
      await settle(page);
      const cells = page.getByRole('row').getByRole('cell').filter({ hasText: /^\+/ });
      for (const address of ['/log', '/log?type=3', '/log?type=3&open=4']) {
        await page.goto(address);
        await settle(page);
        if (address.includes('open'))
          await panelOf(page, 'desk')
            .getByText(text('receipt.entry', {}, look.language))
            .waitFor();
        expect((await cells.allTextContents()).slice(0, 3)).toEqual(['+246,913.580000', '+12,500.000000', '+1,250.000000']);
        expect(await cutFigures(page)).toEqual([]);
        await expectSoundScreen(visitor);
      }
      await visitor.context.close();
    }
  });

  it('what was used reads alike in the lists of tokens, users and channels, and never as nothing', async () => {
    await using tidegate = await startTidegate();
    await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url);
    const { page } = visitor;
    await signIn(visitor);
    for (const [screen, slice] of [
      ['/token', 'tokens'],
      ['/user', 'users'],
      ['/channel', 'channels'],
    ] as const) {
      await page.goto(screen);
      await settle(page);
      const column = await cellsUnder(page, `${text(`${slice}.column.used`)} USD`);
      // Three calls of a hundredth of a cent; the rest was never used.
      expect([...new Set(await column.allTextContents())].sort()).toEqual(['0.00', '<0.01']);
      expect(await column.filter({ hasText: '<0.01' }).locator('[title]').getAttribute('title')).toMatch(/^0\.000\d+$/);
      expect(await cutFigures(page)).toEqual([]);
    }
    await page.goto('/token?open=1');
    await settle(page);
    expect(await panelOf(page, 'desk').textContent()).toMatch(/\$0\.000\d+/);
    await visitor.context.close();
  });

  it('long token counts are short in the list and exact on the receipt', async () => {
    await using tidegate = await startTidegate();
    const { key } = await furnish(tidegate);
    tidegate.upstream.queue({ usage: { prompt_tokens: 27_147, completion_tokens: 9_999, total_tokens: 37_146 } });
    await chat(tidegate.url, key, { stream: false });
    tidegate.upstream.queue({ usage: { prompt_tokens: 1_284_000, completion_tokens: 12_345, total_tokens: 1_296_345 } });
    await chat(tidegate.url, key, { stream: false });
    const visitor = await createVisitor(tidegate.url);
    const { page } = visitor;
    await signIn(visitor);
    await page.goto('/log');
    await settle(page);
    const input = await cellsUnder(page, text('logs.column.prompt'));
    expect((await input.allTextContents()).slice(0, 2)).toEqual(['1.3M', '27.1k']);
    expect(await input.nth(1).locator('[title]').first().getAttribute('title')).toBe('27,147');
    const output = await cellsUnder(page, text('logs.column.completion'));
    expect((await output.allTextContents()).slice(0, 2)).toEqual(['12.3k', '9,999']);
    const tpm = page.getByRole('term').filter({ hasText: 'TPM' }).locator('xpath=following-sibling::dd');
    expect(await tpm.textContent()).toBe('1.3M');
    await page.getByText('27.1k').click();
    await panelOf(page, 'desk').getByText('27,147').waitFor();
    await expectSoundScreen(visitor);
    await visitor.context.close();
  });

  it('a test of a channel is called so in the language of the reader', async () => {
    await using tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    await api.get('/api/channel/test/1');
    for (const size of ['phone', 'desk'] as const) {
      for (const language of ['en', 'zh'] as const) {
        const name = text('common.channel_test', {}, language);
        const visitor = await createVisitor(tidegate.url, { size, language });
        const { page } = visitor;
        await signIn(visitor);
        await page.goto('/log?type=6');
        await settle(page);
        const said = await page.getByRole('main').textContent();
        expect(said).toContain(name);
        if (language === 'en') expect(said).not.toMatch(/\p{Script=Han}/u);
        const first =
          size === 'phone' ? page.getByRole('main').getByRole('listitem').getByRole('button') : page.getByRole('cell', { name });
        await first.first().click();
        await panelOf(page, size).getByText(name, { exact: true }).first().waitFor();
        await expectSoundScreen(visitor);
        await visitor.context.close();
      }
    }
  });

  it('without a channel, the form of a new one has the filled button', async () => {
    await using tidegate = await startTidegate();
    await setUp(tidegate);
    for (const size of ['phone', 'desk'] as const) {
      const visitor = await createVisitor(tidegate.url, { size });
      await signIn(visitor);
      for (const screen of ['/channel', '/channel/add']) {
        await visitor.page.goto(screen);
        await settle(visitor.page);
        await visitor.page.locator('[data-variant="filled"]:visible').first().waitFor();
        await expectSoundScreen(visitor);
      }
      await visitor.context.close();
    }
    const api = await signInByApi(tidegate.url, owner);
    await api.post('/api/channel/', channelBody(tidegate));
    const visitor = await createVisitor(tidegate.url);
    await signIn(visitor);
    for (const screen of ['/channel', '/channel/add', '/channel/edit/1']) {
      await visitor.page.goto(screen);
      await expectSoundScreen(visitor);
    }
    await visitor.context.close();
  });
});

async function setUp(tidegate: Tidegate): Promise<void> {
  const response = await fetch(`${tidegate.url}/api/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...owner, confirmPassword: owner.password }),
  });
  expect(response.status).toBe(200);
}

/** The cells of one column, from the top. */
async function cellsUnder(page: Page, heading: string): Promise<Locator> {
  const headings = await page.getByRole('columnheader').allTextContents();
  const index = headings.indexOf(heading);
  expect(index, `a column ${heading} among ${headings.join(', ')}`).not.toBe(-1);
  // Cells of columns without room are in the rows all the same.
  const place = await page
    .locator('tr[data-row-key]')
    .first()
    .evaluate((row, at) => {
      const cells = [...row.children];
      return cells.findIndex((cell) => cell === cells.filter((one) => one.checkVisibility())[at]);
    }, index);
  return page.locator(`tr[data-row-key] > :nth-child(${place + 1})`);
}

/** Figures that reach beyond the room that their cell has for them. */
function cutFigures(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('tr[data-row-key] > [data-align="end"]')].flatMap((cell) => {
      if (!cell.checkVisibility()) return [];
      const range = document.createRange();
      range.selectNodeContents(cell);
      const needed = range.getBoundingClientRect();
      const { paddingInlineStart, paddingInlineEnd } = getComputedStyle(cell);
      const room = cell.getBoundingClientRect().width - Number.parseFloat(paddingInlineStart) - Number.parseFloat(paddingInlineEnd);
      return needed.width > room ? [`${cell.textContent}: ${needed.width} in ${room}`] : [];
    }),
  );
}
