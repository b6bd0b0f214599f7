// Every screen for people without an administrator's rights and for administrators who are not the first: while all is well, while the
// server is slow, while every call fails, and without a network. What the first administrator sees is in `screens.test.ts`.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createVisitor, describeInBrowser, type Visitor, type VisitorOptions } from './support/browser.ts';
import { furnish } from './support/furnish.ts';
import { inTurn } from './support/in-turn.ts';
import { recordScreens, shellScreens } from './support/screens.ts';
import { text } from './support/texts.ts';
import { startTidegate, type Tidegate } from './support/tidegate.ts';
import { expectSoundScreen, settle, signIn } from './support/visit.ts';

const people = {
  'a user': { username: 'keeper', password: 'another-lantern' },
  'an administrator': { username: 'warden', password: 'third-lantern' },
};
type Person = keyof typeof people;

/** Only administrators open them. */
const deskScreens = [
  '/audit-log',
  '/balances',
  '/bill',
  '/channel',
  '/channel-keys',
  '/invitations',
  '/price-updates',
  '/redemption',
  '/setting',
  '/user',
  '/user-tokens',
];
/** Only super administrators do. */
const rootScreens = ['/backup', '/import'];
const isClosedTo = (person: Person, screen: string) =>
  [...rootScreens, ...(person === 'a user' ? deskScreens : [])].some((path) => screen === path || screen.startsWith(`${path}/`));
const screens = [...shellScreens.filter((screen) => !screen.includes('$')), ...recordScreens(1), '/token?open=new', '/no/such/page'];
/** Style sheets are preloaded for a screen, also for one that the user may not open. */
const closedAhead = /was preloaded using link preload but not used/;
/** Browser messages about that, and about calls that fail on purpose. */
const failing = new RegExp(`${closedAhead.source}|Failed to load resource|ERR_INTERNET_DISCONNECTED|^500: `);
const slowMs = 400;

const conditions: Record<string, Required<VisitorOptions>> = {
  'all is well, on a phone': { size: 'phone', scheme: 'light', language: 'zh' },
  'all is well, on a tablet': { size: 'tablet', scheme: 'dark', language: 'en' },
  'all is well, at a desk': { size: 'desk', scheme: 'light', language: 'en' },
  'the server is slow': { size: 'desk', scheme: 'dark', language: 'zh' },
  'every call fails': { size: 'phone', scheme: 'dark', language: 'en' },
  'there is no network': { size: 'phone', scheme: 'light', language: 'zh' },
};

const weathers = Object.keys(conditions).length;
/** The first of them, in which all is well. */
const calm = 3;

describeInBrowser('roles', () => {
  let tidegate: Tidegate;
  beforeAll(async () => {
    tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    const { username, password } = people['an administrator'];
    await api.post('/api/user/', { username, password, display_name: 'Warden' });
    await api.post('/api/user/manage', { id: 3, action: 'promote' });
    await api.put('/api/option/', { key: 'Chats', value: JSON.stringify([{ Lighthouse: `${tidegate.url}/icon.svg#{key}` }]) });
  });
  afterAll(() => tidegate.close());

  describe.each(Object.keys(people) as Person[])('%s', (person) => {
    describe.each(Object.entries(conditions))('while %s', (condition, look) => {
      const place = Object.keys(conditions).indexOf(condition);
      let visitor: Visitor;
      beforeAll(async () => {
        visitor = await createVisitor(
          tidegate.url,
          { ...look, hasServiceWorker: condition === 'there is no network' },
          condition.startsWith('all') ? closedAhead : failing,
        );
        await signIn(visitor, people[person]);
        await visitor.page.goto('/');
        await settle(visitor.page);
        await bringAbout(visitor, condition, open);
      });
      afterAll(() => visitor.context.close());

      // That a screen is closed does not depend on the network.
      const closed = screens.filter((screen) => isClosedTo(person, screen));
      const rest = screens.filter((screen) => !closed.includes(screen));
      // What the first administrator sees in another test differs little from what this one does: half of it a run.
      const turns = person === 'an administrator' ? 2 * weathers : weathers;
      const open = [...inTurn(rest, place, turns), ...(place < calm ? inTurn(closed, place, calm) : [])];
      it.each(open)('%s is sound', async (screen) => {
        const { page } = visitor;
        await page.goto(screen);
        await page.getByRole('main').waitFor();
        await expectSoundScreen(visitor);
        const isClosed = await page.getByText(text('frame.no_right.text', {}, look.language)).count();
        expect(isClosed > 0, 'whether it is closed').toBe(isClosedTo(person, screen));
      });
    });
  });

  async function bringAbout({ page, context }: Visitor, condition: string, opened: readonly string[]): Promise<void> {
    // The status is requested before the first render.
    const isStatus = (url: string) => url.endsWith('/api/status');
    if (condition === 'every call fails')
      await page.route('**/api/**', (route) =>
        isStatus(route.request().url())
          ? route.continue()
          : route.fulfill({
              status: 500,
              headers: { 'x-oneapi-request-id': 'req-4711' },
              contentType: 'application/json',
              body: JSON.stringify({ success: false, message: 'x', code: 'internal_error' }),
            }),
      );
    if (condition === 'the server is slow')
      await page.route('**/api/**', async (route) => {
        await new Promise((resolve) => setTimeout(resolve, slowMs));
        await route.continue();
      });
    if (condition === 'there is no network') {
      await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
      for (const screen of opened) {
        await page.goto(screen);
        await settle(page);
      }
      await context.setOffline(true);
    }
  }
});
