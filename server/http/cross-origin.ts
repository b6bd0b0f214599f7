// API clients may run in foreign pages: they send a key, never a cookie, so any origin may call the API of keys. The
// console's own calls are for its own pages only.
import type { Connection } from '#server/http/connection.ts';

const openPrefixes = ['/v1/', '/v1beta/', '/mj/', '/suno/', '/dashboard/billing/'] as const;
/** Its caller shows a key too. */
const tokenLogs = '/api/log/token';

export function isOpenToOrigins(path: string): boolean {
  return path === tokenLogs || openPrefixes.some((prefix) => path.startsWith(prefix));
}

/** Lets a foreign page read the response, whoever writes it. */
export function allowOrigin({ res }: Connection): void {
  res.setHeader('access-control-allow-origin', '*');
  res.setHeader('access-control-expose-headers', 'X-Oneapi-Request-Id, Retry-After');
}

/** What a browser asks before such a call. */
export function preflightResponse(request: Request, requestId: string): Response {
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
      // `*` would not cover Authorization.
      'access-control-allow-headers': request.headers.get('access-control-request-headers') ?? '*',
      'access-control-max-age': '43200',
      'x-oneapi-request-id': requestId,
    },
  });
}
