// What fingers meet on a phone and on a tablet: where screens end, what opens from below, and what there is room for.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createVisitor, describeInBrowser } from './support/browser.ts';
import { drawPictures } from './support/fill.ts';
import { furnish, owner } from './support/furnish.ts';
import { drawings, seedTasks } from './support/seed-tasks.ts';
import { text } from './support/texts.ts';
import { startTidegate, type Tidegate } from './support/tidegate.ts';
import { settle, signIn } from './support/visit.ts';

describeInBrowser('touched', () => {
  let tidegate: Tidegate;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'tidegate-touched-'));
    const database = `file:${path.join(folder, 'tidegate.db')}`;
    tidegate = await startTidegate({ env: { DATABASE_URL: database } });
    const { api } = await furnish(tidegate);
    await api.put('/api/option/', { key: 'DrawingEnabled', value: 'true' });
    await api.post('/api/redemption/', { name: 'Regatta', quota: 500_000, count: 3 });
    await seedTasks(database, { id: 1, username: owner.username }, drawings);
  });
  afterAll(async () => {
    await tidegate.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('phone: a long conversation stays in sight when the composer is swiped', async () => {
    const visitor = await createVisitor(tidegate.url, { size: 'phone' });
    const { page, context } = visitor;
    await signIn(visitor);
    await page.goto('/playground');
    await settle(page);
    tidegate.upstream.behave({ text: 'The tide turns at noon.\n\n'.repeat(40) });
    const question = page.getByRole('textbox', { name: text('playground.ask.label') });
    await question.fill('When does the tide turn?');
    await page.getByRole('button', { name: text('playground.ask.send'), exact: true }).click();
    await page
      .getByRole('article')
      .last()
      .getByRole('link', { name: text('playground.answer.receipt') })
      .waitFor();
    const composer = page.locator('form').filter({ has: question });
    const before = await boxOf(composer);
    const session = await context.newCDPSession(page);
    const x = before.x + before.width / 2;
    const y = before.y + before.height - 10;
    await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] });
    for (let moved = 20; moved <= 400; moved += 20)
      await session.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [{ x, y: y - moved }] });
    await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    expect(await blankBelow(page)).toBe(0);
    expect(Math.abs((await boxOf(composer)).y - before.y)).toBeLessThan(4);
    await context.close();
  });

  it('phone: what is under More leads back, codes of one name differ, and a binding comes from below', async () => {
    const visitor = await createVisitor(tidegate.url, { size: 'phone' });
    const { page } = visitor;
    await signIn(visitor);
    const back = page.getByRole('link', { name: text('common.action.back'), exact: true });
    await page.goto('/redemption');
    await settle(page);
    expect(await back.getAttribute('href')).toBe('/');
    const names = await page.getByRole('listitem').getByRole('button').allTextContents();
    expect(names).toHaveLength(3);
    expect(new Set(names).size).toBe(3);
    await page.goto('/token');
    await settle(page);
    expect(await back.count()).toBe(0);

    await page.goto('/personal');
    await settle(page);
    expect(await back.count()).toBe(1);
    await page
      .getByRole('listitem')
      .filter({ hasText: text('signin.name.email') })
      .getByRole('button', { name: text('signin.bindings.bind') })
      .click();
    const sheet = page.getByRole('dialog', { name: text('signin.bindings.email_title') });
    await sheet.waitFor();
    const { x, y, width, height } = await boxOf(sheet);
    expect({ x, width, bottom: Math.round(y + height) }).toEqual({ x: 0, width: 360, bottom: 780 });
    await visitor.context.close();
  });

  it('phone: an article that another app shares becomes a question', async () => {
    const visitor = await createVisitor(tidegate.url, { size: 'phone' });
    const { page } = visitor;
    await signIn(visitor);
    const article = 'Spring tides\nhttps://news.example/0123456789abcdef0123456789abcdef';
    await page.goto(`/playground#shared=${encodeURIComponent(article)}`);
    const question = page.getByRole('textbox', { name: text('playground.ask.label') });
    await page.waitForFunction((wanted) => [...document.querySelectorAll('textarea')].some(({ value }) => value === wanted), article);
    await page.waitForFunction(() => location.hash === '');
    expect(await question.inputValue()).toBe(article);
    await visitor.context.close();
  });

  it('tablet: lists say who and when, headings stand over their cells, and nothing between blocks is empty', async () => {
    const visitor = await createVisitor(tidegate.url, { size: 'tablet' });
    const { page } = visitor;
    await signIn(visitor);
    await drawPictures(visitor);
    const owed: Record<string, string[]> = {
      '/midjourney': ['tasks.column.picture', 'tasks.column.submitted', 'tasks.column.user'],
      '/log': ['logs.column.time', 'logs.column.user', 'logs.column.what'],
    };
    for (const [screen, columns] of Object.entries(owed)) {
      await page.goto(screen);
      await settle(page);
      const headings = page.locator('thead th').filter({ visible: true });
      expect(await headings.allInnerTexts()).toEqual(expect.arrayContaining(columns.map((key) => text(key))));
      const cells = page
        .getByRole('row')
        .filter({ has: page.getByRole('cell') })
        .first()
        .getByRole('cell')
        .filter({ visible: true });
      expect(await contentEdges(cells)).toEqual(await contentEdges(headings));
    }
    // Wider columns that leave first are counted by their places: without the first two the third begins on the gutter.
    await page.setViewportSize({ width: 620, height: 1024 });
    await page.goto('/user');
    await settle(page);
    const firstOf = (role: 'columnheader' | 'cell') => contentEdges(page.getByRole(role).filter({ visible: true }).first());
    expect(await firstOf('cell')).toEqual(await firstOf('columnheader'));

    await page.setViewportSize({ width: 820, height: 1800 });
    await page.goto('/topup');
    await settle(page);
    const blocks = await page
      .getByRole('main')
      .locator('section')
      .evaluateAll((found) =>
        found.map((block) => {
          const { top, bottom } = block.getBoundingClientRect();
          return { top, bottom };
        }),
      );
    expect(blocks.length).toBeGreaterThan(2);
    for (const [index, block] of blocks.slice(1).entries()) expect(block.top - (blocks[index]?.bottom ?? 0)).toBeLessThan(80);
    await visitor.context.close();
  });

  it('tablet: settings are explained in a few lines, and a chip is let go by a small cross', async () => {
    const visitor = await createVisitor(tidegate.url, { size: 'tablet' });
    const { page } = visitor;
    await signIn(visitor);
    await page.setViewportSize({ width: 820, height: 1180 });
    await page.goto('/setting?tab=quota');
    await settle(page);
    await page.locator('[data-setting] .mantine-InputWrapper-label').nth(3).waitFor();
    const heights = await page
      .locator('[data-setting] :is(.mantine-InputWrapper-description, .mantine-InputWrapper-label)')
      .evaluateAll((found) => found.map((words) => words.getBoundingClientRect().height));
    expect(heights.length).toBeGreaterThan(5);
    expect(Math.max(...heights)).toBeLessThanOrEqual(3 * 18);

    await page.goto('/channel/edit/1');
    await settle(page);
    const crosses = await page
      .locator('.mantine-Pill-root button svg')
      .evaluateAll((found) => found.map((cross) => cross.getBoundingClientRect().width));
    expect(crosses.length).toBeGreaterThan(1);
    expect(Math.max(...crosses)).toBeLessThanOrEqual(16);
    await visitor.context.close();
  });
});

async function boxOf(part: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await part.boundingBox();
  if (box === null) throw new Error('It is not to be seen');
  return box;
}

/** How far the screen scrolls beyond what it shows. */
function blankBelow(page: Page): Promise<number> {
  return page.getByRole('main').evaluate((main) => main.scrollHeight - main.clientHeight);
}

/** Where what cells hold may begin and end, in whole pixels. */
function contentEdges(cells: Locator): Promise<[number, number][]> {
  return cells.evaluateAll((found) =>
    found.map((cell): [number, number] => {
      const { left, right } = cell.getBoundingClientRect();
      const { paddingLeft, paddingRight } = getComputedStyle(cell);
      return [Math.round(left + Number.parseFloat(paddingLeft)), Math.round(right - Number.parseFloat(paddingRight))];
    }),
  );
}
