// Revalidation of responses that may be stored (RFC 9110, 13.1.2). Tags are weak: the same content is sent compressed and plain.
import type { Caching } from '#server/http/call.ts';

export function cachingHeaders({ tag, control, vary }: Caching): { etag: string; 'cache-control': string; vary: string } {
  return { etag: `W/"${tag}"`, 'cache-control': control, vary };
}

/** Reports whether the client has the response with the tag already. */
export function isCurrent(headers: Headers, etag: string): boolean {
  const known = headers.get('if-none-match');
  if (known === null) return false;
  const opaque = etag.replace(/^W\//, '');
  return known.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === opaque);
}
