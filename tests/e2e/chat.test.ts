// Chat applications of the site: the first enabled token, sandboxed frames, and only links that may be followed.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '#tests/support/until.ts';
import { createVisitor, describeInBrowser } from './support/browser.ts';
import { furnish, type Furnished } from './support/furnish.ts';
import { lookInTurn } from './support/in-turn.ts';
import { text } from './support/texts.ts';
import { startTidegate, type Tidegate } from './support/tidegate.ts';
import { expectSoundScreen, signIn } from './support/visit.ts';

/** A chat application: shows its address's fragment and the messages that it receives. */
const page = `<!doctype html><title>chat</title><p id=given></p><p id=told></p><script>
given.textContent = decodeURIComponent(location.hash);
addEventListener('message', (event) => { told.textContent += JSON.stringify(event.data); });
try { top.document.title = 'taken over'; } catch {}
</script>`;

describeInBrowser('chat', () => {
  let tidegate: Tidegate;
  let furnished: Furnished;
  let chatUrl: string;
  let requested = 0;
  const application = createServer((_request, response) => {
    requested += 1;
    response.writeHead(200, { 'content-type': 'text/html' }).end(page);
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => application.listen(0, '127.0.0.1', resolve));
    chatUrl = `http://127.0.0.1:${(application.address() as AddressInfo).port}`;
    tidegate = await startTidegate();
    furnished = await furnish(tidegate);
    const chats = [
      { Lantern: `${chatUrl}/#/?settings={"key":"{key}","url":"{address}"}` },
      { Program: 'ama://set-api-key?server={address}&key={key}' },
    ];
    await furnished.api.put('/api/option/', { key: 'Chats', value: JSON.stringify(chats) });
  });
  afterAll(async () => {
    await tidegate.close();
    await new Promise((resolve) => application.close(resolve));
  });

  it.each(lookInTurn(['phone', 'desk'] as const))(
    'on a %s: a page opens in a frame of its own with the key, a program by a link',
    async (size) => {
      requested = 0;
      const visitor = await createVisitor(tidegate.url, { size });
      await signIn(visitor);
      await visitor.page.goto('/chat');
      await visitor.page.getByRole('main').getByRole('link', { name: 'Lantern' }).click();
      // The application is not loaded, nor requested, before the user has chosen its key.
      await visitor.page.getByRole('heading', { name: text('chat.ask.title', { name: 'Lantern' }) }).waitFor();
      await expectSoundScreen(visitor);
      expect(await visitor.page.locator('iframe').count()).toBe(0);
      expect(requested).toBe(0);
      await visitor.page.getByRole('button', { name: text('chat.ask.create') }).click();
      const frame = visitor.page.frameLocator('iframe');
      await frame.getByText('"key":"sk-').waitFor();
      expect(await frame.locator('#given').innerText()).toContain(`"url":"${tidegate.url}"`);
      await until(async () => (await frame.locator('#told').innerText()).includes('"themeMode":"light"'));
      expect(await visitor.page.title()).not.toContain('taken over');
      const sandbox = (await visitor.page.locator('iframe').getAttribute('sandbox')) ?? '';
      expect(sandbox).not.toContain('allow-top-navigation');
      // The choice is remembered until another key is wanted.
      await visitor.page.reload();
      await frame.getByText('"key":"sk-').waitFor();
      await visitor.page.getByRole('button', { name: text('chat.other_key') }).click();
      await visitor.page.getByRole('heading', { name: text('chat.ask.title', { name: 'Lantern' }) }).waitFor();
      expect(await visitor.page.locator('iframe').count()).toBe(0);
      await visitor.page.goto('/chat/1');
      await giveFirst(visitor.page);
      const link = visitor.page.getByRole('link', { name: text('chat.program') });
      expect(await link.getAttribute('href')).toMatch(/^ama:\/\/set-api-key\?server=http.*&key=sk-\w{48}$/);
      expect(await visitor.page.locator('iframe').count()).toBe(0);
      visitor.complaints.length = 0;
      await expectSoundScreen(visitor);
      await visitor.page.goto('/chat/7');
      await visitor.page.getByText(text('chat.no_link')).waitFor();
      await visitor.context.close();
    },
  );

  it('/chat2link leads to the first application; who has no enabled token is led to the tokens', async () => {
    const visitor = await createVisitor(tidegate.url);
    await signIn(visitor);
    await visitor.page.goto('/chat2link');
    await visitor.page.waitForURL('**/chat/0');
    await giveFirst(visitor.page);
    await visitor.page.frameLocator('iframe').getByText('"key":"sk-').waitFor();
    await visitor.context.close();
    const other = await createVisitor(tidegate.url);
    await signIn(other, { username: 'keeper', password: 'another-lantern' });
    await other.page.goto('/chat2link');
    await other.page.getByText(text('chat.no_token')).waitFor();
    await other.page.waitForURL('**/token');
    expect(await other.page.locator('iframe').count()).toBe(0);
    await other.context.close();
  });

  it('a visitor without an account is asked to sign in, and comes back', async () => {
    const visitor = await createVisitor(tidegate.url, { size: 'phone' });
    await visitor.page.goto('/chat/0');
    await visitor.page
      .getByRole('main')
      .getByRole('link', { name: text('chat.sign_in') })
      .click();
    await visitor.page.waitForURL('**/login?**');
    await visitor.page.getByLabel(text('session.login.username')).fill('harbour');
    await visitor.page.getByLabel(text('session.login.password'), { exact: true }).fill('lantern-and-rope');
    await visitor.page.getByRole('button', { name: text('session.login.submit'), exact: true }).click();
    await visitor.page.waitForURL('**/chat/0');
    await giveFirst(visitor.page);
    await visitor.page.frameLocator('iframe').getByText('"key":"sk-').waitFor();
    expect(await visitor.page.locator('iframe').count()).toBe(1);
    await visitor.context.close();
  });
});

/** The first of the tokens that there are, instead of a new one. */
async function giveFirst(shown: Page): Promise<void> {
  const choice = shown.getByLabel(text('chat.ask.token'));
  await choice.selectOption({ index: 1 });
  await shown.getByRole('button', { name: text('chat.ask.give') }).click();
}
