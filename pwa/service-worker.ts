// Serves the console without a network: its own files come from the cache, every address of the console opens the shell. Responses of the server
// (shared/paths.ts) are never touched, stored or replayed here; pwa/offline stores answers, per user.
import { cleanupOutdatedCaches, createHandlerBoundToURL, precacheAndRoute } from 'workbox-precaching';
import { registerRoute } from 'workbox-routing';
import { isDecisionPage, isServerPath } from '#shared/paths.ts';
import { addressFor, sharePath } from './offline/shared-text.ts';
import { addWorkerRoutes } from './offline/worker-routes.ts';

declare const self: ServiceWorkerGlobalScope & { __WB_MANIFEST: { url: string; revision: string | null }[] };

/** Path of the console, without a slash at its end: of the folder of this file. */
const base = new URL('.', self.location.href).pathname.slice(0, -1);

self.addEventListener('install', (event) => addWorkerRoutes(event, base));

// The web app manifest has the site's name and logo: the server generates it, so it is fetched each time.
precacheAndRoute(self.__WB_MANIFEST.filter((entry) => typeof entry === 'string' || entry.url !== 'manifest.webmanifest'));
cleanupOutdatedCaches();

registerRoute(
  ({ request, url }) => request.mode === 'navigate' && url.origin === self.location.origin && isPage(url.pathname.slice(base.length)),
  createHandlerBoundToURL('index.html'),
);

// Another app shares a text with the installed console.
registerRoute(
  ({ url }) => url.origin === self.location.origin && url.pathname === base + sharePath,
  async ({ request }) => Response.redirect(base + (await addressFor(request.formData())), 303),
  'POST',
);

// The page sends this after the user confirms.
self.addEventListener('message', (event) => {
  const message: unknown = event.data;
  if (typeof message === 'object' && message !== null && 'type' in message && message.type === 'SKIP_WAITING') void self.skipWaiting();
});

function isPage(path: string): boolean {
  return !isServerPath(path) && !isDecisionPage(path);
}
