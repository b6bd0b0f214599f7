// What a visitor is offered: only what works here, and where it does not, a reason in the visitor's language.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '#server/db/open.ts';
import { storeEarlierOption } from '#tests/support/earlier-option.ts';
import { createVisitor, describeInBrowser } from './support/browser.ts';
import { furnish } from './support/furnish.ts';
import { text } from './support/texts.ts';
import { startTidegate } from './support/tidegate.ts';
import { expectSoundScreen, settle, signIn } from './support/visit.ts';

/** What switches of features to come need, and the switches, which are refused. */
const toCome = [
  { key: 'TurnstileSiteKey', value: 'site' },
  { key: 'TurnstileSecretKey', value: 'secret' },
  { key: 'TurnstileCheckEnabled', value: 'true' },
  { key: 'GitHubClientId', value: 'client' },
  { key: 'GitHubClientSecret', value: 'secret' },
  { key: 'GitHubOAuthEnabled', value: 'true' },
  { key: 'oidc.client_id', value: 'client' },
  { key: 'oidc.client_secret', value: 'secret' },
  { key: 'oidc.enabled', value: 'true' },
  { key: 'TelegramBotToken', value: '1:bot' },
  { key: 'TelegramOAuthEnabled', value: 'true' },
];

describeInBrowser('visitors', () => {
  it('with e-mail verification on from an earlier version, registration says why it is closed, and nothing leads to it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidegate-visitors-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const databaseUrl = `file:${join(folder, 'tidegate.db')}`;
    await using tidegate = await startTidegate({ DATABASE_URL: databaseUrl });
    await furnish(tidegate);
    await tidegate.stop();
    const db = await openDatabase(databaseUrl);
    await storeEarlierOption(db, 'EmailVerificationEnabled', 'true');
    await db.close();
    await tidegate.restart();
    for (const language of ['zh', 'en'] as const) {
      const visitor = await createVisitor(tidegate.url, { language, size: language === 'zh' ? 'phone' : 'desk' });
      const { page } = visitor;
      await page.goto('/register');
      await page.getByText(text('register.shut.no_mail', {}, language)).waitFor();
      expect(await page.locator('form').count()).toBe(0);
      await expectSoundScreen(visitor);
      for (const path of ['/login', '/']) {
        await page.goto(path);
        await settle(page);
        expect(await page.getByRole('link', { name: text('session.register.link', {}, language) }).count(), path).toBe(0);
      }
      await visitor.context.close();
    }
  });

  it('switches of features to come change nothing on the sign-in, and are not offered in the settings', async () => {
    await using tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    for (const option of toCome) {
      const saved = api.put('/api/option/', option);
      if (option.value === 'true') await expect(saved).rejects.toThrow(/此版本还没有这项功能|does not have that feature/);
      else await saved;
    }
    const visitor = await createVisitor(tidegate.url);
    const { page } = visitor;
    const foreign = /turnstile|github|oidc|telegram|wechat|linux\s?do|third-party/i;
    for (const path of ['/login', '/register']) {
      await page.goto(path);
      await settle(page);
      expect(await page.locator('body').innerText(), path).not.toMatch(foreign);
      expect(await page.locator('iframe').count(), path).toBe(0);
    }
    await signIn(visitor);
    await page.goto('/setting');
    await settle(page);
    expect(await page.locator('body').innerText()).not.toMatch(foreign);
    await expectSoundScreen(visitor);
    await visitor.context.close();
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
    await phone.page.getByRole('button', { name: text('shell.menu.more') }).click();
    await phone.page
      .getByRole('dialog')
      .getByRole('link', { name: text('shell.docs') })
      .waitFor();
    await expectSoundScreen(phone);
    await phone.context.close();
  });
});
