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
  /** Where they were looked for already. */
  routes?: readonly ChannelRoute[];
}

/** Of a channel that has several for the call, all. */
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
  // Not the endpoint itself: a call that names files has a copy of its own.
  const kind = `${endpoint.dialect.name} ${endpoint.kind.name}`;
  let last = byKind.get(kind);
  if (last === undefined || last.model !== model || last.revision !== revision) {
    const routes = tiers.flatMap((tier) => tier.channels.flatMap((channel) => routesThrough(channel, request)));
    byKind.set(kind, (last = { model, revision, routes }));
  }
  return last.routes;
}

/** The largest number of tokens on those routes; 0 if none has any. */
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
  /** Models of one family have the same tiers. */
  model: string;
  /** Revision of the settings, which routes depend on. */
  revision: number;
  routes: readonly ChannelRoute[];
}

/** Tiers are new objects when one of their channels changes. */
const routesOfTiers = new WeakMap<readonly Tier[], Map<string, LastRoutes>>();

function routesThrough(channel: PreparedChannel, { endpoint, model }: AdmittedRequest): ChannelRoute[] {
  const route = channel.route(endpoint.dialect, endpoint.kind.name, model);
  return route === null ? [] : [route, route.otherwise, route.withFunctions].filter((one) => one !== undefined);
}
