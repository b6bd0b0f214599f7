// The request of a call through one channel, on the route that the channel has for it.
import { buildRequest, type UpstreamCall, type UpstreamRequest } from '#server/exchange/build-request.ts';
import { resolveRoute } from '#server/exchange/resolve-route.ts';

type Unrouted = Omit<UpstreamCall, 'route'> & { version?: string | undefined };

export function routedRequest({ version, ...call }: Unrouted): UpstreamRequest | Promise<UpstreamRequest> {
  const { channel, client, kind, originModel: model, searchingTool } = call;
  return buildRequest({ ...call, route: resolveRoute(channel, { client, kind, model, version, searchingTool }) });
}
