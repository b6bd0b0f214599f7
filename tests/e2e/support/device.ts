// The console's data on a device, read from outside.
import type { Page } from 'playwright-core';
import { until } from '#tests/support/until.ts';

/** Returns the first parts of the keys of all stored answers: `self`, `logs`, … */
export function storedKinds(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open('tidegate');
      request.addEventListener('success', () => resolve(request.result));
      request.addEventListener('error', () => reject(request.error ?? new Error('no database')));
    });
    if (!database.objectStoreNames.contains('answers')) return [];
    const all = await new Promise<{ queryKey: unknown[]; userId: number }[]>((resolve, reject) => {
      const request: IDBRequest<{ queryKey: unknown[]; userId: number }[]> = database
        .transaction('answers')
        .objectStore('answers')
        .getAll();
      request.addEventListener('success', () => resolve(request.result));
      request.addEventListener('error', () => reject(request.error ?? new Error('no answers')));
    });
    database.close();
    return all.filter(({ userId }) => userId !== 0).map(({ queryKey }) => String(queryKey[0]));
  });
}

/** Returns everything that the device stores of the console, as text: answers and local storage. */
export function everythingStored(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const parts = [localStorage, sessionStorage].map((storage) => Object.entries(storage).flat().join('\n'));
    for (const { name } of await indexedDB.databases()) {
      if (name === undefined) continue;
      const database = await new Promise<IDBDatabase>((resolve, reject) => {
        const request = indexedDB.open(name);
        request.addEventListener('success', () => resolve(request.result));
        request.addEventListener('error', () => reject(request.error ?? new Error('no database')));
      });
      for (const store of database.objectStoreNames) {
        parts.push(
          await new Promise<string>((resolve, reject) => {
            const request: IDBRequest<unknown[]> = database.transaction(store).objectStore(store).getAll();
            request.addEventListener('success', () => resolve(JSON.stringify(request.result)));
            request.addEventListener('error', () => reject(request.error ?? new Error('unreadable')));
          }),
        );
      }
      database.close();
    }
    return parts.join('\n');
  });
}

export async function untilStored(page: Page, ...kinds: string[]): Promise<void> {
  await until(async () => {
    const stored = await storedKinds(page);
    return kinds.every((kind) => stored.includes(kind));
  });
}

/** Until the service worker has everything that a start without a network needs, and answers for this page. */
export async function untilInstalled(page: Page): Promise<void> {
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  await until(() => page.evaluate(async () => (await caches.keys()).length > 0));
}
