// Media URLs in a request that a route's provider does not download itself.
import { addressUse, type MediaAddress, passesAddresses } from '#server/formats/media-addresses.ts';
import type { Route } from '#server/formats/route.ts';
import type { RelayBody, RelayEndpoint } from '#server/call/endpoints.ts';
import type { Settings } from '#server/settings/settings.ts';

export interface WantedMedia extends MediaAddress {
  /** Whether the provider downloads the URL itself if the gateway's download fails. */
  isOptional: boolean;
}

/** Maximum URLs of a call. */
export const mostAddresses = 32;

interface Requested {
  settings: Pick<Settings, 'get'>;
  endpoint: RelayEndpoint;
  body: RelayBody;
}

/** Reports whether media must be downloaded before the call can take the route. */
export function wantsMedia(requested: Requested, route: Route): boolean {
  return [...wantedMedia(requested, route).values()].some(({ isOptional }) => !isOptional);
}

/** Reports whether the body must be searched for URLs. False for most calls, whose URLs are forwarded. */
export function mayWantMedia({ settings, endpoint }: Omit<Requested, 'body'>, route: Route | null): route is Route {
  const { withMedia, kind } = endpoint;
  if (route === null || withMedia === undefined) return false;
  if (route.identity !== null && settings.get('global.pass_through_request_enabled')) return false;
  return kind.addressUse !== undefined || !passesAddresses(route);
}

/** Returns the media to download, by URL, so that a repeated URL is downloaded once. Stops after the maximum number of URLs. */
export function wantedMedia({ settings, endpoint, body }: Requested, route: Route): Map<string, WantedMedia> {
  const wanted = new Map<string, WantedMedia>();
  if (!mayWantMedia({ settings, endpoint }, route)) return wanted;
  endpoint.withMedia?.(body, (address) => {
    if (wanted.size > mostAddresses) return null;
    const use = endpoint.kind.addressUse?.(route, address) ?? addressUse(route, address);
    if (use !== 'address') wanted.set(address.url, { ...address, isOptional: use === 'either' });
    return null;
  });
  return wanted;
}
