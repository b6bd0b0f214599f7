import type { AppContext } from '#server/context.ts';
import type { RequestFacts } from '#server/http/call.ts';
import { atBasePath, siteAddress, siteAddressOrLocal } from './site-address.ts';

/** A host as it may stand in an address, and in a script. */
const hostPattern = /^(?:[a-z\d](?:[a-z\d.-]{0,252}[a-z\d])?|\[[\da-f:]{2,45}\])(?::\d{1,5})?$/i;

/**
 * URL of this site for the answer to this request alone, without a slash at its end: the one that is set, or else the one that was requested. A forged
 * `Host` reaches its sender only: such responses are not cached.
 */
export function addressOfRequest({ settings, env }: Pick<AppContext, 'settings' | 'env'>, { headers, isSecure }: RequestFacts): string {
  const host = headers.get('host') ?? '';
  const requested = hostPattern.test(host) ? atBasePath(settings, `${isSecure ? 'https' : 'http'}://${host}`) : undefined;
  const set = siteAddress(settings);
  // As in the console: on any other machine `localhost` is not this server.
  const isLocal = set !== undefined && URL.parse(set)?.hostname === 'localhost';
  return ((isLocal ? requested : set) ?? requested ?? siteAddressOrLocal(settings, env)).replace(/\/+$/, '');
}
