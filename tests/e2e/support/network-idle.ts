// Detects whether a page waits for anything. Playwright's `networkidle` never comes while a stream of events is open, as it is while the log is
// followed.
import type { BrowserContext, Frame, Page, Request } from 'playwright-core';

/** An installed console stores files for later once it is idle. */
const idleMs = { plain: 200, installed: 500 };
/** Of some requests a browser never says how they ended: nothing that begins or ends for so long is rest too. */
const silentMs = 3_000;
const known = new WeakMap<BrowserContext, { requests: Set<Request>; changedAt: number; idleMs: number }>();

export function watchRequests(context: BrowserContext, { isInstalled }: { isInstalled: boolean }): void {
  const state = { requests: new Set<Request>(), changedAt: performance.now(), idleMs: isInstalled ? idleMs.installed : idleMs.plain };
  known.set(context, state);
  // Requests of a document that is being replaced: their results are not awaited, and for some of them no end is reported.
  const left = new WeakMap<Frame, Request[]>();
  const end = (request: Request): void => {
    if (state.requests.delete(request)) state.changedAt = performance.now();
  };
  context.on('request', (request) => {
    if (new URL(request.url()).pathname.endsWith('/tail')) return;
    const frame = request.isNavigationRequest() ? frameOf(request) : undefined;
    if (frame !== undefined)
      left.set(
        frame,
        [...state.requests].filter((earlier) => frameOf(earlier) === frame),
      );
    state.requests.add(request);
    state.changedAt = performance.now();
  });
  context.on('requestfinished', end);
  context.on('requestfailed', end);
  context.on('page', (page) => {
    page.on('domcontentloaded', () => {
      for (const request of left.get(page.mainFrame()) ?? []) end(request);
    });
  });
}

/** A service worker has none, nor has a window that is only being opened. */
function frameOf(request: Request): Frame | undefined {
  try {
    return request.frame();
  } catch {
    return undefined;
  }
}

/** Resolves after a moment without requests, when the page has no pending work that may send more. */
export async function networkIdle(page: Page): Promise<void> {
  await page.waitForLoadState('load');
  for (;;) {
    await requestsEnd(page);
    const before = known.get(page.context())?.changedAt;
    // Behind what it is about to do.
    await page.evaluate(() => new Promise((resolve) => setTimeout(() => setTimeout(resolve, 20))));
    const state = known.get(page.context());
    if (state?.changedAt === before || performance.now() - (state?.changedAt ?? 0) >= silentMs) return;
  }
}

async function requestsEnd(page: Page): Promise<void> {
  let isOver = false;
  const quiet = async (): Promise<void> => {
    for (;;) {
      const state = known.get(page.context());
      const since = performance.now() - (state?.changedAt ?? Infinity);
      if (isOver || since >= silentMs || (state?.requests.size === 0 && since >= state.idleMs)) return;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  };
  await Promise.race([page.waitForLoadState('networkidle'), quiet()]);
  isOver = true;
}
