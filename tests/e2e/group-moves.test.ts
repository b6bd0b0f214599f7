// Before a group is renamed or removed, the dialog lists its contents and their destination; then the page shows the progress.
import { expect, it } from 'vitest';
import { createVisitor, describeInBrowser, type VisitorOptions } from './support/browser.ts';
import { furnish } from './support/furnish.ts';
import { lookInTurn } from './support/in-turn.ts';
import { text } from './support/texts.ts';
import { startTidegate } from './support/tidegate.ts';
import { expectSoundScreen, settle, signIn } from './support/visit.ts';
import { savePicture } from './support/save-picture.ts';

const looks: Required<VisitorOptions>[] = [
  { size: 'phone', scheme: 'dark', language: 'zh' },
  { size: 'tablet', scheme: 'light', language: 'en' },
  { size: 'desk', scheme: 'dark', language: 'en' },
  { size: 'phone', scheme: 'light', language: 'en' },
  { size: 'desk', scheme: 'light', language: 'zh' },
];

describeInBrowser('groups that move', () => {
  it.each(lookInTurn(looks))('are asked about with the counts, and told of: $size, $scheme, $language', async (look) => {
    await using tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    const groups = async (): Promise<string[]> => (await api.get('/api/group/')) as string[];
    await api.put('/api/option/', { key: 'GroupRatio', value: JSON.stringify({ default: 1, vip: 0.8, empty: 2 }) });
    await api.put('/api/option/', { key: 'UserUsableGroups', value: JSON.stringify({ default: 'for all' }) });
    const member = { username: 'anna', password: 'lantern-and-rope', group: 'vip' };
    await api.post('/api/user/', member);
    const visitor = await createVisitor(tidegate.url, look);
    const { page } = visitor;
    const say = (name: string, values = {}) => text(`setting_parts.${name}`, values, look.language);
    const picture = (name: string) => savePicture(visitor, `${name}-${look.size}-${look.scheme}-${look.language}`);
    await signIn(visitor);
    await page.goto('/setting?tab=groups');
    await settle(page);

    await page.getByRole('button', { name: say('rows.remove', { name: 'empty' }), exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(say('groups.unused'), { exact: true }).waitFor();
    await dialog.getByRole('button', { name: say('groups.remove'), exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(groups).toEqual(['default', 'vip']);

    await page.getByRole('button', { name: say('rows.remove', { name: 'vip' }), exact: true }).click();
    const uses = say('groups.users', { count: '1', number: '1' });
    await dialog.getByText(uses, { exact: true }).waitFor();
    await expectSoundScreen(visitor);
    await picture('remove-group');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });

    // If its contents cannot be read, the dialog allows no decision.
    await page.route('**/api/group/uses?*', (route) => route.fulfill({ json: { success: false, message: 'It failed' } }));
    await page.getByRole('button', { name: say('rows.remove', { name: 'vip' }), exact: true }).click();
    await dialog.getByRole('alert').waitFor();
    await expect.poll(() => dialog.getByRole('button', { name: say('groups.remove'), exact: true }).isDisabled()).toBe(true);
    await picture('failed-group');
    await page.unroute('**/api/group/uses?*');
    await dialog.getByRole('button', { name: text('common.action.retry', {}, look.language), exact: true }).click();
    await dialog.getByText(uses, { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });

    await page.getByRole('button', { name: say('groups.rename_of', { name: 'vip' }), exact: true }).click();
    await dialog.getByText(uses, { exact: true }).waitFor();
    await dialog.getByLabel(say('groups.new_name'), { exact: true }).fill('default');
    await dialog.getByText(say('rows.taken'), { exact: true }).waitFor();
    await dialog.getByLabel(say('groups.new_name'), { exact: true }).fill('gold');
    await picture('rename-group');
    await visitor.context.setOffline(true);
    const needsConnection = text('common.action.needs_connection', { action: say('groups.rename') }, look.language);
    await expect.poll(() => dialog.getByRole('button', { name: needsConnection, exact: true }).isDisabled()).toBe(true);
    await picture('offline-group');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: say('rows.remove', { name: 'vip' }), exact: true }).click();
    await dialog.waitFor();
    await picture('offline-remove-group');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await visitor.context.setOffline(false);
    await page.getByRole('button', { name: say('groups.rename_of', { name: 'vip' }), exact: true }).click();
    await dialog.getByText(uses, { exact: true }).waitFor();
    await dialog.getByLabel(say('groups.new_name'), { exact: true }).fill('gold');
    await dialog.getByRole('button', { name: say('groups.rename'), exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('status').filter({ hasText: 'gold' }).first().waitFor();
    expect(await groups()).toEqual(['default', 'gold', 'vip']);
    await settle(page);
    await expectSoundScreen(visitor);
    await picture('moving-group');
    await visitor.context.close();
  });
});
