// A session that ends while something is typed: the form stays, and the sign-in stands over it.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createVisitor, describeInBrowser, type Visitor, type VisitorOptions } from './support/browser.ts';
import { furnish, owner } from './support/furnish.ts';
import { lookInTurn } from './support/in-turn.ts';
import { text } from './support/texts.ts';
import { startTidegate, type Tidegate } from './support/tidegate.ts';
import { settle, signIn } from './support/visit.ts';

const shots = process.env['SHOTS'];

describeInBrowser('a session that ends', () => {
  let tidegate: Tidegate;
  beforeAll(async () => {
    tidegate = await startTidegate();
    await furnish(tidegate);
  });
  afterAll(() => tidegate.close());

  const nameOf = (page: Page, language: 'zh' | 'en') => page.getByLabel(text('tokens.form.name', {}, language), { exact: true });
  const again = (page: Page, language: 'zh' | 'en') => page.getByRole('dialog', { name: text('signin.again.title', {}, language) });

  const send = (page: Page, language: 'zh' | 'en') =>
    page
      .getByRole('button', { name: text('tokens.action.create', {}, language) })
      .last()
      .click();

  async function typed(visitor: Visitor, language: 'zh' | 'en' = 'en'): Promise<Page> {
    const { page } = visitor;
    await signIn(visitor);
    await page.goto('/token?open=new');
    await nameOf(page, language).fill('kept through the night');
    await settle(page);
    return page;
  }

  async function enter(page: Page, account: typeof owner, language: 'zh' | 'en' = 'en'): Promise<void> {
    const dialog = again(page, language);
    await dialog.getByLabel(text('session.login.username', {}, language)).fill(account.username);
    await dialog.getByLabel(text('session.login.password', {}, language), { exact: true }).fill(account.password);
    await dialog.getByRole('button', { name: text('session.login.submit', {}, language), exact: true }).click();
  }

  /** Any call is refused from now on, and one is made. */
  async function endSession(page: Page, language: 'zh' | 'en' = 'en'): Promise<void> {
    await page.context().clearCookies();
    await send(page, language);
  }

  const looks: VisitorOptions[] = [
    { size: 'desk', language: 'en', scheme: 'light' },
    { size: 'tablet', language: 'en', scheme: 'dark' },
    { size: 'phone', language: 'zh', scheme: 'dark' },
  ];
  it.each(lookInTurn(looks))('$size: keeps what was typed, and sends it after the same account has signed in', async (look) => {
    const { size = 'desk', language = 'en' } = look;
    const visitor = await createVisitor(tidegate.url, look);
    const page = await typed(visitor, language);
    await endSession(page, language);
    await again(page, language).waitFor();
    if (shots !== undefined) await page.screenshot({ path: `${shots}/session-end-${size}.png` });
    expect(new URL(page.url()).pathname).toBe('/token');
    await enter(page, owner, language);
    await again(page, language).waitFor({ state: 'detached' });
    expect(await nameOf(page, language).inputValue()).toBe('kept through the night');
    await send(page, language);
    await page.getByText(/^sk-\w{48}$/).waitFor();
    await visitor.context.close();
  });
});
