// Files that manage settings are listed with what they decide, mark it as read only, and are released, by keys alone as well.
import { expect, it } from 'vitest';
import type { ManagingFile } from '#shared/as-code.ts';
import { createVisitor, describeInBrowser, type VisitorOptions } from './support/browser.ts';
import { furnish } from './support/furnish.ts';
import { lookInTurn } from './support/in-turn.ts';
import { savePicture } from './support/save-picture.ts';
import { text } from './support/texts.ts';
import { startTidegate } from './support/tidegate.ts';
import { expectSoundScreen, panelOf, settle, signIn } from './support/visit.ts';

const looks: Required<VisitorOptions>[] = [
  { size: 'phone', scheme: 'dark', language: 'zh' },
  { size: 'tablet', scheme: 'light', language: 'zh' },
  { size: 'desk', scheme: 'dark', language: 'en' },
];
const gateway = 'version: 1\nname: gateway\nsettings: { RetryTimes: 2 }\ngroups: { batch: { ratio: 0.5 } }\n';
const partners = 'version: 1\nname: partners\ngroups: { partner: { ratio: 0.85, usable: Partners } }\n';

describeInBrowser('files that manage settings', () => {
  it.each(lookInTurn(looks))('are listed and released by keys: $size, $scheme, $language', async (look) => {
    await using tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    const files = [
      { name: 'gateway/main.yaml', text: gateway },
      { name: 'partners.yaml', text: partners },
    ];
    for (const file of files) await api.post('/api/as_code/apply', { files: [file] });
    const visitor = await createVisitor(tidegate.url, look);
    const { page } = visitor;
    const say = (name: string, values = {}) => text(name, values, look.language);
    const button = (name: string, values = {}) => page.getByRole('button', { name: say(name, values), exact: true });
    const names = async () => ((await api.get('/api/as_code/')) as ManagingFile[]).map(({ file }) => file);
    const managed = page.getByText(say('common.managed.note', { file: 'gateway/main.yaml' })).first();
    await signIn(visitor);
    await page.goto('/setting?tab=general');
    await managed.waitFor();
    await button('settings.files.title').focus();
    await page.keyboard.press('Enter');
    const panel = panelOf(page, look.size);
    await panel.getByRole('heading', { name: 'partners.yaml' }).waitFor();
    const counts = ['settings', 'groups'].map((kind) => say(`setting_parts.files.count.${kind}`, { count: 1 }));
    await panel.getByText(counts.join(' · ')).waitFor();
    await expectSoundScreen(visitor);
    await savePicture(visitor, `files-${look.size}-${look.scheme}-${look.language}`);

    const release = panel.getByRole('button', { name: say('setting_parts.files.release'), exact: true });
    await release.first().focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: say('setting_parts.files.release_title', { name: 'gateway' }) });
    await dialog.waitFor();
    // The focus is on the button that leaves; nothing is released by a second Enter.
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(await names()).toEqual(['gateway/main.yaml', 'partners.yaml']);
    await release.first().focus();
    await page.keyboard.press('Enter');
    await dialog.waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await panel.getByRole('heading', { name: 'gateway/main.yaml' }).waitFor({ state: 'detached' });
    expect(await names()).toEqual(['partners.yaml']);
    await settle(page);
    await expectSoundScreen(visitor);
    await page.keyboard.press('Escape');
    await panel.getByRole('heading', { name: 'partners.yaml' }).waitFor({ state: 'detached' });
    expect(await managed.count()).toBe(0);
    await visitor.context.close();
  });
});
