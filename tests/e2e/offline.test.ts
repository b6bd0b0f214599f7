// The console without a network, and with a server that does not answer.
import type { BrowserContext, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { createVisitor, describeInBrowser, type Visitor } from './support/browser.ts';
import { everythingStored, storedKinds, untilInstalled, untilStored } from './support/device.ts';
import { furnish, owner } from './support/furnish.ts';
import { lookInTurn } from './support/in-turn.ts';
import { text } from './support/texts.ts';
import { startTidegate } from './support/tidegate.ts';
import { panelOf, settle, signInByForm } from './support/visit.ts';

describeInBrowser('offline', () => {
  it('phone: opens cold without a network: balance, prices and recent logs, each with its age', async () => {
    await using tidegate = await startTidegate();
    await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url, { hasServiceWorker: true, size: 'phone' });
    await lookAround(visitor);
    const { context } = visitor;
    await context.setOffline(true);

    const page = await coldPage(visitor);
    await page.goto('/', { waitUntil: 'commit' });
    await page.getByText(text('home.balance.title'), { exact: true }).waitFor();
    await page.getByText('gpt-4o-mini').first().waitFor();
    await page.getByText(text('common.freshness.offline'), { exact: true }).waitFor();
    expect(await ages(page)).toBeGreaterThan(0);
    await settle(page);
    expect(await page.getByText(text('common.load.not_here'), { exact: true }).count(), 'blocks of home that are not kept').toBe(0);

    for (const [screen, shown] of [
      ['/pricing', 'gpt-4o-mini'],
      ['/log', 'gpt-4o-mini'],
      ['/token', 'Field notebook'],
    ] as const) {
      await page.goto(screen);
      await page.getByRole('main').getByText(shown).first().waitFor();
      expect(await ages(page), `${screen} says how old it is`).toBeGreaterThan(0);
    }
    await page.goto('/user');
    await page.getByText(text('common.load.not_here'), { exact: true }).waitFor();
    expect(visitor.complaints).toEqual([]);
    await context.close();
  });

  for (const size of lookInTurn(['phone', 'desk'] as const)) {
    it(`${size}: what needs a connection says so, and no word of it is cut`, async () => {
      await using tidegate = await startTidegate();
      await furnish(tidegate);
      const visitor = await createVisitor(tidegate.url, { hasServiceWorker: true, size });
      await signInByForm(visitor);
      const { page, context } = visitor;
      await untilInstalled(page);
      const screens = ['/token', '/channel', '/user', '/log', '/setting', '/token?open=new', '/channel/add', '/user/add'];
      for (const screen of screens) {
        await page.goto(screen);
        await settle(page);
      }
      await untilStored(page, 'tokens', 'channels', 'users', 'logs', 'options');
      await context.setOffline(true);
      for (const screen of screens) {
        await page.goto(screen);
        await page.getByText(text('common.freshness.offline'), { exact: true }).first().waitFor();
        const place = /new|add/.test(screen) ? panelOf(page, size) : page.getByRole('main');
        // Of the log it is what the menu offers.
        if (screen !== '/setting' && screen !== '/log') await place.locator('button:disabled').first().waitFor();
        expect(await cutWords(page), `${screen}: words that are cut`).toEqual([]);
      }
      for (const [screen, action] of [
        ['/user', 'users.action.add'],
        ['/channel', 'channels.action.add'],
        ['/token', 'tokens.action.create'],
      ] as const) {
        await page.goto(screen);
        const label = text('common.action.needs_connection', { action: text(action) });
        expect(await page.getByRole('button', { name: label, exact: true }).isDisabled(), label).toBe(true);
      }
      await context.close();
    });
  }

  it('desk: a server that is away is told apart from a network that is, and found again by itself', async () => {
    await using tidegate = await startTidegate({ isOwnProcess: true });
    await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url, { hasServiceWorker: true });
    await lookAround(visitor);
    await tidegate.stop();

    const page = await coldPage(visitor);
    await page.goto('/');
    await page.getByText(text('home.balance.title'), { exact: true }).waitFor();
    await page.getByText(text('common.freshness.server_away'), { exact: true }).waitFor();
    expect(await ages(page)).toBeGreaterThan(0);
    await tidegate.restart();
    await page.getByText(text('common.freshness.live'), { exact: true }).waitFor({ timeout: 45_000 });
    await visitor.context.close();
  });

  it('no key is kept on the device, and signing out leaves nothing of the account', async () => {
    await using tidegate = await startTidegate();
    const { key, api } = await furnish(tidegate);
    const self = (await api.get('/api/user/self')) as { display_name: string; username: string };
    const visitor = await createVisitor(tidegate.url, { hasServiceWorker: true });
    await lookAround(visitor);
    const { page, context } = visitor;
    const stored = await everythingStored(page);
    expect(stored).toContain('Field notebook');
    expect(stored).not.toContain(key.slice(3));
    expect(stored).not.toContain('upstream-key');

    await page
      .getByRole('banner')
      .getByRole('button', { name: self.display_name || self.username })
      .click();
    await page.getByText(text('session.logout.action'), { exact: true }).click();
    // Only when everything is forgotten.
    await page.waitForURL('**/login');
    await settle(page);
    expect(await storedKinds(page)).toEqual([]);
    const left = await everythingStored(page);
    expect(left).not.toContain('Field notebook');
    expect(left).not.toContain(owner.username);
    await context.close();
  });
});

/** Signs in and opens what the next tests want to see again, until the device has it. */
async function lookAround(visitor: Visitor): Promise<void> {
  const { page } = visitor;
  await signInByForm(visitor);
  await untilInstalled(page);
  for (const screen of ['/pricing', '/log', '/token', '/']) {
    await page.goto(screen);
    await settle(page);
  }
  await untilStored(page, 'self', 'logs', 'tokens');
  expect(visitor.complaints).toEqual([]);
}

/** Disabled buttons and the screen's title, where they do not show all of their words. */
function cutWords(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const words = document.querySelectorAll<HTMLElement>('button:disabled :is(span, div):not(:has(*)), header h1');
    return [...words]
      .filter((element) => {
        const shown = (element.closest('button') ?? element).getBoundingClientRect();
        const range = document.createRange();
        range.selectNodeContents(element);
        const needed = range.getBoundingClientRect();
        const isCut = needed.left < shown.left - 1 || needed.right > shown.right + 1 || needed.bottom > shown.bottom + 1;
        return isCut || element.scrollWidth > element.clientWidth + 1;
      })
      .map((element) => element.textContent);
  });
}

/** A page that has nothing in memory: what it shows comes from the device. */
async function coldPage({ page, context }: { page: Page; context: BrowserContext }): Promise<Page> {
  await page.close();
  return context.newPage();
}

/** How many parts of the screen say from when they are. */
async function ages(page: Page): Promise<number> {
  const [before = ''] = text('common.freshness.as_of', { time: '\u0000' }).split('\u0000');
  const [rows = ''] = text('common.load.rows_from', { time: '\u0000' }).split('\u0000');
  return (await page.getByText(new RegExp(`${before}|${rows}`)).count()) + (await page.getByText(/ (min|h|d) old$/).count());
}
