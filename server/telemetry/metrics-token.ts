// The token of `/metrics`. Compared by digests, so that the time says nothing about it.
import { createHash, timingSafeEqual } from 'node:crypto';

/** Reports whether the `Authorization` header carries the token; with no token, every request does. */
export function mayReadMetrics(token: string | undefined, authorization: string | null | undefined): boolean {
  if (token === undefined) return true;
  const given = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? '';
  return timingSafeEqual(digestOf(given), digestOf(token));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
