/** URL prefixes that the server owns; everything else is the console. The service worker must not touch them. */
export const serverPrefixes = [
  '/api',
  '/v1',
  '/v1beta',
  '/upload',
  '/download',
  '/pg',
  '/mj',
  '/suno',
  '/kling',
  '/jimeng',
  '/dashboard/billing',
  '/key/info',
  '/healthz',
  '/livez',
  '/readyz',
  '/metrics',
  '/logo',
  '/status.rss',
  '/status.json',
  '/oauth/token',
  '/oauth/device_authorization',
  '/.well-known/oauth-authorization-server',
  '/setup.sh',
  '/setup.ps1',
  '/scim',
] as const;

/** Pages of the console on which a person allows others something. They come from the server, not from the service worker: it has one page with one policy. */
const decisionPages: ReadonlySet<string> = new Set(['/auth', '/oauth/authorize', '/device']);

/** True for these pages in each spelling that a router may accept: other cases, escapes, and repeated or trailing slashes. */
export function isDecisionPage(pathname: string): boolean {
  const path = unescaped(pathname)
    .toLowerCase()
    .replaceAll(/\/{2,}/g, '/')
    .replace(/\/$/, '');
  return decisionPages.has(path);
}

function unescaped(pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}

/** True when `pathname` is answered by the server rather than by the console's router. */
export function isServerPath(pathname: string): boolean {
  // Midjourney clients put a mode in front: `/mj-fast/mj/submit/imagine`.
  return serverPrefixes.some((prefix) => pathname === prefix || pathname.startsWith(`${prefix}/`)) || /^\/[\w-]+\/mj\//.test(pathname);
}

/** True for the relay's paths: their errors have the format of its clients. */
export function isRelayPath(pathname: string): boolean {
  // Google's clients send files to `/upload/v1beta/files` and read them at `/download/v1beta/files`; Cohere's newer client sends to `/v2`.
  return /^\/(?:(?:(?:upload|download)\/)?v1(?:beta)?|v2|pg|dashboard\/billing)(?:\/|$)/.test(pathname);
}
