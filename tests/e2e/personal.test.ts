// What a person changes of the own account, on each size of screen, with and without a network.
import { expect, it } from 'vitest';
import { notices } from '#shared/notices.ts';
import { createVisitor, describeInBrowser } from './support/browser.ts';
import { untilInstalled, untilStored } from './support/device.ts';
import { furnish, signInByApi } from './support/furnish.ts';
import { lookInTurn } from './support/in-turn.ts';
import { text } from './support/texts.ts';
import { startTidegate } from './support/tidegate.ts';
import { expectSoundScreen, openFromMenu, settle, signIn } from './support/visit.ts';

const keeper = { username: 'keeper', password: 'another-lantern' };
const password = { old: text('personal.password.old'), new: text('personal.password.new'), again: text('personal.password.again') };

describeInBrowser('personal settings', () => {
  for (const size of lookInTurn(['phone', 'desk'] as const)) {
    it(`${size}: any person changes the own password; other devices and the access token end, this one stays`, async () => {
      await using tidegate = await startTidegate();
      await furnish(tidegate);
      const visitor = await createVisitor(tidegate.url, { size });
      await signIn(visitor, keeper);
      const elsewhere = await signInByApi(tidegate.url, keeper);
      await elsewhere.get('/api/user/token');
      const { page } = visitor;
      await page.goto('/');
      await openFromMenu(page, size, 'shell.menu.personal');
      await expectSoundScreen(visitor);
      // On a phone the form is in a sheet.
      const open = page.getByRole('button', { name: text('personal.password.title'), exact: true });
      if (size === 'phone') await open.click();
      const save = (size === 'phone' ? page.getByRole('dialog') : page).getByRole('button', { name: text('personal.password.save') });
      await save.click();
      await page.getByText(text('personal.password.old_required')).waitFor();
      await page.getByLabel(password.old).fill('not the old one');
      await page.getByLabel(password.new, { exact: true }).fill('a-new-lantern');
      await page.getByLabel(password.again).fill('a-new-lanter');
      await save.click();
      await page.getByText(text('personal.password.differ')).waitFor();
      await page.getByLabel(password.again).fill('a-new-lantern');
      await save.click();
      await page.getByText('The current password is wrong').waitFor();
      await page.getByLabel(password.old).fill(keeper.password);
      await save.click();
      await page.getByText(notices.access_token_ended.en).waitFor();
      await page.getByText(text('account.token.none'), { exact: true }).waitFor();
      await expect(elsewhere.get('/api/user/self')).rejects.toThrow('/api/user/self');
      await expect(signInByApi(tidegate.url, keeper)).rejects.toThrow('/api/user/login');
      await signInByApi(tidegate.url, { ...keeper, password: 'a-new-lantern' });
      await page.reload();
      await settle(page);
      if (size === 'phone') await open.click();
      await page.getByLabel(password.old).waitFor();
      await expectSoundScreen(visitor);
      await visitor.context.close();
    });
  }

  it('phone: the low-balance mark is set, also without a network; the password waits for one', async () => {
    await using tidegate = await startTidegate();
    await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url, { hasServiceWorker: true, size: 'phone' });
    await signIn(visitor, keeper);
    await visitor.page.goto('/');
    const { page, context } = visitor;
    await untilInstalled(page);
    await page.goto('/personal');
    await settle(page);
    const amount = page.getByLabel(text('personal.mark.label'));
    const save = page.getByRole('button', { name: text('personal.save'), exact: true });
    expect(await save.count()).toBe(0);
    await amount.fill('2');
    await save.click();
    await page.getByText(text('personal.saved')).waitFor();
    await save.waitFor({ state: 'detached' });
    await untilStored(page, 'self');
    await context.setOffline(true);
    await amount.fill('5');
    await page.getByRole('button', { name: text('personal.save_offline'), exact: true }).click();
    await page.getByText(text('personal.mark.waiting', { amount: '$5.00' })).waitFor();
    await page.getByRole('button', { name: text('personal.password.title'), exact: true }).click();
    const needs = text('common.action.needs_connection', { action: text('personal.password.save') });
    expect(await page.getByRole('button', { name: needs }).isDisabled()).toBe(true);
    await page
      .getByRole('dialog')
      .getByRole('button', { name: text('common.action.close') })
      .click();
    await context.setOffline(false);
    await page.getByText(text('personal.mark.waiting', { amount: '$5.00' })).waitFor({ state: 'detached' });
    const api = await signInByApi(tidegate.url, keeper);
    const self = await api.get('/api/user/self');
    expect(JSON.stringify(self)).toContain('\\"quota_warning_threshold\\":2500000');
    await context.close();
  });
});
