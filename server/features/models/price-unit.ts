// Returns the unit of a model's price: by the kind of request that its channels accept, as its calls are charged (`QuotedPrice`, `CallUnits`).
import type { PriceUnit } from '#shared/models.ts';
import type { Price } from '#shared/pricing.ts';
import { isByTokens } from '#server/kinds/audio/input-audio.ts';
import { speaksTokens } from '#server/kinds/audio/spoken-sound.ts';
import type { CallKindName } from '#server/kinds/call-kind.ts';
import { kindOfModel } from '#server/exchange/kind-of-model.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';

/** Of a price per call, by kind of call. Rerankers take it for their searches where the provider bills those. */
const units: Partial<Record<CallKindName, PriceUnit>> = {
  images: 'image',
  transcriptions: 'minute',
  realtime: 'minute',
  speech: 'characters',
};

/** @param channels all that offer the model; they are mostly of one kind: the first that shows one counts */
export function priceUnitOf(model: string, price: Price | null, channels: readonly PreparedChannel[]): PriceUnit {
  const channel = channels.find((one) => kindOfModel(one, model) !== undefined);
  const kind = channel === undefined ? undefined : kindOfModel(channel, model);
  const upstreamModel = channel?.modelMapping.get(model) ?? model;
  if (price?.kind !== 'call') return usageUnit(kind, upstreamModel);
  if (price.videos !== undefined) return 'second';
  if (kind === 'rerank') return channels.some(billsSearches) ? 'search' : 'call';
  return (kind === undefined ? undefined : units[kind]) ?? 'call';
}

/** Usage that is billed by length counts as tokens: each character of synthesized text, each thousandth of a minute of audio input. */
function usageUnit(kind: CallKindName | undefined, upstreamModel: string): PriceUnit {
  if (kind === 'speech' && !speaksTokens(upstreamModel)) return 'million_characters';
  if (kind === 'transcriptions' && !isByTokens(upstreamModel)) return 'thousand_minutes';
  return 'tokens';
}

function billsSearches({ provider }: PreparedChannel): boolean {
  return Object.values(provider?.formats ?? {}).some((format) => format.billsSearches === true);
}
