// Signing out without a network: every tab forgets the user at once, and the server is notified as soon as possible.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { until } from '#tests/support/until.ts';
import { createVisitor, describeInBrowser, type Visitor } from './support/browser.ts';
import { everythingStored, storedKinds, untilInstalled, untilStored } from './support/device.ts';
import { furnish, owner } from './support/furnish.ts';
import { text } from './support/texts.ts';
import { startTidegate, type Tidegate } from './support/tidegate.ts';
import { settle, signInByForm } from './support/visit.ts';

describeInBrowser('sign-out', () => {
  it('without a network clears every tab at once, and ends the session when there is one again', async () => {
    await using tidegate = await startTidegate();
    await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url, { hasServiceWorker: true });
    const { first, second } = await twoTabs(visitor);
    const session = await sessionCookie(visitor);
    expect(await statusWith(tidegate, session)).toBe(200);

    await visitor.context.setOffline(true);
    await signOut(first);
    for (const page of [first, second]) {
      await page.waitForURL('**/login');
      await page.getByRole('heading', { name: text('session.login.title') }).waitFor();
      expect(await page.locator('body').innerText()).not.toContain('gpt-4o-mini');
    }
    await until(async () => (await storedKinds(second)).length === 0);
    const left = await everythingStored(second);
    expect(left).not.toContain('Field notebook');
    expect(left).not.toContain(owner.username);
    expect(await statusWith(tidegate, session), 'nobody could tell the server yet').toBe(200);

    await visitor.context.setOffline(false);
    await until(async () => (await statusWith(tidegate, session)) === 401);
    await visitor.context.close();
  });

  it('that was never told is told at the next start, before anything is shown', async () => {
    await using tidegate = await startTidegate();
    await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url, { hasServiceWorker: true });
    const { first, second } = await twoTabs(visitor);
    const session = await sessionCookie(visitor);
    await visitor.context.setOffline(true);
    await signOut(first);
    await first.waitForURL('**/login');
    await first.close();
    await second.close();

    await visitor.context.setOffline(false);
    const requested: string[] = [];
    visitor.context.on('request', (request) => {
      if (request.url().includes('/api/')) requested.push(new URL(request.url()).pathname);
    });
    const page = await visitor.context.newPage();
    await page.goto('/log');
    await page.waitForURL('**/login?**');
    await until(async () => (await statusWith(tidegate, session)) === 401);
    expect(requested[0]).toBe('/api/user/logout');
    await visitor.context.close();
  });

  it('does not sign out whoever signs in next', async () => {
    await using tidegate = await startTidegate();
    await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url, { hasServiceWorker: true });
    const { first, second } = await twoTabs(visitor);
    const former = await sessionCookie(visitor);
    await second.close();
    await visitor.context.setOffline(true);
    await signOut(first);
    await first.waitForURL('**/login');
    // The server's answers to sign-outs are lost: only the sign-in gets through.
    await visitor.context.route('**/api/user/logout*', (route) => route.abort());
    await visitor.context.setOffline(false);
    await signInByForm({ ...visitor, page: first }, { username: 'keeper', password: 'another-lantern' });
    await visitor.context.unroute('**/api/user/logout*');
    expect(await statusWith(tidegate, former), 'the session before').toBe(401);
    await first.reload();
    await settle(first);
    expect(new URL(first.url()).pathname).not.toBe('/login');
    await visitor.context.close();
  });
});

/** Both with something of the account on screen, and everything for a start without a network on the device. */
async function twoTabs(visitor: Visitor): Promise<{ first: Page; second: Page }> {
  await signInByForm(visitor);
  const first = visitor.page;
  await untilInstalled(first);
  await first.goto('/token');
  await settle(first);
  const second = await visitor.context.newPage();
  await second.goto('/log');
  await second.getByText('gpt-4o-mini').first().waitFor();
  await settle(second);
  await untilStored(first, 'self', 'logs', 'tokens');
  return { first, second };
}

async function signOut(page: Page): Promise<void> {
  // The account's menu is the last of the bar.
  await page.getByRole('banner').getByRole('button').last().click();
  await page.getByText(text('session.logout.action'), { exact: true }).click();
}

async function sessionCookie({ context }: Visitor): Promise<string> {
  const cookie = (await context.cookies()).find(({ name }) => name === 'session');
  if (cookie === undefined) throw new Error('Nobody is signed in');
  return `session=${cookie.value}`;
}

/** Returns the server's response to a client that still has the cookie. */
async function statusWith(tidegate: Tidegate, cookie: string): Promise<number> {
  const headers = { cookie, 'new-api-user': '1' };
  return (await fetch(`${tidegate.url}/api/user/self`, { headers })).status;
}
