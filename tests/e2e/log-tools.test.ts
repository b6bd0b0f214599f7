// Actions on the log: filter by a row's values, save a view, export the list as a file, delete old rows.
import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createVisitor, describeInBrowser } from './support/browser.ts';
import { chat, furnish, type Furnished, owner } from './support/furnish.ts';
import { lookInTurn } from './support/in-turn.ts';
import { text } from './support/texts.ts';
import { startTidegate, type Tidegate } from './support/tidegate.ts';
import { expectSoundScreen, panelOf, settle, signIn } from './support/visit.ts';

const shots = process.env['SHOTS'];
const shoot = async (page: Page, name: string) => {
  if (shots !== undefined) await page.screenshot({ path: `${shots}/${name}.png` });
};
const rowsOf = (page: Page): Locator => page.locator('[data-row-key]');
const said = (page: Page): Promise<string[]> => rowsOf(page).allTextContents();
const searchOf = (page: Page) => new URL(page.url()).searchParams;

describeInBrowser('tools of the log', () => {
  let tidegate: Tidegate;
  let furnished: Furnished;
  beforeAll(async () => {
    tidegate = await startTidegate();
    furnished = await furnish(tidegate);
    for (let made = 0; made < 2; made += 1) await chat(tidegate.url, furnished.key, { stream: false, model: 'gpt-4o' });
  });
  afterAll(() => tidegate.close());

  it('desk: the menu of a row narrows the list by its model, its channel and its request', async () => {
    const visitor = await createVisitor(tidegate.url, { size: 'desk', language: 'en' });
    const { page } = visitor;
    await signIn(visitor, owner);
    await page.goto('/log?size=50&type=2');
    await settle(page);
    const all = await rowsOf(page).count();
    const choose = async (name: RegExp) => {
      await rowsOf(page)
        .first()
        .getByRole('button', { name: text('logs.quick.menu') })
        .click();
      await page.getByRole('menuitem', { name }).click();
      await settle(page);
    };
    // The newest calls are those of the other model.
    await choose(/^Model: gpt-4o$/);
    expect(searchOf(page).get('model')).toContain('"gpt-4o"');
    expect(await rowsOf(page).count()).toBe(2);
    expect(all).toBeGreaterThan(2);
    // What is set already is not offered again.
    await rowsOf(page)
      .first()
      .getByRole('button', { name: text('logs.quick.menu') })
      .click();
    await shoot(page, 'quick-desk');
    expect(await page.getByRole('menuitem', { name: /^Model:/ }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await choose(/^Channel: #/);
    expect(searchOf(page).get('channel')).not.toBeNull();
    expect(await rowsOf(page).count()).toBe(2);
    await choose(new RegExp(text('logs.quick.request')));
    await expect.poll(() => rowsOf(page).count()).toBe(1);
    // No row was opened by it.
    expect(searchOf(page).get('open')).toBeNull();
    await visitor.context.close();
  });

  for (const size of lookInTurn(['desk', 'phone'] as const)) {
    it(`${size}: the panel of a row narrows the list by its token`, async () => {
      const visitor = await createVisitor(tidegate.url, { size, language: 'zh', scheme: 'dark' });
      const { page } = visitor;
      await signIn(visitor, owner);
      await page.goto('/log?size=50&type=2');
      await settle(page);
      await rowsOf(page).first().click();
      const token = panelOf(page, size).getByRole('button', { name: /Field notebook/ });
      await token.scrollIntoViewIfNeeded();
      await shoot(page, `quick-panel-${size}`);
      await expectSoundScreen(visitor);
      await token.click();
      await settle(page);
      expect(searchOf(page).get('token')).toBe('Field notebook');
      expect(searchOf(page).get('open')).toBeNull();
      expect(await rowsOf(page).count()).toBeGreaterThan(0);
      await visitor.context.close();
    });

    it(`${size}: a view is kept under a name, comes back, and is a link`, async () => {
      const visitor = await createVisitor(tidegate.url, { size, language: 'en' });
      const { page, context } = visitor;
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      await signIn(visitor, owner);
      await page.goto('/log?size=50&range=week&model=%22gpt-4o%22&type=2');
      await settle(page);
      const stored = (await said(page)).length;
      const menu = async () => {
        const button = page.getByRole('button', { name: text('logs.views.title'), exact: true });
        if (!(await button.isVisible()))
          await page
            .getByRole('button', { name: /^Filter/ })
            .first()
            .click();
        await button.click();
      };
      await menu();
      await page.getByLabel(text('logs.views.name')).fill('The big model');
      await page.getByRole('button', { name: text('logs.views.save') }).click();
      await page.getByRole('button', { name: 'The big model', exact: true }).waitFor();
      await shoot(page, `views-${size}`);
      await expectSoundScreen(visitor);
      await page.getByRole('button', { name: text('logs.views.link', { name: 'The big model' }) }).click();
      const link = await page.evaluate(() => navigator.clipboard.readText());

      await page.goto('/log?size=50');
      await settle(page);
      await menu();
      await page.getByRole('button', { name: 'The big model', exact: true }).click();
      await settle(page);
      expect(searchOf(page).get('range')).toBe('week');
      await expect.poll(() => rowsOf(page).count()).toBe(stored);
      await page.goto(link);
      await settle(page);
      await expect.poll(() => rowsOf(page).count()).toBe(stored);
      await menu();
      await page.getByRole('button', { name: text('logs.views.remove', { name: 'The big model' }) }).click();
      expect(await page.getByRole('button', { name: 'The big model', exact: true }).count()).toBe(0);
      await visitor.context.close();
    });

    it(`${size}: the list as it is filtered comes as a file`, async () => {
      const visitor = await createVisitor(tidegate.url, { size, language: 'en' });
      const { page } = visitor;
      await signIn(visitor, owner);
      await page.goto('/log?size=50&model=%22gpt-4o%22&type=2');
      await settle(page);
      const menu = page.getByRole('button', { name: text('logs.export.menu') });
      for (const [format, lines] of [
        ['csv', 3],
        ['jsonl', 2],
      ] as const) {
        if (!(await menu.isVisible()))
          await page
            .getByRole('button', { name: /^Filter/ })
            .first()
            .click();
        await menu.click();
        const [file] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('menuitem', { name: text(`logs.export.${format}`) }).click(),
        ]);
        const content = readFileSync(await file.path(), 'utf8')
          .trim()
          .split('\n');
        expect(content, format).toHaveLength(lines);
        expect(content.at(-1)).toContain('gpt-4o');
        expect(content.join('')).not.toContain('gpt-4o-mini');
      }
      await visitor.context.close();
    });
  }

  it('old rows are deleted only after a question, and the list shows it', async () => {
    const visitor = await createVisitor(tidegate.url, { size: 'desk', language: 'en' });
    const { page } = visitor;
    await signIn(visitor, owner);
    await page.goto('/log?size=50&type=2');
    await settle(page);
    const before = await rowsOf(page).count();
    const requested: string[] = [];
    page.on('request', (request) => request.method() === 'DELETE' && requested.push(request.url()));
    const open = async () => {
      await page.getByRole('button', { name: text('logs.export.menu') }).click();
      await page.getByRole('menuitem', { name: text('logs.delete.action') }).click();
    };
    await open();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: text('common.action.cancel') })
      .click();
    expect(requested).toEqual([]);
    await open();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: text('logs.delete.confirm') })
      .click();
    await expect.poll(() => requested.length).toBe(1);
    // Nothing is thirty days old.
    await page.getByText(text('logs.delete.done_other', { count: 0 })).waitFor();
    expect(await rowsOf(page).count()).toBe(before);
    await visitor.context.close();
  });

  it('who is no administrator has files, and nothing to delete or to see of channels', async () => {
    const visitor = await createVisitor(tidegate.url, { size: 'desk', language: 'en' });
    const { page } = visitor;
    await signIn(visitor, { username: 'keeper', password: 'another-lantern' });
    await page.goto('/log');
    await settle(page);
    await page.getByRole('button', { name: text('logs.export.menu') }).click();
    await page.getByRole('menuitem', { name: text('logs.export.csv') }).waitFor();
    expect(await page.getByRole('menuitem', { name: text('logs.delete.action') }).count()).toBe(0);
    await visitor.context.close();
  });
});
