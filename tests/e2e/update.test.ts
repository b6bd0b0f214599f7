// A newer console: loaded in the background, offered, and activated without losing unsaved input.
import { createServer, type IncomingMessage, request as send, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { createVisitor, describeInBrowser } from './support/browser.ts';
import { untilInstalled } from './support/device.ts';
import { furnish } from './support/furnish.ts';
import { text } from './support/texts.ts';
import { startTidegate } from './support/tidegate.ts';
import { expectSoundScreen, settle, signInByForm } from './support/visit.ts';

describeInBrowser('update', () => {
  it('phone: a newer console waits under unsaved edits, is put in its place by one press, and nothing is lost', async () => {
    await using tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    await using site = await startReleases(tidegate.url);
    const visitor = await createVisitor(site.url, { hasServiceWorker: true, size: 'phone' });
    const { page } = visitor;
    await signInByForm(visitor);
    await untilInstalled(page);
    await page.goto('/setting?tab=quota');
    await settle(page);
    expect(await page.evaluate(() => navigator.serviceWorker.controller !== null), 'this page came from the first console').toBe(true);
    const field = page.getByLabel(text('settings.option.PreConsumedQuota.label'));
    await field.fill('800');

    site.release();
    await page.evaluate(() => navigator.serviceWorker.ready.then((registration) => registration.update()).then(() => undefined));
    await page.getByText(text('frame.update.after_saving')).waitFor();
    const update = page.getByRole('button', { name: text('frame.update.now') });
    expect(await update.isDisabled()).toBe(true);
    expect(await field.inputValue()).toBe('800');
    expect(await releaseOf(page)).toBe('first');
    await expectSoundScreen(visitor);
    // It covers nothing: the screen begins below it.
    const prompt = await update.locator('..').boundingBox();
    const screen = await page.getByRole('main').boundingBox();
    expect((prompt?.y ?? 0) + (prompt?.height ?? 0)).toBeLessThanOrEqual(screen?.y ?? 0);

    await page.getByRole('button', { name: text('settings.save'), exact: true }).click();
    await page.getByText(text('frame.update.ready'), { exact: true }).waitFor();
    expect(await releaseOf(page), 'nothing is replaced before somebody says so').toBe('first');
    await update.click();
    await page.waitForFunction(() => document.querySelector('meta[name=release]') !== null);
    await settle(page);
    expect(await releaseOf(page)).toBe('newer');
    expect(new URL(page.url()).search).toBe('?tab=quota');
    expect(await field.inputValue()).toBe('800');
    const options = (await api.get('/api/option/')) as { key: string; value: string }[];
    expect(options.find(({ key }) => key === 'PreConsumedQuota')?.value).toBe('800');
    expect(await page.getByText(text('frame.update.ready')).count()).toBe(0);
    await expectSoundScreen(visitor);
    await visitor.context.close();
  });
});

async function releaseOf(page: Page): Promise<string> {
  return page.evaluate(() => document.querySelector('meta[name=release]')?.getAttribute('content') ?? 'first');
}

/** In front of a server: the same console, until a newer one is released, which has another page and so another service worker. */
async function startReleases(target: string): Promise<AsyncDisposable & { url: string; release: () => void }> {
  let isNewer = false;
  const changes: Record<string, (body: string) => string> = {
    '/service-worker.js': (body) => body.replace(/"revision":"\w+","url":"index.html"/, '"revision":"newer","url":"index.html"'),
    '/index.html': (body) => body.replace('<head>', '<head><meta name="release" content="newer">'),
  };
  const server: Server = createServer((requested: IncomingMessage, reply: ServerResponse) => {
    const change = isNewer ? changes[new URL(requested.url ?? '/', target).pathname] : undefined;
    const headers = { ...requested.headers };
    if (change !== undefined) for (const name of ['if-none-match', 'if-modified-since', 'accept-encoding']) delete headers[name];
    const passed = send(new URL(requested.url ?? '/', target), { method: requested.method ?? 'GET', headers }, (answer) => {
      if (change === undefined) {
        reply.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(reply);
        return;
      }
      const { etag: _etag, 'content-length': _length, ...rest } = answer.headers;
      void answer.toArray().then((chunks: Buffer[]) => {
        const before = Buffer.concat(chunks).toString();
        const after = change(before);
        // A console that is the same would never be offered, and the test would wait for nothing.
        if (after === before) throw new Error('The newer console is the same');
        reply.writeHead(answer.statusCode ?? 502, rest);
        reply.end(after);
      });
    });
    passed.on('error', () => reply.destroy());
    reply.on('close', () => passed.destroy());
    requested.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    release: () => {
      isNewer = true;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
