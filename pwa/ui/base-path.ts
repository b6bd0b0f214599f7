/**
 * Path below which this console is served, without a slash at its end; empty at the root. The server writes it into the page
 * (`server/http/base-path.ts`), so that one build serves at any path. The router adds it by itself; addresses that leave the router need it.
 */
export const basePath = typeof document === 'undefined' ? '' : (document.documentElement.dataset['base'] ?? '');

/** Address of this console or its server, for links, requests and other programs. */
export function atBase(path: string): string {
  return `${basePath}${path}`;
}

/** Root of this console as other machines reach it, without a slash at its end. */
export function pageAddress(): string {
  return `${location.origin}${basePath}`;
}
