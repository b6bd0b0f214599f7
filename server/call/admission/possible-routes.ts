// Lists the routes that a call may take, before a channel is picked: the reservation covers the most expensive of them.
import type { RelayEndpoint } from '#server/call/endpoints.ts';
import type { RelayServices } from '#server/call/services.ts';
import type { Admission } from '#server/call/admission/admission.ts';
import type { ChannelRoute } from '#server/exchange/find-route.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import type { Tier } from '#server/exchange/served-models.ts';

export interface AdmittedRequest {
  admission: Admission;
  endpoint: RelayEndpoint;
  model: string;
  /** The only channel that may take the call. If undefined, every channel that serves the model may. */
  only?: PreparedChannel | undefined;
  /** Possible routes, if already looked up. */
  routes?: readonly ChannelRoute[];
}

/** Returns the possible routes, including all alternatives of a channel. */
export function possibleRoutes(services: RelayServices, request: AdmittedRequest): readonly ChannelRoute[] {
  const { admission, endpoint, model, only, routes: known } = request;
  if (known !== undefined) return known;
  const { channels } = services;
  if (only !== undefined) return routesThrough(only, request);
  if (admission.pinnedChannel !== undefined) {
    const pinned = channels.get(admission.pinnedChannel);
    return pinned === undefined ? [] : routesThrough(pinned, request);
  }
  const tiers = channels.tiers(admission.group, model);
  const { revision } = services.context.settings;
  let byKind = routesOfTiers.get(tiers);
  if (byKind === undefined) routesOfTiers.set(tiers, (byKind = new Map()));
  // The endpoint is no key, because calls that reference files have a copy of it.
  const kind = `${endpoint.dialect.name} ${endpoint.kind.name}`;
  let last = byKind.get(kind);
  if (last === undefined || last.model !== model || last.revision !== revision) {
    const routes = tiers.flatMap((tier) => tier.channels.flatMap((channel) => routesThrough(channel, request)));
    byKind.set(kind, (last = { model, revision, routes }));
  }
  return last.routes;
}

/** Returns the largest number that `tokens` returns for a possible route; 0 if none. */
export function largestOnRoutes(
  services: RelayServices,
  request: AdmittedRequest,
  tokensOf: (route: ChannelRoute) => number | undefined,
): number {
  let largest = 0;
  for (const route of request.routes ?? possibleRoutes(services, request)) largest = Math.max(largest, tokensOf(route) ?? 0);
  return largest;
}

interface LastRoutes {
  /** Model of the routes, because models may share tiers. */
  model: string;
  /** Revision of the settings, which routes depend on. */
  revision: number;
  routes: readonly ChannelRoute[];
}

/** Routes by tiers, which are new objects when one of their channels changes. */
const routesOfTiers = new WeakMap<readonly Tier[], Map<string, LastRoutes>>();

function routesThrough(channel: PreparedChannel, { endpoint, model }: AdmittedRequest): ChannelRoute[] {
  const route = channel.route(endpoint.dialect, endpoint.kind.name, model);
  return route === null ? [] : [route, route.otherwise, route.withFunctions].filter((one) => one !== undefined);
}
