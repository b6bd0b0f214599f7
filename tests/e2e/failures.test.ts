// What a screen shows when the server fails, is silent or is gone: what could not be loaded, how to try again, and the
// number by which the administrator finds the request.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createVisitor, describeInBrowser, type Size, type Visitor } from './support/browser.ts';
import { furnish } from './support/furnish.ts';
import { text } from './support/texts.ts';
import { startTidegate, type Tidegate } from './support/tidegate.ts';
import { settle, signIn } from './support/visit.ts';

/** Each with what proves that it has been loaded after all. */
const screens = [
  { path: '/', shows: 'gpt-4o-mini' },
  { path: '/token', shows: 'Field notebook' },
  { path: '/log', shows: 'gpt-4o-mini' },
  { path: '/log?open=1', shows: 'gpt-4o-mini' },
  { path: '/pricing', shows: 'gpt-4o-mini' },
  { path: '/user', shows: 'keeper' },
  { path: '/user/edit/2', shows: 'keeper' },
  { path: '/channel', shows: 'Harbour mouth' },
  { path: '/setting', shows: text('settings.option.RetryTimes.label') },
];

describeInBrowser('failures', () => {
  let tidegate: Tidegate;
  beforeAll(async () => {
    tidegate = await startTidegate();
    await furnish(tidegate);
  });
  afterAll(() => tidegate.close());

  it('a fault is told with the number of the request, and trying again helps', async () => {
    const visitor = await signedIn();
    const { page } = visitor;
    for (const { path, shows } of screens) {
      let isBroken = true;
      await page.route('**/api/**', (route) =>
        isBroken && !route.request().url().endsWith('/api/status')
          ? route.fulfill({
              status: 500,
              headers: { 'x-oneapi-request-id': 'req-4711' },
              contentType: 'application/json',
              body: JSON.stringify({ success: false, message: 'x', code: 'internal_error' }),
            })
          : route.continue(),
      );
      await page.goto(path);
      await page.getByRole('alert').filter({ hasText: 'req-4711' }).first().waitFor();
      await settle(page);
      isBroken = false;
      await tryAgain(visitor);
      await page.getByText(shows).first().waitFor();
      expect(await page.getByRole('alert').count(), path).toBe(0);
      await page.unrouteAll({ behavior: 'wait' });
    }
    await visitor.context.close();
  });

  it.each(['desk', 'phone'] as const)('%s: settings that could not be loaded say so in one block, beside their pages', async (size) => {
    const visitor = await signedIn(size);
    const { page } = visitor;
    await page.route('**/api/option/**', (route) =>
      route.fulfill({ status: 500, contentType: 'application/json', body: '{"success":false,"message":"x","code":"internal_error"}' }),
    );
    for (const path of ['/setting', '/setting?tab=prices']) {
      await page.goto(path);
      const alert = page.getByRole('main').getByRole('alert');
      await alert.waitFor();
      await settle(page);
      const parts = await alert.locator('> *').evaluateAll((all) =>
        all.map((part) => {
          const { left, top, bottom } = part.getBoundingClientRect();
          return { left: Math.round(left), top, bottom };
        }),
      );
      expect(parts.length, path).toBeGreaterThan(2);
      // One below the other from one edge, with nothing stretched between them.
      expect(new Set(parts.map(({ left }) => left)).size, path).toBe(1);
      for (const [index, { top }] of parts.entries()) {
        const above = parts[index - 1];
        if (above !== undefined) expect(top - above.bottom, `${path}: part ${index}`).toBeGreaterThanOrEqual(0);
        if (above !== undefined) expect(top - above.bottom, `${path}: part ${index}`).toBeLessThanOrEqual(12);
      }
    }
    await visitor.context.close();
  });

  it('silence ends after half a minute, everywhere', async () => {
    const visitor = await signedIn();
    const { page } = visitor;
    await page.clock.install();
    for (const { path, shows } of screens) {
      let isSilent = true;
      await page.route('**/api/**', (route) => (isSilent && !route.request().url().endsWith('/api/status') ? undefined : route.continue()));
      await page.goto(path);
      await page.getByRole('main').waitFor();
      await expect
        .poll(
          async () => {
            await page.clock.runFor(16_000);
            return page
              .getByRole('alert')
              .filter({ hasText: text('errors.timed_out') })
              .count();
          },
          { message: path, timeout: 10_000 },
        )
        .toBeGreaterThan(0);
      await expect
        .poll(
          async () => {
            await page.clock.runFor(16_000);
            return page.locator('[aria-busy="true"]').count();
          },
          { message: `${path}: what is still waited for`, timeout: 10_000 },
        )
        .toBe(0);
      isSilent = false;
      await tryAgain(visitor);
      await page.clock.runFor(1000);
      await page.getByText(shows).first().waitFor();
      await page.unrouteAll({ behavior: 'ignoreErrors' });
    }
    await visitor.context.close();
  });

  it('a server that is gone is told apart, and its return is noticed', async () => {
    const visitor = await signedIn();
    const { page } = visitor;
    for (const { path, shows } of screens) {
      let isAway = true;
      await page.route('**/api/**', (route) => (isAway ? route.abort('connectionrefused') : route.continue()));
      await page.goto(path);
      await page
        .getByRole('alert')
        .filter({ hasText: text('errors.server_unreachable') })
        .first()
        .waitFor();
      await page.getByText(text('common.freshness.server_away')).first().waitFor();
      isAway = false;
      await tryAgain(visitor);
      await page.getByText(shows).first().waitFor();
      expect(await page.getByText(text('common.freshness.server_away')).count(), path).toBe(0);
      await page.unrouteAll({ behavior: 'wait' });
    }
    await visitor.context.close();
  });

  /** Without what an earlier visit left on the device: then the last rows would be shown. */
  async function signedIn(size: Size = 'desk'): Promise<Visitor> {
    const visitor = await createVisitor(tidegate.url, { size });
    await visitor.page.addInitScript(() => {
      indexedDB.deleteDatabase('tidegate');
      // The worker would answer in place of the routes.
      Object.defineProperty(navigator.serviceWorker, 'register', { value: () => new Promise(() => {}) });
    });
    await signIn(visitor);
    return visitor;
  }
});

/** Every failure that is shown; the return of the server may be noticed meanwhile, which repairs the others. */
async function tryAgain({ page }: Visitor): Promise<void> {
  const buttons = page.getByRole('button', { name: text('common.action.retry') });
  await expect
    .poll(
      async () => {
        await buttons
          .first()
          .click({ timeout: 500 })
          .catch(() => undefined);
        return page.getByRole('alert').count();
      },
      { message: 'what still says that it failed', timeout: 15_000 },
    )
    .toBe(0);
}
