// What the installed console does as an app: takes what others share, and is replaced without losing anything.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { createVisitor, describeInBrowser } from './support/browser.ts';
import { untilInstalled, untilStored } from './support/device.ts';
import { furnish } from './support/furnish.ts';
import { text } from './support/texts.ts';
import { startTidegate } from './support/tidegate.ts';
import { expectSoundScreen, settle, signInByForm } from './support/visit.ts';

describeInBrowser('the installed console', () => {
  it('phone: a shared text with a code fills the wallet’s field, is not redeemed by itself, and no server sees it', async () => {
    await using tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    const [code = ''] = (await api.post('/api/redemption/', { name: 'Regatta', quota: 500_000, count: 1 })) as string[];
    const visitor = await createVisitor(tidegate.url, { hasServiceWorker: true, size: 'phone' });
    const { page } = visitor;
    await signInByForm(visitor);
    await untilInstalled(page);
    const manifest = (await (await page.request.get('/manifest.webmanifest')).json()) as {
      share_target: { action: string; method: string };
    };
    expect(manifest.share_target).toMatchObject({ method: 'POST' });

    const requested: string[] = [];
    page.on('request', (request) => {
      if (!request.isNavigationRequest()) requested.push(`${request.url()} ${request.postData() ?? ''}`);
    });
    await share(page, manifest.share_target.action, `Your code 100% & welcome: ${code}!`);
    await page.waitForURL('**/topup');
    const field = page.getByRole('textbox', { name: text('wallet.redeem.title') });
    await page.waitForFunction((wanted) => [...document.querySelectorAll('input')].some(({ value }) => value === wanted), code);
    expect(await field.inputValue()).toBe(code);
    expect(new URL(page.url()).hash).toBe('');
    await expectSoundScreen(visitor);
    expect(requested.filter((request) => request.includes(code))).toEqual([]);

    await page.getByRole('button', { name: text('wallet.redeem.action'), exact: true }).click();
    await page.getByText(text('wallet.redeem.done', { amount: '$1.00' })).waitFor();

    // An article is no code: it becomes a question.
    await share(page, manifest.share_target.action, 'https://news.example/spring-tides');
    await page.waitForURL('**/playground');
    await page.waitForFunction(() => document.querySelector('textarea')?.value === 'https://news.example/spring-tides');
    await visitor.context.close();
  });

  it('phone: what is shared before the sign-in is there after it', async () => {
    await using tidegate = await startTidegate();
    await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url, { hasServiceWorker: true, size: 'phone' });
    const { page } = visitor;
    await page.goto('/login');
    await untilInstalled(page);
    await share(page, '/share', 'GIFT-2026');
    // What was shared is in no address that a server sees.
    await page.waitForURL('**/login');
    await page.getByLabel(text('session.login.username')).fill('harbour');
    await page.getByLabel(text('session.login.password'), { exact: true }).fill('lantern-and-rope');
    await page.getByRole('button', { name: text('session.login.submit'), exact: true }).click();
    await page.waitForURL('**/topup');
    await page.waitForFunction(() => [...document.querySelectorAll('input')].some(({ value }) => value === 'GIFT-2026'));
    expect(new URL(page.url()).hash).toBe('');
    await visitor.context.close();
  });

  it('desk: files of the console and answers of the server come without the worker', async () => {
    await using tidegate = await startTidegate();
    await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url, { hasServiceWorker: true });
    const { page, context } = visitor;
    await signInByForm(visitor);
    await untilInstalled(page);
    await page.goto('/log');
    await settle(page);
    const sources = await page.evaluate(() =>
      performance.getEntriesByType('resource').map((entry) => ({
        path: new URL(entry.name).pathname,
        source: 'workerFinalSourceType' in entry ? entry.workerFinalSourceType : undefined,
      })),
    );
    const of = (folder: string) => new Set(sources.filter(({ path }) => path.startsWith(folder)).map(({ source }) => source));
    expect(of('/assets/')).toEqual(new Set(['cache']));
    expect(of('/api/')).toEqual(new Set(['network']));
    await context.close();
  });

  it('desk: every screen that is kept opens without a network and says how old it is', async () => {
    await using tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    const [code = ''] = (await api.post('/api/redemption/', { name: 'Regatta', quota: 500_000, count: 1 })) as string[];
    await api.post('/api/user/topup', { key: code });
    const visitor = await createVisitor(tidegate.url, { hasServiceWorker: true });
    const { page, context } = visitor;
    await signInByForm(visitor);
    await untilInstalled(page);
    const screens = [
      ['/detail', 'gpt-4o-mini'],
      ['/topup', text('wallet.history.code', { code: code.slice(0, 4) })],
      ['/channel', 'Harbour mouth'],
      ['/user', 'keeper'],
      ['/token', 'Field notebook'],
      ['/pricing', 'gpt-4o-mini'],
    ] as const;
    for (const [screen, shown] of screens) {
      await page.goto(screen);
      await settle(page);
      await page.getByRole('main').getByText(shown).first().waitFor();
    }
    await untilStored(page, 'tokens', 'channels', 'users');
    await context.setOffline(true);
    await page.close();
    for (const [screen, shown] of screens) {
      const cold = await context.newPage();
      await cold.goto(screen, { waitUntil: 'commit' });
      await cold.getByRole('main').getByText(shown).first().waitFor();
      await cold.getByText(text('common.freshness.offline'), { exact: true }).first().waitFor();
      const [before = ''] = text('common.freshness.as_of', { time: '\u0000' }).split('\u0000');
      const ages = cold.getByText(new RegExp(`${before}| (min|h|d) old$`));
      await ages.first().waitFor();
      await cold.close();
    }
    expect(visitor.complaints).toEqual([]);
    await context.close();
  });
});

/** As a system's share sheet does it: a form, sent by navigation. */
async function share(page: Page, action: string, shared: string): Promise<void> {
  await page.evaluate(
    ({ to, value }) => {
      const form = document.createElement('form');
      form.method = 'post';
      form.action = to;
      form.enctype = 'multipart/form-data';
      const field = document.createElement('textarea');
      field.name = 'text';
      field.value = value;
      form.append(field);
      document.body.append(form);
      form.submit();
    },
    { to: action, value: shared },
  );
}
