// Requirements of a browser before it offers to install the console.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createVisitor, describeInBrowser } from './support/browser.ts';
import { furnish } from './support/furnish.ts';
import { text } from './support/texts.ts';
import { startTidegate, type Tidegate } from './support/tidegate.ts';
import { settle, signInByForm } from './support/visit.ts';

interface Icon {
  src: string;
  sizes: string;
  type: string;
  purpose?: string;
}

describeInBrowser('install', () => {
  let tidegate: Tidegate;
  beforeAll(async () => {
    tidegate = await startTidegate();
  });
  afterAll(() => tidegate.close());

  it('the browser finds the manifest without a fault and would install it', async () => {
    const { context, page } = await createVisitor(tidegate.url, { hasServiceWorker: true });
    await page.goto('/setup');
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    const session = await context.newCDPSession(page);
    const manifest = await session.send('Page.getAppManifest');
    expect(manifest.errors).toEqual([]);
    expect(new URL(manifest.url).pathname).toBe('/manifest.webmanifest');
    const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
    // A profile of a test is a private window to the browser, where nothing can be installed.
    expect(installabilityErrors.map(({ errorId }) => errorId).filter((error) => error !== 'in-incognito')).toEqual([]);
    await context.close();
  });

  it('the manifest: names, start, icons of the promised sizes, shortcuts that lead somewhere', async () => {
    const visitor = await createVisitor(tidegate.url, { hasServiceWorker: true });
    const { context, page } = visitor;
    const response = await page.request.get('/manifest.webmanifest');
    expect(response.headers()['content-type']).toMatch(/^application\/manifest\+json/);
    const manifest = (await response.json()) as { [name: string]: unknown; icons: Icon[]; shortcuts: { url: string }[] };
    expect(manifest).toMatchObject({ name: 'Tidegate', start_url: '/', scope: '/', display: 'standalone' });
    expect(manifest.icons.some(({ purpose }) => purpose === 'maskable')).toBe(true);
    await page.goto('/setup');
    for (const icon of manifest.icons.filter(({ type }) => type === 'image/png')) {
      const size = await page.evaluate(async (src) => {
        const image = new Image();
        image.src = src;
        await image.decode();
        return `${image.naturalWidth}x${image.naturalHeight}`;
      }, icon.src);
      expect(size, icon.src).toBe(icon.sizes);
    }
    await furnish(tidegate);
    await signInByForm(visitor);
    for (const screen of ['/token', '/log', '/topup', '/playground']) expect(manifest.shortcuts.map(({ url }) => url)).toContain(screen);
    for (const { url } of manifest.shortcuts) {
      await page.goto(url);
      await page.getByRole('main').waitFor();
      await settle(page);
      const { pathname, search } = new URL(page.url());
      expect(pathname + search, url).toBe(url);
      expect(await page.getByText(text('frame.not_found.title')).count(), url).toBe(0);
    }
    await context.close();
  });
});
