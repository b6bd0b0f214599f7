// Disabling and deleting act at once; for a moment they are taken back, exactly.
import { expect, it } from 'vitest';
import { until } from '#tests/support/until.ts';
import { createVisitor, describeInBrowser } from './support/browser.ts';
import { chat, furnish } from './support/furnish.ts';
import { lookInTurn } from './support/in-turn.ts';
import { text } from './support/texts.ts';
import { startTidegate } from './support/tidegate.ts';
import { expectSoundScreen, panelOf, settle, signIn } from './support/visit.ts';

interface Token {
  id: number;
  name: string;
  status: number;
  key: string;
}

const calls = (url: string, key: string): Promise<boolean> =>
  chat(url, key, { stream: false }).then(
    () => true,
    () => false,
  );

describeInBrowser('undo', () => {
  it('desk: a disabled key is refused at once, and works again by Ctrl-Z', async () => {
    await using tidegate = await startTidegate();
    const { key } = await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url);
    const { page } = visitor;
    await signIn(visitor);
    await page.goto('/token');
    await settle(page);
    const row = page.getByRole('row').filter({ hasText: 'Field notebook' });
    await row.getByRole('button', { name: text('tokens.action.disable'), exact: true }).click();
    await page.getByText(text('tokens.undo.disabled', { name: 'Field notebook' })).waitFor();
    expect(await calls(tidegate.url, key)).toBe(false);
    await expectSoundScreen(visitor);

    await page.keyboard.press('Control+z');
    await page.getByText(text('common.undo.done'), { exact: true }).waitFor();
    await row.getByText(text('tokens.status.enabled'), { exact: true }).waitFor();
    expect(await calls(tidegate.url, key)).toBe(true);
    // There is nothing more to take back.
    await page.keyboard.press('Control+z');
    expect(await page.getByRole('button', { name: text('common.undo.action'), exact: true }).count()).toBe(0);
    await visitor.context.close();
  });

  it('phone: a deleted token is gone at once, and comes back with its key', async () => {
    await using tidegate = await startTidegate();
    const { key, api } = await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url, { size: 'phone', scheme: 'dark' });
    const { page } = visitor;
    await signIn(visitor);
    const before = (await api.get('/api/token/')) as Token[];
    const id = before.find(({ name }) => name === 'Field notebook')?.id;
    await page.goto(`/token?open=${id}`);
    await settle(page);
    await panelOf(page, 'phone')
      .getByRole('button', { name: text('common.action.delete'), exact: true })
      .tap();
    await page.getByText(text('tokens.undo.deleted_one', { name: 'Field notebook' })).waitFor();
    expect(await calls(tidegate.url, key)).toBe(false);
    await expectSoundScreen(visitor);
    await page.getByRole('button', { name: text('common.undo.action'), exact: true }).tap();
    await page.getByRole('main').getByText('Field notebook').first().waitFor();
    const facts = (tokens: Token[]) => tokens.map((token) => [token.id, token.name, token.status, token.key]);
    expect(facts((await api.get('/api/token/')) as Token[])).toEqual(facts(before));
    expect(await calls(tidegate.url, key)).toBe(true);
    await visitor.context.close();
  });

  it('desk: a tab that is closed right after has deleted; without a network nothing is undone, and the way back stays open', async () => {
    await using tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url, { hasServiceWorker: true });
    await signIn(visitor);
    const { page, context } = visitor;
    const names = async () => ((await api.get('/api/token/')) as Token[]).map(({ name }) => name);

    await page.goto('/token');
    await settle(page);
    await page.getByRole('button', { name: text('tokens.action.delete_named', { name: 'Visitors' }) }).click();
    await page.getByText(text('tokens.undo.deleted_one', { name: 'Visitors' })).waitFor();
    await page.close();
    expect(await names()).toEqual(['Field notebook']);

    const later = await context.newPage();
    await later.goto('/token');
    await settle(later);
    await later.getByRole('button', { name: text('tokens.action.delete_named', { name: 'Field notebook' }) }).click();
    const undo = later.getByRole('button', { name: text('common.undo.action'), exact: true });
    await undo.waitFor();
    await context.setOffline(true);
    await undo.click();
    await later.getByText(text('errors.offline')).first().waitFor();
    expect(await names()).toEqual([]);
    await context.setOffline(false);
    await undo.click();
    await until(async () => (await names()).includes('Field notebook'));
    await context.close();
  });

  it('desk: a channel that was disabled is enabled again, and a deletion of codes is taken back', async () => {
    await using tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    await api.post('/api/redemption/', { name: 'Regatta', quota: 1000, count: 2 });
    const visitor = await createVisitor(tidegate.url);
    const { page } = visitor;
    await signIn(visitor);
    const channelStatus = async () => ((await api.get('/api/channel/1')) as { status: number }).status;
    await page.goto('/channel/edit/1');
    await settle(page);
    await page
      .getByRole('complementary')
      .getByRole('button', { name: text('channels.action.disable'), exact: true })
      .click();
    await page.getByText(text('channels.undo.disabled', { name: 'Harbour mouth' })).waitFor();
    expect(await channelStatus()).toBe(2);
    await page.getByRole('button', { name: text('common.undo.action'), exact: true }).click();
    await until(async () => (await channelStatus()) === 1);

    const codes = async () => ((await api.get('/api/redemption/')) as { total: number }).total;
    await page.goto('/redemption');
    await settle(page);
    await page.getByRole('checkbox', { name: text('common.list.tick_page') }).check();
    await page
      .getByRole('toolbar')
      .getByRole('button', { name: text('common.action.delete'), exact: true })
      .click();
    await page.getByText(text('redemptions.changed.delete_other', { count: 2 })).waitFor();
    expect(await codes()).toBe(0);
    await page.getByRole('button', { name: text('common.undo.action'), exact: true }).click();
    await until(async () => (await codes()) === 2);
    await visitor.context.close();
  });

  it.each(lookInTurn(['desk', 'phone'] as const))(
    '%s: a deleted channel serves nobody, and does again as soon as it is taken back',
    async (size) => {
      await using tidegate = await startTidegate();
      const { key, api } = await furnish(tidegate);
      const visitor = await createVisitor(tidegate.url, { size });
      const { page } = visitor;
      await signIn(visitor);
      const channels = async () => (await api.get('/api/channel/?id_sort=true')) as Record<string, unknown>[];
      const before = await channels();
      await page.goto('/channel/edit/1');
      await settle(page);
      await panelOf(page, size)
        .getByRole('button', { name: text('channels.action.more', { name: 'Harbour mouth' }) })
        .click();
      await page.getByRole('menuitem', { name: text('channels.action.delete'), exact: true }).click();
      await page.getByText(text('channels.undo.deleted', { name: 'Harbour mouth' })).waitFor();
      expect((await channels()).map(({ id }) => id)).not.toContain(1);
      expect(await calls(tidegate.url, key)).toBe(false);
      await expectSoundScreen(visitor);
      await page.getByRole('button', { name: text('common.undo.action'), exact: true }).click();
      await page.getByText(text('common.undo.done'), { exact: true }).waitFor();
      const facts = (rows: Record<string, unknown>[]) => rows.map((row) => ({ ...row, revision: 0, used_quota: 0 }));
      expect(facts(await channels())).toEqual(facts(before));
      expect(await calls(tidegate.url, key)).toBe(true);
      await visitor.context.close();
    },
  );

  it('desk: ticked channels and all disabled ones are deleted together, and come back together', async () => {
    await using tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url);
    const { page } = visitor;
    await signIn(visitor);
    const ids = async () => ((await api.get('/api/channel/?id_sort=true')) as { id: number }[]).map(({ id }) => id);
    const before = await ids();
    const undo = page.getByRole('button', { name: text('common.undo.action'), exact: true });
    await page.goto('/channel');
    await settle(page);
    await page.getByRole('checkbox', { name: text('common.list.tick_page') }).check();
    await page
      .getByRole('toolbar')
      .getByRole('button', { name: text('channels.action.delete'), exact: true })
      .click();
    await until(async () => (await ids()).length === 0);
    await undo.click();
    await until(async () => (await ids()).length === before.length);
    expect(await ids()).toEqual(before);

    const [first = 0] = before;
    await api.put('/api/channel/', { id: first, status: 2 });
    await page.goto('/channel');
    await settle(page);
    await page.getByRole('button', { name: text('channels.action.more_all'), exact: true }).click();
    await page.getByText(text('channels.action.delete_disabled')).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: text('channels.action.delete_disabled') })
      .click();
    await until(async () => !(await ids()).includes(first));
    await undo.click();
    await until(async () => (await ids()).includes(first));
    expect(await api.get(`/api/channel/${first}`)).toMatchObject({ status: 2 });
    await visitor.context.close();
  });
});
