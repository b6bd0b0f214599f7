// The dashboard: answers, pictures, tables, the logs behind them, and all of it without a network.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createVisitor, describeInBrowser } from './support/browser.ts';
import { untilInstalled, untilStored } from './support/device.ts';
import { furnish, owner } from './support/furnish.ts';
import { seedCalls } from './support/seed-calls.ts';
import { text } from './support/texts.ts';
import { startTidegate, type Tidegate } from './support/tidegate.ts';
import { expectSoundScreen, repeatedLandmarks, settle, signIn } from './support/visit.ts';

describeInBrowser('dashboard', () => {
  let tidegate: Tidegate;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'tidegate-dashboard-'));
    const url = `file:${path.join(folder, 'tidegate.db')}`;
    tidegate = await startTidegate({ env: { DATABASE_URL: url } });
    await furnish(tidegate);
    await seedCalls(url, { userId: 1, username: owner.username, count: 900, days: 2 });
  });
  afterAll(async () => {
    await tidegate.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('answers in numbers, pictures and tables, and a bar opens the logs behind it', async () => {
    const visitor = await createVisitor(tidegate.url);
    const { page } = visitor;
    await signIn(visitor);
    await page.goto('/detail?span=week');
    const calls = page.getByRole('region', { name: text('dashboard.calls.title') });
    await calls.getByRole('img').waitFor();
    await expectSoundScreen(visitor);
    // Adjacent charts begin and end at one height, and their marks are round numbers.
    const pictures = await page
      .getByRole('main')
      .getByRole('img')
      .evaluateAll((found) => found.map((picture) => picture.getBoundingClientRect()));
    expect(pictures).toHaveLength(5);
    for (const [left, right] of [
      [0, 1],
      [2, 3],
    ] as const)
      expect([pictures[left]?.y, pictures[left]?.height]).toEqual([pictures[right]?.y, pictures[right]?.height]);
    const marks = await calls.locator('.recharts-yAxis-tick-labels .recharts-cartesian-axis-tick-value').allTextContents();
    expect(marks.map(Number)).toEqual(marks.map((_mark, index) => index * Number(marks[1])));
    expect([1, 2, 5]).toContain(Number(marks[1]) / 10 ** Math.floor(Math.log10(Number(marks[1]))));
    const shown = await calls.locator('b').first().innerText();
    expect(Number(shown)).toBeGreaterThanOrEqual(900);

    // The same as a table, which adds up.
    await calls.getByRole('button', { name: text('dashboard.shown.table') }).click();
    const table = calls.getByRole('table');
    const rows = await table
      .locator('tbody tr')
      .evaluateAll((found) => found.map((row) => Number(row.querySelector('td')?.textContent.replaceAll(',', ''))));
    expect(rows).toHaveLength(7);
    expect(rows.reduce((sum, one) => sum + one, 0)).toBe(Number(shown));
    expect(await table.locator('tfoot td').first().innerText()).toBe(shown);

    // Half and 95 % of the calls, as lines and as a table: of calls between 0.9 and 4.9 seconds.
    const speed = page.getByRole('region', { name: text('dashboard.speed.title') }).first();
    await speed.getByRole('img').waitFor();
    const seconds = (shownTime: string) => Number.parseFloat(shownTime);
    const half = seconds(await speed.locator('b').first().innerText());
    const slow = seconds(await speed.locator('dd').first().innerText());
    expect(half).toBeGreaterThan(2.2);
    expect(half).toBeLessThan(3.6);
    expect(slow).toBeGreaterThan(4);
    expect(slow).toBeLessThan(5.6);
    await speed.getByRole('button', { name: text('dashboard.shown.table') }).click();
    expect(await speed.locator('tfoot td').count()).toBe(3);
    expect(seconds(await speed.locator('tfoot td').nth(1).innerText())).toBe(slow);

    // A name leads to its calls, and nothing else.
    const models = page.getByRole('region', { name: text('dashboard.breakdown.model') }).first();
    const first = models.getByRole('row').nth(1);
    const count = await first.getByRole('cell').first().innerText();
    await first.getByRole('link').click();
    await page.waitForURL(/\/log\?.*model=/);
    await page
      .locator('main header')
      .filter({ hasText: text('logs.title') })
      .filter({ hasText: count })
      .first()
      .waitFor();

    await page.goBack();
    const chart = page.getByRole('region', { name: text('dashboard.spent.title') }).getByRole('img');
    await chart.waitFor();
    await settle(page);
    // Going back leads to where one was on the page.
    await chart.scrollIntoViewIfNeeded();
    const box = await chart.boundingBox();
    if (box === null) throw new Error('There is no picture');
    await page.mouse.click(box.x + box.width - 30, box.y + box.height / 2);
    await page.waitForURL(/\/log\?.*range=custom/);
    await visitor.context.close();
  });

  it('is readable without a network, says how old it is, and can be taken away as files', async () => {
    const visitor = await createVisitor(tidegate.url, { hasServiceWorker: true, size: 'phone' });
    const { page, context } = visitor;
    await signIn(visitor);
    await page.goto('/detail?span=week');
    const spent = page.getByRole('region', { name: text('dashboard.spent.title') });
    await spent.getByRole('img').waitFor();
    const shown = await spent.locator('b').first().innerText();
    await expectSoundScreen(visitor);
    await page.getByRole('button', { name: text('common.filter.open'), exact: true }).click();
    await page.getByRole('checkbox', { name: text('dashboard.compare.week') }).waitFor();
    await expectSoundScreen(visitor);
    await untilInstalled(page);
    await page.goto('/detail?span=week');
    await settle(page);
    await untilStored(page, 'dashboard');
    await context.setOffline(true);
    await page.reload();
    await spent.getByRole('img').waitFor();
    expect(await spent.locator('b').first().innerText()).toBe(shown);
    await page
      .locator('main header')
      .getByText(/\d\d:\d\d/)
      .waitFor();

    // What is readable can be taken away too, and adds up to what is shown.
    const calls = Number(
      (
        await page
          .getByRole('region', { name: text('dashboard.calls.title') })
          .locator('b')
          .first()
          .innerText()
      ).replaceAll(',', ''),
    );
    const overTime = await downloaded(page, text('dashboard.file.steps'));
    expect(overTime.name).toMatch(/^usage-day-[\d-]+\.csv$/);
    expect(overTime.rows).toHaveLength(7);
    expect(overTime.rows.reduce((sum, row) => sum + Number(row['calls']), 0)).toBe(calls);
    const byModel = await downloaded(page, text('dashboard.file.breakdown', { by: text('dashboard.by.model') }));
    expect(byModel.rows.reduce((sum, row) => sum + Number(row['calls']), 0)).toBe(calls);
    await context.close();
  });

  it('compares with the time before as long as one wants it, by hand and by address', async () => {
    const visitor = await createVisitor(tidegate.url);
    const { page } = visitor;
    await signIn(visitor);
    await page.goto('/detail?span=day');
    const calls = page.getByRole('region', { name: text('dashboard.calls.title') });
    await calls.getByRole('img', { name: text('dashboard.calls.picture_compared') }).waitFor();
    await calls.getByText(text('dashboard.calls.before'), { exact: true }).waitFor();
    expect(await headings(page)).toContain('before_calls');

    const comparison = page.getByRole('checkbox', { name: text('dashboard.compare.day') });
    await comparison.focus();
    await page.keyboard.press('Space');
    await page.waitForURL(/[?&]compare=false/);
    await calls.getByRole('img', { name: text('dashboard.calls.picture'), exact: true }).waitFor();
    await page.reload();
    await calls.getByRole('img', { name: text('dashboard.calls.picture'), exact: true }).waitFor();
    expect(await comparison.isChecked()).toBe(false);
    for (const question of await page.getByRole('region').all()) {
      const table = question.getByRole('button', { name: text('dashboard.shown.table') });
      if (await table.isVisible()) await table.click();
    }
    await calls.getByRole('table').waitFor();
    // The table has the same series as the chart.
    const spent = page.getByRole('region', { name: text('dashboard.spent.title') }).first();
    await spent.getByRole('columnheader', { name: 'gpt-4o', exact: true }).waitFor();
    expect(
      await page
        .getByRole('main')
        .getByText(/before/i)
        .allInnerTexts(),
    ).toEqual([text('dashboard.compare.day')]);
    expect(await headings(page)).not.toContain('before_calls');
    await expectSoundScreen(visitor);
    expect(await repeatedLandmarks(page), 'names of two parts, with every table open').toEqual([]);

    await comparison.check();
    await page.waitForURL((url) => !url.searchParams.has('compare'));
    await calls.getByRole('columnheader', { name: text('dashboard.calls.before') }).waitFor();
    await visitor.context.close();
  });

  it('who is no administrator sees their own, and has neither channels nor users to choose', async () => {
    const visitor = await createVisitor(tidegate.url);
    const { page } = visitor;
    await signIn(visitor, { username: 'keeper', password: 'another-lantern' });
    await page.goto('/detail?by=user&user=harbour');
    await page
      .getByRole('region', { name: text('dashboard.breakdown.model') })
      .getByText(text('dashboard.none'))
      .waitFor();
    const options = await page.getByRole('combobox').first().locator('option').allInnerTexts();
    expect(options).toEqual([text('dashboard.by.model'), text('dashboard.by.token')]);
    await expectSoundScreen(visitor);
    await visitor.context.close();
  });
});

/** A file of the dashboard, by the menu as the keyboard walks it. */
async function downloaded(page: Page, name: string) {
  // While figures are refetched there is nothing to save.
  await settle(page);
  await page.getByRole('button', { name: text('dashboard.file.menu') }).press('Enter');
  const item = page.getByRole('menuitem', { name });
  await item.and(page.locator(':enabled')).waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), item.press('Enter')]);
  const [head = [], ...lines] = (await readFile(await download.path(), 'utf8'))
    .replace('\uFEFF', '')
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','));
  return {
    name: download.suggestedFilename(),
    head,
    rows: lines.map((line) => Object.fromEntries(head.map((column, index) => [column, line[index] ?? '']))),
  };
}

async function headings(page: Page): Promise<string[]> {
  return (await downloaded(page, text('dashboard.file.steps'))).head;
}
