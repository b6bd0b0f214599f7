// Keys in number and over time: several changed together, one renewed in place.
import { expect, it } from 'vitest';
import { createVisitor, describeInBrowser, type VisitorOptions } from './support/browser.ts';
import { furnish, owner, signInByApi } from './support/furnish.ts';
import { lookInTurn } from './support/in-turn.ts';
import { text } from './support/texts.ts';
import { startTidegate } from './support/tidegate.ts';
import { expectSoundScreen, panelOf, settle, signIn } from './support/visit.ts';
import { savePicture } from './support/save-picture.ts';

const looks: Required<VisitorOptions>[] = [
  { size: 'phone', scheme: 'light', language: 'zh' },
  { size: 'tablet', scheme: 'dark', language: 'en' },
  { size: 'desk', scheme: 'light', language: 'en' },
];

interface Row {
  id: number;
  name: string;
  key: string;
  remain_quota: number;
  expired_time: number;
  model_limits: string;
  old_key_until: number;
}

describeInBrowser('tokens in number', () => {
  it.each(lookInTurn(looks))(
    'ticked tokens are refilled together, and one is renewed with time for the old secret: $size, $scheme, $language',
    async (look) => {
      await using tidegate = await startTidegate();
      await furnish(tidegate);
      const api = await signInByApi(tidegate.url, owner);
      await api.post('/api/token/', { name: 'Second watch', remain_quota: 250_000, expired_time: -1 });
      const rows = async () => (await api.get('/api/token/?p=0&size=20')) as Row[];
      const visitor = await createVisitor(tidegate.url, look);
      const { page } = visitor;
      const say = (key: string, values = {}) => text(key, values, look.language);
      const sayMany = (key: string) => say(look.language === 'en' ? `${key}_other` : key, { count: 2 });
      const picture = (name: string) => savePicture(visitor, `${name}-${look.size}-${look.scheme}-${look.language}`);
      await signIn(visitor);
      await page.goto('/token');
      await settle(page);

      if (look.size === 'phone') await page.getByRole('button', { name: say('common.list.choose'), exact: true }).click();
      for (const name of ['Second watch', 'Visitors'])
        await page.getByRole('checkbox', { name: say('common.list.tick_row', { name }) }).check();
      await page.getByRole('button', { name: say('tokens.action.edit_many'), exact: true }).click();
      const panel = panelOf(page, look.size);
      await panel.getByRole('switch', { name: say('token_edits.many.refill'), exact: true }).check();
      await panel.getByRole('switch', { name: say('token_edits.many.expiry'), exact: true }).check();
      await panel.getByRole('button', { name: say('tokens.form.expiry_month'), exact: true }).click();
      const save = panel.getByRole('button', { name: sayMany('token_edits.many.save'), exact: true });
      await save.click();
      await panel.getByText(say('token_edits.many.required'), { exact: true }).waitFor();
      await panel.getByLabel(say('token_edits.many.amount'), { exact: true }).fill('2');
      await settle(page);
      await expectSoundScreen(visitor);
      await picture('many');
      await save.click();
      await page.getByText(sayMany('token_edits.many.done'), { exact: true }).waitFor();
      const changed = (await rows()).filter(({ name }) => name !== 'Field notebook');
      expect(changed.map(({ remain_quota }) => remain_quota)).toEqual([1_250_000, 1_250_000]);
      expect(changed.every(({ expired_time }) => expired_time > Date.now() / 1000 + 29 * 86_400)).toBe(true);

      const before = (await rows()).find(({ name }) => name === 'Visitors');
      if (before === undefined) throw new Error('There is no token of visitors');
      const statusOf = async (key: string) =>
        (await fetch(`${tidegate.url}/v1/models`, { headers: { authorization: `Bearer sk-${key}` } })).status;
      await page.goto(`/token?open=${before.id}`);
      await settle(page);
      await panel.getByRole('button', { name: say('tokens.action.renew'), exact: true }).click();
      const dialog = page.getByRole('dialog', { name: say('token_edits.renew.title', { name: 'Visitors' }), exact: true });
      await dialog.getByRole('button', { name: say('token_edits.renew.week'), exact: true }).click();
      await expectSoundScreen(visitor);
      await picture('renew');
      await dialog.getByRole('button', { name: say('token_edits.renew.confirm'), exact: true }).click();
      const made = page.getByRole('dialog', { name: say('token_edits.renew.done'), exact: true });
      const secret = await made.locator('code').textContent();
      const after = (await rows()).find(({ id }) => id === before.id);
      expect(secret).toBe(`sk-${after?.key}`);
      expect(after?.key).not.toBe(before.key);
      expect([await statusOf(before.key), await statusOf(after?.key ?? '')]).toEqual([200, 200]);
      await expectSoundScreen(visitor);
      await picture('renewed');
      await made.getByRole('button', { name: say('common.action.done'), exact: true }).click();
      await picture('old-secret');
      await expectSoundScreen(visitor);
      await panel.getByRole('button', { name: say('tokens.old_key.end', { count: 1 }), exact: true }).click();
      await page.getByText(say('tokens.old_key.ended'), { exact: true }).waitFor();
      expect([await statusOf(before.key), await statusOf(after?.key ?? '')]).toEqual([401, 200]);
      await visitor.context.close();
    },
  );
});
