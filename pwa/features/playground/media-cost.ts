// Estimated cost of pictures, speech, transcripts and videos, before they are requested.
import { videoPrice } from '#shared/price-at.ts';
import { quotaOf, type Price, type PricedUsage } from '#shared/pricing.ts';
import { tokensOf, unitsOf } from '#shared/picture-order.ts';
import type { ModelKind } from '#pwa/api/chat-models.ts';
import type { MediaSettings } from '#pwa/offline/conversation.ts';
import { mediaFor, previews, videoOf } from './media-settings.ts';
import { roughTokens } from './rough-cost.ts';

interface MediaCost {
  kind: Exclude<ModelKind, 'chat'>;
  model: string;
  settings: MediaSettings | undefined;
  text: string;
  /** Of a recording; undefined: not known. */
  seconds: number | undefined;
  price: Price | undefined;
  groupRatio: number | undefined;
  quotaPerUnit: number;
}

/** Approximate quota; undefined: it cannot be estimated here. */
export function mediaCost(order: MediaCost): number | undefined {
  const { price, groupRatio, quotaPerUnit } = order;
  const usage = usageOf(order);
  if (price === undefined || groupRatio === undefined || usage === undefined) return undefined;
  if (order.kind !== 'video') return quotaOf(usage, price, groupRatio, quotaPerUnit);
  // Priced by tokens, the cost is unknown in advance, and no order is accepted.
  return price.kind === 'call' ? quotaOf(usage, videoPrice(price), groupRatio, quotaPerUnit) : undefined;
}

/** Seconds that a letter takes to be said, and a Chinese character. */
const [letter, character] = [0.07, 0.25];
const spokenPerSecond = 1250 / 60;
const audioTokensPerSecond = 10;
const writtenPerSecond = 4;

function usageOf({ kind, model, settings, text, seconds }: MediaCost): PricedUsage | undefined {
  if (kind === 'picture') {
    const { size, quality, count, isPreviewed } = mediaFor(model, settings);
    const order = {
      count,
      size: size || undefined,
      quality: quality || undefined,
      partials: isPreviewed === true ? previews : 0,
      frames: 1,
    };
    const tokens = tokensOf(order, model);
    return { promptTokens: roughTokens(text), completionTokens: tokens, imageOutputTokens: tokens, units: unitsOf(order, model) };
  }
  if (kind === 'video') {
    const { seconds: count, size } = videoOf(model, mediaFor(model, settings));
    return { promptTokens: 1, completionTokens: 0, units: { kind: 'second', count, size } };
  }
  const isByTokens = model.startsWith('gpt-');
  if (kind === 'speech') {
    const characters = Math.max(1, [...text].length);
    const units = { kind: 'character', count: characters, factor: 0.001 } as const;
    if (!isByTokens) return { promptTokens: characters, completionTokens: 0, units };
    const wide = roughTokens(text) > characters / 2;
    const tokens = Math.ceil(characters * (wide ? character : letter) * spokenPerSecond);
    return { promptTokens: roughTokens(text), completionTokens: tokens, audioOutputTokens: tokens, units };
  }
  if (seconds === undefined) return undefined;
  const thousandths = Math.max(1, Math.round((Math.ceil(seconds) / 60) * 1000));
  const units = { kind: 'minute', count: thousandths, factor: 0.001 } as const;
  if (!isByTokens) return { promptTokens: thousandths, completionTokens: 0, units };
  const audioTokens = Math.ceil(seconds * audioTokensPerSecond);
  return { promptTokens: audioTokens, audioInputTokens: audioTokens, completionTokens: Math.ceil(seconds * writtenPerSecond), units };
}
