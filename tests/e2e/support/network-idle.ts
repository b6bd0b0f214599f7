// Whether a page waits for anything. Playwright's own `networkidle` never comes while a stream of events is open, as it is for as
// long as somebody looks at the log.
import type { BrowserContext, Page, Request } from 'playwright-core';

const idleMs = 500;
/** Of some requests a browser never says how they ended: nothing that begins or ends for so long is rest too. */
const silentMs = 3_000;
const known = new WeakMap<BrowserContext, { requests: Set<Request>; changedAt: number }>();

export function watchRequests(context: BrowserContext): void {
  const state = { requests: new Set<Request>(), changedAt: performance.now() };
  known.set(context, state);
  const end = (request: Request): void => {
    if (state.requests.delete(request)) state.changedAt = performance.now();
  };
  context.on('request', (request) => {
    if (new URL(request.url()).pathname.endsWith('/tail')) return;
    state.requests.add(request);
    state.changedAt = performance.now();
  });
  context.on('requestfinished', end);
  context.on('requestfailed', end);
}

/** Until nothing has been on its way for half a second. */
export async function networkIdle(page: Page): Promise<void> {
  await page.waitForLoadState('load');
  let isOver = false;
  const quiet = async (): Promise<void> => {
    for (;;) {
      const state = known.get(page.context());
      const since = performance.now() - (state?.changedAt ?? Infinity);
      if (isOver || since >= silentMs || (state?.requests.size === 0 && since >= idleMs)) return;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  };
  await Promise.race([page.waitForLoadState('networkidle'), quiet()]);
  isOver = true;
}
