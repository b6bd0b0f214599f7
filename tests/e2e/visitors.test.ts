// What a visitor is offered: only what works here, and where it does not, a reason in the visitor's language.
import { expect, it } from 'vitest';
import { createVisitor, describeInBrowser } from './support/browser.ts';
import { furnish } from './support/furnish.ts';
import { text } from './support/texts.ts';
import { startTidegate } from './support/tidegate.ts';
import { expectSoundScreen, settle, signIn } from './support/visit.ts';

describeInBrowser('visitors', () => {
  it('with e-mail verification on, registration asks for the address and its code', async () => {
    await using tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    await api.put('/api/option/', { key: 'EmailVerificationEnabled', value: 'true' });
    for (const language of ['zh', 'en'] as const) {
      const visitor = await createVisitor(tidegate.url, { language, size: language === 'zh' ? 'phone' : 'desk' });
      const { page } = visitor;
      await page.goto('/register');
      await page.getByLabel(text('register.code', {}, language), { exact: true }).waitFor();
      await page.getByRole('button', { name: text('register.code_send', {}, language) }).click();
      await page.getByText(text('register.problem.email_required', {}, language)).waitFor();
      await expectSoundScreen(visitor);
      await visitor.context.close();
    }
  });

  it('the documents of the site are one step away once they have an address', async () => {
    await using tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    await api.put('/api/option/', { key: 'general_setting.docs_link', value: 'https://docs.example.org/start' });
    const desk = await createVisitor(tidegate.url);
    await desk.page.goto('/');
    await settle(desk.page);
    const link = desk.page.getByRole('link', { name: text('shell.docs') });
    expect(await link.getAttribute('href')).toBe('https://docs.example.org/start');
    await expectSoundScreen(desk);
    await desk.context.close();
    const phone = await createVisitor(tidegate.url, { size: 'phone' });
    await signIn(phone);
    await phone.page.goto('/');
    await phone.page.getByRole('button', { name: text('shell.menu.more') }).click();
    await phone.page
      .getByRole('dialog')
      .getByRole('link', { name: text('shell.docs') })
      .waitFor();
    await expectSoundScreen(phone);
    await phone.context.close();
  });
});
