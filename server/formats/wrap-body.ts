// Rewrites a request for a host of another vendor's format.
import type { EncodeInput } from './encode-input.ts';
import type { HostedRequest } from './provider-traits.ts';

const none: readonly string[] = [];

/** Returns the rewritten request; the same one if the provider is the format's vendor. */
export function wrapBody(
  request: HostedRequest,
  { route, isCount = false }: Pick<EncodeInput, 'route' | 'isCount'>,
): HostedRequest & { dropped: readonly string[] } {
  const { provider, nameThere, setting } = route;
  return { dropped: none, ...(provider.wrap?.(request, { isCount, nameThere, setting }) ?? request) };
}
