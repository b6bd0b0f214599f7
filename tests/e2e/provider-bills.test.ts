// An account is added, a foreign table is imported by a mapping that is remembered, and its drift is shown.
import { expect, it } from 'vitest';
import { createVisitor, describeInBrowser, type VisitorOptions } from './support/browser.ts';
import { furnish } from './support/furnish.ts';
import { lookInTurn } from './support/in-turn.ts';
import { text } from './support/texts.ts';
import { startTidegate } from './support/tidegate.ts';
import { expectSoundScreen, panelOf, settle, signIn } from './support/visit.ts';
import { savePicture } from './support/save-picture.ts';

const looks: Required<VisitorOptions>[] = [
  { size: 'phone', scheme: 'dark', language: 'zh' },
  { size: 'tablet', scheme: 'light', language: 'zh' },
  { size: 'desk', scheme: 'light', language: 'en' },
];

const dayMs = 86_400_000;
const day = (before: number): string => new Date(Date.now() - before * dayMs).toISOString().slice(0, 10);
const hostile = '<img src=x onerror=alert(1)>';
/** As the console writes it. */
const dayIn = (language: 'zh' | 'en', iso: string): string =>
  language === 'zh' ? iso : new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(iso));

/** Ten days of two models, with a fault and a name that is markup. */
const table = `Day;Modell;Kosten\n${Array.from({ length: 10 }, (_, index) => `${day(index)};gpt-4o;${index + 1},25\n${day(index)};"${hostile}";-0,5`).join('\n')}\nnever;gpt-4o;1\n`;

describeInBrowser('provider bills', () => {
  it.each(lookInTurn(looks))('are imported and compared: $size, $scheme, $language', async (look) => {
    await using tidegate = await startTidegate();
    await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url, look);
    const { page } = visitor;
    const say = (name: string, values = {}) => text(name, values, look.language);
    const seen = async (name: string): Promise<void> => {
      await settle(page);
      await expectSoundScreen(visitor);
      await savePicture(visitor, `${name}-${look.size}-${look.scheme}-${look.language}`);
    };
    await signIn(visitor);
    await page.goto('/bill');
    await page.getByText(say('bills.guide.title')).waitFor();
    await seen('bills-empty');

    await page
      .getByRole('button', { name: say('bills.action.add_account') })
      .first()
      .click();
    const panel = panelOf(page, look.size);
    await panel.getByLabel(say('bills.account.name'), { exact: true }).fill('Berlin');
    await panel.getByRole('combobox', { name: say('bills.column.provider') }).click();
    await page.getByRole('option', { name: say('bills.provider.other') }).click();
    await panel.getByLabel(say('bills.column.channels'), { exact: true }).fill('Spare');
    await page.getByRole('option', { name: /Spare/ }).first().click();
    await panel.getByLabel(say('bills.account.zone'), { exact: true }).fill('UTC');
    await seen('bills-account');
    await panel.getByRole('button', { name: say('common.action.save') }).click();
    await page.getByText('Berlin').first().waitFor();

    await page.goto('/bill?view=imports&open=new');
    await panel.locator('input[type=file]').setInputFiles({ name: 'rechnung-2026.csv', mimeType: 'text/csv', buffer: Buffer.from(table) });
    await panel.getByText(say('bills.upload.table')).waitFor();
    await panel.getByLabel(say('bills.field.amount'), { exact: true }).selectOption('Kosten');
    await panel.getByLabel(say('bills.field.model'), { exact: true }).selectOption('Modell');
    await panel.getByRole('button', { name: '1.234,56' }).click();
    await seen('bills-upload');
    await panel.getByRole('button', { name: say('bills.action.import'), exact: true }).click();
    await panel.getByText('never').waitFor();
    await seen('bills-import');

    await page.goto('/bill');
    await page.getByText(hostile).first().waitFor();
    await seen('bills-drift');
    await page.goto('/bill?by=day');
    await page
      .getByText(dayIn(look.language, day(1)), { exact: true })
      .first()
      .waitFor();
    await seen('bills-days');
    await page.goto('/bill?view=requests');
    await page.getByText(say('bills.empty.requests')).waitFor();
    await seen('bills-requests');
    expect(await page.locator('img[src=x]').count()).toBe(0);
  });
});
