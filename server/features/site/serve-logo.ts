import type { RouteHost } from '#server/http/mount.ts';
import { type StoredLogo, storedLogo } from '#server/settings/site-logo.ts';

const yearSeconds = 31_536_000;

/** The uploaded logo, for pages, tabs and installed apps. */
export function mountLogo({ add, context, facts }: Pick<RouteHost, 'add' | 'context' | 'facts'>): void {
  for (const method of ['GET', 'HEAD']) {
    add(method, '/logo', async (request, _params, connection) => {
      const { requestId, url } = facts(request, connection);
      const response = logoResponse(storedLogo(context.settings), url.searchParams.get('v'), method === 'HEAD');
      response.headers.set('x-oneapi-request-id', requestId);
      return response;
    });
  }
}

function logoResponse(logo: StoredLogo | null, version: string | null, isHead: boolean): Response {
  const common = {
    'x-content-type-options': 'nosniff',
    // A drawing that is opened by itself runs nothing here.
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  };
  if (logo === null) return new Response('There is no logo\n', { status: 404, headers: { ...common, 'cache-control': 'no-store' } });
  const caching = version === logo.version ? `public, max-age=${yearSeconds}, immutable` : 'no-cache';
  const headers = { ...common, 'content-type': logo.type, 'cache-control': caching, 'content-length': String(logo.bytes.byteLength) };
  return new Response(isHead ? null : logo.bytes, { headers });
}
