// The console below a path of its host (BASE_PATH), from the same build: loaded, used, installed, and opened without a network.
import { expect, it } from 'vitest';
import { createVisitor, describeInBrowser } from './support/browser.ts';
import { untilInstalled, untilStored } from './support/device.ts';
import { owner } from './support/furnish.ts';
import { text } from './support/texts.ts';
import { startTidegate } from './support/tidegate.ts';
import { settle } from './support/visit.ts';

describeInBrowser('a console below /ai', () => {
  it('phone: set-up, sign-in and screens stay below the path, and it opens cold without a network', async () => {
    await using tidegate = await startTidegate({ env: { BASE_PATH: '/ai' } });
    const visitor = await createVisitor(tidegate.url, { hasServiceWorker: true, size: 'phone' });
    const { page, context } = visitor;
    const outside: string[] = [];
    context.on('request', (request) => {
      const { origin, pathname } = new URL(request.url());
      if (origin === tidegate.url && !pathname.startsWith('/ai/')) outside.push(pathname);
    });
    const account = { username: owner.username, password: owner.password, confirmPassword: owner.password };
    expect((await context.request.post('/ai/api/setup', { data: account })).ok()).toBe(true);
    await page.goto('/ai/login');
    await page.getByLabel(text('session.login.username')).fill(owner.username);
    await page.getByLabel(text('session.login.password'), { exact: true }).fill(owner.password);
    await page.getByRole('button', { name: text('session.login.submit'), exact: true }).click();
    await page.waitForURL((url) => url.pathname !== '/ai/login');
    expect(new URL(page.url()).pathname).toMatch(/^\/ai\//);
    const [cookie] = await context.cookies(`${tidegate.url}/ai/`);
    expect(cookie).toMatchObject({ name: 'session', path: '/ai' });

    await untilInstalled(page);
    const scope = await page.evaluate(async () => new URL((await navigator.serviceWorker.ready).scope).pathname);
    expect(scope).toBe('/ai/');
    const manifest = await page.evaluate(async () => {
      const link = document.querySelector<HTMLLinkElement>('link[rel="manifest"]');
      return link === null ? null : { at: new URL(link.href).pathname, ...(await (await fetch(link.href)).json()) };
    });
    expect(manifest).toMatchObject({ at: '/ai/manifest.webmanifest', id: '/ai/', scope: '/ai/', start_url: '/ai/' });

    for (const screen of ['/ai/', '/ai/token']) {
      await page.goto(screen);
      await settle(page);
      expect(new URL(page.url()).pathname).toBe(screen);
    }
    await untilStored(page, 'self', 'tokens');

    await context.setOffline(true);
    await page.close();
    const cold = await context.newPage();
    await cold.goto('/ai/token', { waitUntil: 'commit' });
    await cold.getByText(text('common.freshness.offline'), { exact: true }).first().waitFor();
    await cold.goto('/ai/', { waitUntil: 'commit' });
    await cold.getByText(text('home.balance.title'), { exact: true }).waitFor();
    expect(outside).toEqual([]);
    expect(visitor.complaints).toEqual([]);
    await context.close();
  });
});
