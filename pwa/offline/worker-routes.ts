// Routes that the browser handles without waking the service worker: the response would be the same, and on a slow phone each request through it
// costs more than the file. Browsers without static routing call the worker. https://www.w3.org/TR/service-workers/#dom-installevent-addroutes
import { serverPrefixes } from '#shared/paths.ts';

interface UrlCondition {
  urlPattern: { pathname: string };
}

interface RouterRule {
  condition: UrlCondition | { or: UrlCondition[] };
  source: 'cache' | 'network';
}

/**
 * Files with a hash in their name stand in the cache under their own address; what the server answers is never the worker's.
 * @param base path of the console, without a slash at its end
 */
function workerRoutes(base: string): RouterRule[] {
  return [
    { condition: at(`${base}/assets/*`), source: 'cache' },
    { condition: { or: serverPrefixes.flatMap((prefix) => [at(base + prefix), at(`${base}${prefix}/*`)]) }, source: 'network' },
  ];
}

/** Called while the worker is installed. */
export function addWorkerRoutes(event: ExtendableEvent, base: string): void {
  if (!canAddRoutes(event)) return;
  // A rule that a browser does not take leaves everything to the worker.
  event.waitUntil(event.addRoutes(workerRoutes(base)).catch(() => undefined));
}

interface RoutedEvent extends ExtendableEvent {
  addRoutes: (rules: RouterRule[]) => Promise<void>;
}

function canAddRoutes(event: ExtendableEvent): event is RoutedEvent {
  return 'addRoutes' in event && typeof event.addRoutes === 'function';
}

function at(pathname: string): UrlCondition {
  return { urlPattern: { pathname } };
}
