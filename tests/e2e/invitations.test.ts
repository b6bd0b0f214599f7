// A list is pasted and checked, links are made, and a person follows one: a password, and signed in, in the guide.
import { expect, it } from 'vitest';
import { createVisitor, describeInBrowser, type Visitor, type VisitorOptions } from './support/browser.ts';
import { furnish } from './support/furnish.ts';
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
const list = 'name;mail;group;balance\nanna;anna@example.org;default;"2,5"\nkeeper;;;\nbert;bert@example.org;moon;\n';

describeInBrowser('invitations', () => {
  it.each(lookInTurn(looks))('are made of a list, and followed into the guide: $size, $scheme, $language', async (look) => {
    await using tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url, look);
    const { page } = visitor;
    const say = (name: string, values = {}) => text(name, values, look.language);
    const sayOne = (name: string) => say(look.language === 'en' ? `${name}_one` : name, { count: 1 });
    const picture = (of: Visitor, name: string) => savePicture(of, `${name}-${look.size}-${look.scheme}-${look.language}`);
    await signIn(visitor);
    await page.goto('/user');
    await settle(page);
    await page.getByRole('link', { name: say('users.action.invitations'), exact: true }).click();
    await page.getByText(say('invitations.empty.title'), { exact: true }).waitFor();
    await settle(page);
    await expectSoundScreen(visitor);
    await page
      .getByRole('button', { name: say('invitations.action.invite'), exact: true })
      .first()
      .click();
    const panel = panelOf(page, look.size);
    await panel.getByLabel(say('invitations.form.list'), { exact: true }).fill(list);
    await panel.getByRole('button', { name: say('invitations.action.check'), exact: true }).click();
    await panel.getByText(say('invitations.line.name_taken'), { exact: true }).waitFor();
    await panel.getByText(say('invitations.line.group_unknown'), { exact: true }).waitFor();
    await panel.getByText(say('invitations.line.ready'), { exact: true }).scrollIntoViewIfNeeded();
    await settle(page);
    await expectSoundScreen(visitor);
    await picture(visitor, 'invite');
    await panel.getByRole('button', { name: sayOne('invitations.action.invite_count'), exact: true }).click();
    const link = await panel.locator('code').textContent();
    expect(link).toMatch(/\/invitation#\w{32}$/);
    await panel.getByText(say('invitations.line.group_unknown'), { exact: true }).waitFor();
    await expectSoundScreen(visitor);
    // What was left out is corrected without typing it again.
    const correct = look.language === 'en' ? 'invitations.made.correct_other' : 'invitations.made.correct';
    await panel.getByRole('button', { name: say(correct, { count: 2 }), exact: true }).click();
    const again = panel.getByLabel(say('invitations.form.list'), { exact: true });
    await expect.poll(() => again.inputValue()).toBe('keeper;;;\nbert;bert@example.org;moon;');
    await again.fill('bert;bert@example.org;default;');
    await panel.getByRole('button', { name: say('invitations.action.check'), exact: true }).click();
    await panel.getByRole('button', { name: sayOne('invitations.action.invite_count'), exact: true }).click();
    await panel.locator('code').waitFor();
    await panel.getByRole('button', { name: say('common.action.done'), exact: true }).click();
    await page.getByText('bert', { exact: true }).waitFor();
    await page.getByText('anna', { exact: true }).waitFor();
    await settle(page);
    await expectSoundScreen(visitor);
    await picture(visitor, 'invitations');
    await page.getByText('anna', { exact: true }).click();
    await panel.getByRole('button', { name: say('invitations.action.withdraw'), exact: true }).waitFor();
    await settle(page);
    await expectSoundScreen(visitor);
    await picture(visitor, 'invitation');
    await visitor.context.close();

    const guest = await createVisitor(tidegate.url, look);
    await guest.page.goto(link ?? '');
    const password = guest.page.getByLabel(say('session.login.password'), { exact: true });
    await password.waitFor();
    await settle(guest.page);
    await expectSoundScreen(guest);
    await picture(guest, 'accept');
    await password.fill('lantern-and-rope');
    await guest.page.getByRole('button', { name: say('invitation.accept'), exact: true }).click();
    await guest.page.waitForURL((url) => url.pathname === '/first-call');
    await settle(guest.page);
    await guest.context.close();
    const { items } = (await api.get('/api/user/search?keyword=anna')) as { items: { username: string; quota: number }[] };
    expect(items).toMatchObject([{ username: 'anna', quota: 1_250_000 }]);
  });
});
