// Finds the most expensive service tier that a call may use, which is reserved for.
import { costlierTier, costFactor } from '#shared/find-price.ts';
import { requestedTier } from '#server/formats/service-tier.ts';
import type { CallToReserve } from '#server/call/admission/reserve-call.ts';
import type { RelayServices } from '#server/call/services.ts';
import type { ChannelRoute } from '#server/exchange/find-route.ts';

/** Returns undefined if no tier costs more than the default, as for most models. */
export function costliestTier(
  { context }: RelayServices,
  { quoted: { price }, body }: Pick<CallToReserve, 'quoted' | 'body'>,
  routes: Iterable<ChannelRoute>,
): { tier?: string } {
  if (price.kind === 'call' || price.tiers === undefined) return {};
  const wanted = costlierTier(price, requestedTier(body));
  const isPassThrough = context.settings.get('global.pass_through_request_enabled');
  let costliest: string | undefined;
  let most = 1;
  for (const { setting, paramOverride } of routes) {
    const own = costlierTier(price, requestedTier(paramOverride ?? {}));
    for (const tier of [own, setting.allowsSurcharges === true || setting.passesBodies === true || isPassThrough ? wanted : undefined]) {
      const there = tier === undefined ? 1 : costFactor(price, tier);
      if (there > most) [costliest, most] = [tier, there];
    }
  }
  return costliest === undefined ? {} : { tier: costliest };
}
