// The table of all accounts over a month: its sums, other months, the file, and the way to one account's statement.
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { createVisitor, describeInBrowser, type VisitorOptions } from './support/browser.ts';
import { chat, furnish } from './support/furnish.ts';
import { lookInTurn } from './support/in-turn.ts';
import { text } from './support/texts.ts';
import { startTidegate } from './support/tidegate.ts';
import { expectSoundScreen, settle, signIn } from './support/visit.ts';
import { savePicture } from './support/save-picture.ts';

const looks: Required<VisitorOptions>[] = [
  { size: 'phone', scheme: 'dark', language: 'en' },
  { size: 'tablet', scheme: 'light', language: 'zh' },
  { size: 'desk', scheme: 'light', language: 'en' },
];

describeInBrowser('balances of all accounts', () => {
  it.each(lookInTurn(looks))('are listed by month with their sums, and saved as a file: $size, $scheme, $language', async (look) => {
    await using tidegate = await startTidegate();
    const { api, key } = await furnish(tidegate);
    await api.put('/api/user/', { id: 2, quota_change: 5_000_000 });
    for (let calls = 0; calls < 2; calls += 1) await chat(tidegate.url, key, { stream: false });
    const visitor = await createVisitor(tidegate.url, look);
    const { page } = visitor;
    const say = (name: string, values = {}) => text(name, values, look.language);
    await signIn(visitor);
    await page.goto('/user');
    await settle(page);
    await page.getByRole('link', { name: say('users.action.balances'), exact: true }).click();
    const sum = page.getByText(
      look.language === 'en' ? say('balances.sum_other', { accounts: '2' }) : say('balances.sum', { accounts: '2' }),
    );
    await sum.waitFor();
    await settle(page);
    await expectSoundScreen(visitor);
    if (look.size !== 'phone') {
      // Opening balance and what came, less what was spent, is the closing balance, in view of the reader.
      const cells = await page.getByRole('row').filter({ hasText: 'keeper' }).getByRole('cell').filter({ visible: true }).allTextContents();
      const shown = cells.slice(1).map(Number);
      expect(shown.at(-1)).toBe(10);
      expect(shown.slice(0, -2).reduce((whole, amount) => whole + amount, 0) - (shown.at(-2) ?? 0)).toBe(shown.at(-1));
    }
    await savePicture(visitor, `balances-${look.size}-${look.scheme}-${look.language}`);

    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: say('balances.csv'), exact: true }).click(),
    ]);
    const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n');
    // The last two columns are of imported calls.
    const amounts = lines.map((line) => line.split(',').slice(-8, -2).map(Number));
    const [one = [], two = [], all = []] = amounts.slice(1);
    expect(all).toEqual(one.map((amount, index) => amount + (two[index] ?? 0)));
    expect([one.at(-2), two.at(2)]).toEqual([expect.any(Number), 5_000_000]);
    expect(one.at(-2)).toBeGreaterThan(0);

    await page.getByText('keeper', { exact: true }).click();
    await page
      .getByRole('article')
      .getByRole('rowheader', { name: say('statement.closing') })
      .waitFor();
    expect(new URL(page.url()).searchParams.get('user')).toBe('2');
    await page.goBack();
    await sum.waitFor();
    // Before there were accounts there is nothing.
    await page.getByRole('button', { name: say('balances.previous'), exact: true }).click();
    await page.getByText(say('balances.empty.title'), { exact: true }).waitFor();
    await settle(page);
    await expectSoundScreen(visitor);
    await visitor.context.close();
  });
});
