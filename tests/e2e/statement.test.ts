// A statement is opened from the wallet, adds up, and is printed alone, without the console around it.
import { writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { createVisitor, describeInBrowser } from './support/browser.ts';
import { chat, furnish } from './support/furnish.ts';
import { lookInTurn } from './support/in-turn.ts';
import { text } from './support/texts.ts';
import { startTidegate } from './support/tidegate.ts';
import { expectSoundScreen, settle, signIn } from './support/visit.ts';

const amountOf = (line: string): number => Number(line.replaceAll(/[^\d.−]/g, '').replace('−', '-'));

describeInBrowser('statement', () => {
  it.each(lookInTurn(['phone', 'desk'] as const))('%s: adds up, and is printed alone', async (size) => {
    await using tidegate = await startTidegate();
    const { key } = await furnish(tidegate);
    for (let calls = 0; calls < 3; calls += 1) await chat(tidegate.url, key, { stream: false });
    const visitor = await createVisitor(tidegate.url, { size, scheme: 'dark' });
    await signIn(visitor);
    const { page } = visitor;
    await page.goto('/topup');
    await page.getByRole('link', { name: text('wallet.history.statement') }).click();
    const sheet = page.getByRole('article');
    await sheet.getByRole('rowheader', { name: text('statement.closing') }).waitFor();
    await settle(page);
    await expectSoundScreen(visitor);
    // The periods end where the sheet does.
    const periods = await page.getByRole('group', { name: text('statement.period.label') }).boundingBox();
    expect((periods?.x ?? 0) + (periods?.width ?? Infinity)).toBeLessThanOrEqual((page.viewportSize()?.width ?? 0) - 16);
    const amounts = await sheet.locator('tr:has(th) > td').allTextContents();
    const [opening = 0, credits = 0, calls = 0, closing = 0] = amounts.map(amountOf);
    expect(calls).toBeLessThan(0);
    expect(opening + credits + calls).toBeCloseTo(closing, 6);
    // On paper there is the sheet and nothing else.
    await page.emulateMedia({ media: 'print' });
    expect(await sheet.isVisible()).toBe(true);
    for (const around of [page.getByRole('navigation').first(), page.getByRole('button', { name: text('statement.print') })])
      expect(await around.isVisible()).toBe(false);
    // It says what it is, and is drawn in ink, whatever the scheme of the screen.
    expect(await sheet.getByText(text('statement.title'), { exact: true }).isVisible()).toBe(true);
    const lines = await sheet
      .locator('tr > :first-child')
      .evaluateAll((cells) => cells.map((cell) => getComputedStyle(cell).borderBottomColor));
    expect([...new Set(lines)].toSorted()).toEqual(['rgb(0, 0, 0)', 'rgb(187, 187, 187)']);
    const [inSheet, inPage] = await page.evaluate(() => [document.querySelector('article')?.scrollHeight ?? 0, document.body.scrollHeight]);
    expect(inPage).toBeLessThanOrEqual(inSheet + 40);
    if (process.env['STATEMENT_PDF'] !== undefined) await writeFile(process.env['STATEMENT_PDF'], await page.pdf({ format: 'A4' }));
    await page.emulateMedia({ media: null });
    // Before there was an account there is nothing to file.
    await page.getByRole('button', { name: text('statement.period.last_month') }).click();
    await page.getByText(text('statement.none')).waitFor();
    expect(await page.getByRole('button', { name: text('statement.print') }).isDisabled()).toBe(true);
    await visitor.context.close();
  });
});
