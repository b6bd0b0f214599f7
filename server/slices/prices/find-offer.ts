// Finds the offer of a catalogue that stands for a model: catalogues list one model under many providers, at different prices.
import type { Offer } from './catalogues/catalogue.ts';

export interface OfferIndex {
  byName: ReadonlyMap<string, readonly Offer[]>;
  /** Names without what precedes the last slash: `anthropic/claude-…`. */
  byLastPart: ReadonlyMap<string, readonly Offer[]>;
}

export function indexOffers(offers: readonly Offer[]): OfferIndex {
  const lastPart = ({ model }: Offer) => model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  return {
    byName: Map.groupBy(offers, ({ model }) => model.toLowerCase()),
    byLastPart: Map.groupBy(
      offers.filter(({ model }) => model.includes('/')),
      lastPart,
    ),
  };
}

/**
 * Returns the offer of the first listed provider. If none is listed and the prices differ, the most expensive one counts and `differs` is set: the
 * other ones could cost more than they bring in.
 */
export function findOffer(model: string, index: OfferIndex, providers: readonly string[]): { offer: Offer; differs: boolean } | null {
  const name = model.toLowerCase();
  const named = index.byName.get(name) ?? index.byLastPart.get(name) ?? [];
  const exact = named.filter((offer) => offer.model === model);
  const priced = (exact.length > 0 ? exact : named).filter(isPriced);
  // A zero next to prices is a subscription's.
  const charged = priced.filter((offer) => costOf(offer) > 0);
  const ranked = (charged.length > 0 ? charged : priced).map((offer) => ({ offer, rank: rankOf(offer.provider, providers) }));
  const best = Math.min(...ranked.map(({ rank }) => rank));
  const [first, ...others] = ranked
    .filter(({ rank }) => rank === best)
    .map(({ offer }) => offer)
    .toSorted((one, other) => costOf(other) - costOf(one));
  if (first === undefined) return null;
  return { offer: first, differs: others.some((other) => contentOf(other) !== contentOf(first)) };
}

function isPriced({ prices: { tokens, perCall, perSecond } }: Offer): boolean {
  return tokens !== undefined || perCall !== undefined || perSecond !== undefined;
}

function costOf({ prices: { tokens, perCall = 0, perSecond = [] } }: Offer): number {
  const [{ usd } = { usd: 0 }] = perSecond;
  return tokens === undefined ? Math.max(perCall, usd) : tokens.input + (tokens.output ?? 0);
}

function contentOf({ prices: { tokens, perCall, perSecond } }: Offer): string {
  return JSON.stringify([tokens?.input, tokens?.output, perCall, perSecond]);
}

/** `vertex_ai` also stands for `vertex_ai-language-models`. */
function rankOf(provider: string, providers: readonly string[]): number {
  const rank = providers.findIndex((name) => provider === name || provider.startsWith(`${name}-`) || provider.startsWith(`${name}_`));
  return rank < 0 ? Infinity : rank;
}
