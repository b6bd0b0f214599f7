// Groups and chat links are edited as tables, and saved like every setting.
import { expect, it } from 'vitest';
import { createVisitor, describeInBrowser } from './support/browser.ts';
import { furnish } from './support/furnish.ts';
import { lookInTurn } from './support/in-turn.ts';
import { text } from './support/texts.ts';
import { startTidegate } from './support/tidegate.ts';
import { expectSoundScreen, settle, signIn } from './support/visit.ts';

describeInBrowser('tables of settings', () => {
  it.each(lookInTurn(['phone', 'desk'] as const))('%s: a group and a chat link are added, changed and saved', async (size) => {
    await using tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    const valueOf = async (key: string): Promise<unknown> => {
      const options = (await api.get('/api/option/')) as { key: string; value: string }[];
      return JSON.parse(options.find((option) => option.key === key)?.value ?? 'null');
    };
    const visitor = await createVisitor(tidegate.url, { size, scheme: size === 'phone' ? 'dark' : 'light' });
    await signIn(visitor);
    const { page } = visitor;
    const save = async () => {
      await page.getByRole('button', { name: text('settings.save'), exact: true }).click();
      const sure = page.getByRole('button', { name: /^Save \d+ / });
      await Promise.race([sure.waitFor().then(() => sure.click()), page.getByText(/saved/i).first().waitFor()]);
      await settle(page);
    };
    await page.goto('/setting?tab=groups');
    await page.getByLabel(text('setting_parts.groups.new')).fill('trial');
    await page.getByRole('button', { name: text('setting_parts.rows.add'), exact: true }).click();
    await page.getByLabel(text('setting_parts.groups.factor_of', { name: 'trial' })).fill('0.75');
    await page.getByLabel(text('setting_parts.groups.choosable_of', { name: 'trial' })).check({ force: true });
    await page.getByLabel(text('setting_parts.groups.description_of', { name: 'trial' })).fill('For a week');
    await expectSoundScreen(visitor);
    await save();
    await expect.poll(() => valueOf('GroupRatio'), { timeout: 60_000 }).toMatchObject({ trial: 0.75 });
    expect(await valueOf('UserUsableGroups')).toMatchObject({ trial: 'For a week' });

    await api.put('/api/option/', { key: 'Chats', value: JSON.stringify([{ Buoy: 'https://buoy.example/#{key}' }]) });
    await page.goto('/setting?tab=chats');
    await page.getByLabel(text('setting_parts.chats.new')).fill('Lighthouse');
    await page.getByRole('button', { name: text('setting_parts.rows.add'), exact: true }).click();
    await page.getByLabel(text('setting_parts.chats.link_of', { name: 'Lighthouse' })).fill('https://chat.example/#{key}');
    await page.getByRole('button', { name: text('setting_parts.chats.up', { name: 'Lighthouse' }) }).click();
    await expectSoundScreen(visitor);
    await save();
    await expect.poll(() => valueOf('Chats'), { timeout: 60_000 }).toContainEqual({ Lighthouse: 'https://chat.example/#{key}' });
    await visitor.context.close();
  });
});
