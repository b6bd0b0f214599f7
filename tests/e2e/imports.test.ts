// A database is uploaded, its dry run read, imported in a process of its own, and proved; another one that is none is refused.
import { expect, it } from 'vitest';
import { errorText } from '#shared/errors.ts';
import { sourceCopy } from '#tests/support/import-desk.ts';
import { createVisitor, describeInBrowser, type VisitorOptions } from './support/browser.ts';
import { furnish } from './support/furnish.ts';
import { lookInTurn } from './support/in-turn.ts';
import { text } from './support/texts.ts';
import { startTidegate } from './support/tidegate.ts';
import { expectSoundScreen, settle, signIn } from './support/visit.ts';
import { savePicture } from './support/save-picture.ts';

const looks: Required<VisitorOptions>[] = [
  { size: 'phone', scheme: 'light', language: 'zh' },
  { size: 'tablet', scheme: 'dark', language: 'en' },
  { size: 'desk', scheme: 'light', language: 'zh' },
];
const processMs = 60_000;

describeInBrowser('imports', () => {
  it.each(lookInTurn(looks))('from the file to the proof: $size, $scheme, $language', async (look) => {
    await using tidegate = await startTidegate();
    using source = sourceCopy('new-api-2026');
    await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url, look);
    const { page } = visitor;
    const say = (name: string, values = {}) => text(name, values, look.language);
    const picture = (name: string) => savePicture(visitor, `${name}-${look.size}-${look.scheme}-${look.language}`);
    const choose = async (file: string | { name: string; mimeType: string; buffer: Buffer }): Promise<void> => {
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.getByRole('button', { name: say('imports.source.choose') }).click(),
      ]);
      await chooser.setFiles(file);
      await page.getByRole('button', { name: say('imports.action.upload') }).click();
    };
    await signIn(visitor);
    await page.goto('/import');
    await choose({ name: 'archive.zip', mimeType: 'application/zip', buffer: Buffer.from('PK no database') });
    await page.getByText(errorText('import_not_sqlite', look.language, {})).waitFor();
    await settle(page);
    await expectSoundScreen(visitor);
    await page
      .getByRole('button', { name: say('imports.action.end') })
      .first()
      .click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: say('imports.action.end') })
      .click();
    await page.getByText(say('imports.failure.stopped')).first().waitFor();
    await page.getByRole('button', { name: say('imports.action.new') }).click();
    await choose(source.file);
    await page.getByText(say('imports.plan.done')).waitFor({ timeout: processMs });
    await page.getByText('370.614994').first().waitFor();
    await settle(page);
    await expectSoundScreen(visitor);
    await picture('import-plan');
    await page.getByRole('button', { name: new RegExp(say('imports.action.start', { rows: '[0-9,]+' })) }).click();
    await page.getByText(say('imports.proof.equal')).waitFor({ timeout: processMs });
    await settle(page);
    await expectSoundScreen(visitor);
    await picture('import-proof');
    expect(await page.getByText(say('imports.proof.row_different'), { exact: true }).count()).toBe(0);
  });
});
