// Many channels at once: under their tags, changed together, tested together.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { createVisitor, describeInBrowser, type VisitorOptions } from './support/browser.ts';
import { type Api, channelBody, furnish } from './support/furnish.ts';
import { lookInTurn } from './support/in-turn.ts';
import { text } from './support/texts.ts';
import { startTidegate, type Tidegate } from './support/tidegate.ts';
import { expectSoundScreen, settle, signIn } from './support/visit.ts';
import { savePicture } from './support/save-picture.ts';

const looks: Required<VisitorOptions>[] = [
  { size: 'phone', scheme: 'light', language: 'zh' },
  { size: 'tablet', scheme: 'dark', language: 'en' },
  { size: 'desk', scheme: 'light', language: 'en' },
];

async function addTagged(tidegate: Tidegate, api: Api): Promise<void> {
  for (const [name, tag, priority] of [
    ['azure-eastus2', 'azure', 8],
    ['azure-sweden', 'azure', 6],
    ['deepseek', 'cn', 5],
  ] as const) {
    await api.post('/api/channel/', { ...channelBody(tidegate), key: `key-of-${name}`, name, tag, priority });
  }
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

describeInBrowser('channels by tag', () => {
  it.each(lookInTurn(looks))('stand under their tags with totals: $size, $scheme, $language', async (look) => {
    await using tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    await addTagged(tidegate, api);
    const visitor = await createVisitor(tidegate.url, look);
    const { page } = visitor;
    await signIn(visitor);
    await page.goto('/channel?by=tag');
    await settle(page);
    const heads = await page.locator('b', { hasText: /^(azure|cn)$/ }).allTextContents();
    expect(heads).toEqual(['azure', 'cn']);
    await page.getByText(text('channels.tag.none', {}, look.language), { exact: true }).waitFor();
    await expectSoundScreen(visitor);
    await savePicture(visitor, `tags-${look.size}-${look.scheme}-${look.language}`);
    await button(page, text('channels.tag.more', { name: 'azure' }, look.language)).click();
    await page.getByRole('menuitem', { name: text('channels.action.edit_tag', {}, look.language) }).click();
    await page.getByRole('dialog').waitFor();
    await expectSoundScreen(visitor);
    await savePicture(visitor, `tag-edit-${look.size}-${look.scheme}-${look.language}`);
    await visitor.context.close();
  });

  it('a tag is disabled after a question, enabled again, renamed, and its channels are changed', async () => {
    await using tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    await addTagged(tidegate, api);
    const visitor = await createVisitor(tidegate.url);
    const { page } = visitor;
    await signIn(visitor);
    await page.goto('/channel');
    await settle(page);
    await button(page, text('channels.filter.by_tag')).click();
    const command = async (name: string, tag = 'azure') => {
      await button(page, text('channels.tag.more', { name: tag })).click();
      await page.getByRole('menuitem', { name: text(`channels.action.${name}`) }).click();
    };
    const members = async (tag: string) => (await api.get(`/api/channel/search?tag=${tag}`)) as { status: number; models: string }[];
    await command('disable_tag');
    await page
      .getByRole('dialog')
      .getByText(text('channels.tag.disable_title', { tag: 'azure' }))
      .waitFor();
    expect((await members('azure')).map(({ status }) => status)).toEqual([1, 1]);
    await page
      .getByRole('dialog')
      .getByRole('button', { name: text('channels.action.disable_tag') })
      .click();
    await page.getByText(text('channels.undo.disabled_many_other', { count: 2 })).waitFor();
    expect((await members('azure')).map(({ status }) => status)).toEqual([2, 2]);
    await page.keyboard.press('Control+z');
    await expect.poll(async () => (await members('azure')).map(({ status }) => status)).toEqual([1, 1]);
    await command('disable_tag');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: text('channels.action.disable_tag') })
      .click();
    await expect.poll(async () => (await members('azure')).map(({ status }) => status)).toEqual([2, 2]);
    await command('enable_tag');
    await expect.poll(async () => (await members('azure')).map(({ status }) => status)).toEqual([1, 1]);
    await command('edit_tag');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(text('channel.field.tag'), { exact: true }).fill('eu');
    await dialog.getByLabel(text('channel.field.priority')).fill('3');
    await dialog.getByRole('button', { name: text('channels.many.save_other', { count: 2 }) }).click();
    await expect.poll(() => members('eu')).toMatchObject([{ priority: 3 }, { priority: 3 }]);
    await page.locator('b', { hasText: /^eu$/ }).waitFor();
    await visitor.context.close();
  });

  it('ticked channels are changed together, and what was not is told', async () => {
    await using tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    await addTagged(tidegate, api);
    const visitor = await createVisitor(tidegate.url);
    const { page } = visitor;
    await signIn(visitor);
    await page.goto('/channel?by=tag');
    await settle(page);
    await page.getByLabel(text('channels.tag.tick', { name: 'azure' })).check();
    await page.getByLabel(text('common.list.tick_row', { name: 'deepseek' })).check();
    await button(page, text('channels.action.edit_many')).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: text('channels.many.models_removed') }).fill('gpt-4o');
    // Tab leaves the field, and its list closes.
    for (const key of ['Enter', 'Tab']) await page.keyboard.press(key);
    const [gone] = (await api.get('/api/channel/search?tag=cn')) as { id: number }[];
    await api.post('/api/channel/batch', { ids: [gone?.id] });
    await dialog.getByRole('button', { name: text('channels.many.save_other', { count: 3 }) }).click();
    await dialog.getByRole('alert').getByText(`#${gone?.id}`).waitFor();
    await savePicture(visitor, 'many-failed-desk-light-en');
    const changed = (await api.get('/api/channel/search?tag=azure')) as { models: string }[];
    expect(changed.map(({ models }) => models)).toEqual(['gpt-4o-mini', 'gpt-4o-mini']);
    await expectSoundScreen(visitor);
    await visitor.context.close();
  });

  it.each(lookInTurn(looks))('tests of all show how they go on, and stop: $size, $scheme, $language', async (look) => {
    await using tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    await addTagged(tidegate, api);
    tidegate.upstream.behave({ firstByteDelay: Number.POSITIVE_INFINITY }, { key: 'key-of-deepseek' });
    tidegate.upstream.behave({ status: 500 }, { key: 'key-of-azure-sweden' });
    const visitor = await createVisitor(tidegate.url, look);
    const { page } = visitor;
    await signIn(visitor);
    await page.goto('/channel');
    await settle(page);
    await button(page, text('channels.action.more_all', {}, look.language)).click();
    await button(page, text('channels.action.test_all', {}, look.language)).click();
    const progress = page.getByRole('progressbar', { name: text('channels.run.name_tests', {}, look.language) });
    await expect.poll(() => progress.getAttribute('aria-valuenow'), { timeout: 60_000 }).toBe('4');
    expect(await progress.getAttribute('aria-valuemax')).toBe('5');
    await expectSoundScreen(visitor);
    await savePicture(visitor, `run-${look.size}-${look.scheme}-${look.language}`);
    await button(page, text('channels.run.stop', {}, look.language)).click();
    await progress.waitFor({ state: 'detached' });
    expect(await api.get('/api/channel/runs')).toMatchObject({ tests: { state: 'stopped', done: 4, failed: 1 } });
    await button(page, text('channels.action.more_all', {}, look.language)).click();
    await page.getByText(text('channels.run.stopped', {}, look.language)).waitFor();
    await expectSoundScreen(visitor);
    await savePicture(visitor, `run-last-${look.size}-${look.scheme}-${look.language}`);
    await page.keyboard.press('Escape');
    // Its sum, and the way to what failed.
    await page.getByText(text('channels.run.ended_tests', { done: '4', failed: '1' }, look.language)).waitFor();
    await page
      .getByRole('link', {
        name: text(
          look.language === 'en' ? 'channels.run.open_failed_one' : 'channels.run.open_failed_other',
          { count: '1' },
          look.language,
        ),
      })
      .click();
    await page.getByText('azure-sweden').first().waitFor();
    await expect.poll(() => page.locator('[data-row-key]').count()).toBe(1);
    await expectSoundScreen(visitor);
    await visitor.context.close();
  });
});
