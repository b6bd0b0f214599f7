// A change is made in one panel, found in the audit log with its difference, and in the history of its record.
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

describeInBrowser('audit log', () => {
  it.each(lookInTurn(looks))('finds a change and the history of its record: $size, $scheme, $language', async (look) => {
    await using tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    const channels = (await api.get('/api/channel/')) as { id: number; name: string }[];
    const { id = 0 } = channels.find(({ name }) => name === 'Spare') ?? {};
    await api.put('/api/channel/', { id, weight: 20, models: 'gpt-4o,o3-mini', key: 'a-new-upstream-key' });
    await api.put('/api/option/', { key: 'RetryTimes', value: '2' });
    await api.post('/api/redemption/', { name: 'Spring', quota: 500_000, count: 5 });
    const visitor = await createVisitor(tidegate.url, look);
    const { page } = visitor;
    const say = (name: string, values = {}) => text(name, values, look.language);
    const picture = (name: string) => savePicture(visitor, `${name}-${look.size}-${look.scheme}-${look.language}`);
    await signIn(visitor);
    await page.goto('/audit-log');
    await page.getByText('Spare', { exact: true }).first().waitFor();
    await settle(page);
    await expectSoundScreen(visitor);
    await picture('audit-log');
    await page.getByText('Spare', { exact: true }).first().click();
    const panel = panelOf(page, look.size);
    await panel.getByText('o3-mini').waitFor();
    expect(await panel.textContent()).not.toContain('a-new-upstream-key');
    await settle(page);
    await expectSoundScreen(visitor);
    await picture('audit-entry');
    await panel.getByRole('button', { name: say('audit.tab.history'), exact: true }).click();
    await panel.getByText(say('audit.action.created'), { exact: true }).waitFor();
    await settle(page);
    await expectSoundScreen(visitor);
    await picture('audit-history');
    await page.goto(`/channel/edit/${id}`);
    const editor = panelOf(page, look.size);
    await editor.getByRole('button', { name: say('editing.history') }).click();
    await editor.getByText(say('audit.action.key_replaced'), { exact: true }).waitFor();
    await settle(page);
    await editor.getByText(say('audit.action.key_replaced'), { exact: true }).scrollIntoViewIfNeeded();
    await expectSoundScreen(visitor);
    await picture('channel-history');
  });
});
