// CORS: calls with an API key may come from any origin, because they send no cookie. The console's calls are
// same-origin only.
import type { Connection } from '#server/http/connection.ts';

const openPrefixes = ['/v1/', '/v1beta/', '/mj/', '/suno/', '/dashboard/billing/'] as const;
/** Logs, authenticated by an API key, too; and what applications in a browser need to get a key of their own. */
const openPaths: ReadonlySet<string> = new Set(['/api/log/token', '/oauth/token', '/oauth/device_authorization']);
const metadata = '/.well-known/oauth-authorization-server';

export function isOpenToOrigins(path: string): boolean {
  return openPaths.has(path) || path.startsWith(metadata) || openPrefixes.some((prefix) => path.startsWith(prefix));
}

/** Allows other origins to read the response. */
export function allowOrigin({ res }: Connection): void {
  res.setHeader('access-control-allow-origin', '*');
  res.setHeader('access-control-expose-headers', 'X-Oneapi-Request-Id, Retry-After');
}

/** Answers a CORS preflight. */
export function preflightResponse(request: Request, requestId: string): Response {
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
      // `*` would not include Authorization.
      'access-control-allow-headers': request.headers.get('access-control-request-headers') ?? '*',
      'access-control-max-age': '43200',
      'x-oneapi-request-id': requestId,
    },
  });
}
