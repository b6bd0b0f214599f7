// What an answer costs so far, before the provider has said how many tokens it was.
import { withLongInputs } from '#shared/find-price.ts';
import type { PricingEntry } from '#shared/models.ts';
import { quotaOf, type Price } from '#shared/pricing.ts';
import type { Answer, Conversation } from '#pwa/offline/conversation.ts';
import type { OfferedModel } from './queries.ts';
import { chatBody } from './request-body.ts';

/** Han, kana, Hangul and full-width signs: about a token each. Of other letters, four are about one. */
const wide = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]/g;
const lettersPerToken = 4;

export function roughTokens(text: string): number {
  const wideCount = text.match(wide)?.length ?? 0;
  return Math.ceil(wideCount + (text.length - wideCount) / lettersPerToken);
}

/** Of everything that is sent for the question of that answer; undefined: the conversation has no such answer any more. */
export function roughQuestion(conversation: Conversation, { model, startedAt }: Answer): number | undefined {
  for (const [index, { answers }] of conversation.turns.entries()) {
    const column = answers.findIndex((answer) => answer?.startedAt === startedAt && answer.model === model);
    if (column === -1) continue;
    const texts = chatBody(conversation, index, column).messages.flatMap(({ content }) =>
      typeof content === 'string' ? [content] : content.map((part) => ('text' in part ? part.text : '')),
    );
    return roughTokens(texts.join('\n'));
  }
  return undefined;
}

interface RoughCost {
  offered: OfferedModel | undefined;
  /** Of the group that pays. */
  groupRatio: number | undefined;
  quotaPerUnit: number;
  promptTokens: number | undefined;
  completionTokens: number;
}

/** In quota; undefined: the price is not known here. */
export function roughCost({ offered, groupRatio, quotaPerUnit, promptTokens, completionTokens }: RoughCost): number | undefined {
  const price = offered?.price;
  if (price === undefined || groupRatio === undefined || promptTokens === undefined || completionTokens === 0) return undefined;
  return quotaOf({ promptTokens, completionTokens }, price, groupRatio, quotaPerUnit);
}

/** Without the savings of a cache, which are unknown before the end. */
export function priceOf(
  entry: Pick<PricingEntry, 'quota_type' | 'model_price' | 'model_ratio' | 'completion_ratio' | 'long_inputs'> &
    Partial<Pick<PricingEntry, 'audio_ratio' | 'audio_output_ratio' | 'image_ratio' | 'image_output_ratio' | 'video_prices'>>,
): Price {
  const { video_prices: videos } = entry;
  if (entry.quota_type === 1) return { kind: 'call', modelPrice: entry.model_price, ...(videos && { videos }) };
  const { model_ratio: modelRatio, completion_ratio: completionRatio } = entry;
  const further = {
    cacheRatio: 1,
    cacheCreationRatio: 1,
    cacheCreation1hRatio: 1,
    audioInputRatio: entry.audio_ratio ?? 1,
    audioOutputRatio: entry.audio_output_ratio ?? completionRatio,
    imageInputRatio: entry.image_ratio ?? 1,
    imageOutputRatio: entry.image_output_ratio ?? completionRatio,
  };
  return withLongInputs({ kind: 'usage', modelRatio, completionRatio, ...further }, entry.long_inputs ?? []);
}
