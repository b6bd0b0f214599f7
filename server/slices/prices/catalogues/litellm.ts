// Reads LiteLLM's model_prices_and_context_window.json: model → costs in US dollars per token, second, character or picture.
// https://docs.litellm.ai/docs/provider_registration/add_model_pricing
import { usualHeight } from '#shared/video-prices.ts';
import { isObject, type JsonObject } from '#server/framing/loose-json.ts';
import { type CataloguePrices, InvalidPrice, isModelName, type Offer, priceIn, type TokenKind, type TokenPrices } from './catalogue.ts';

const million = 1_000_000;

/** Explains the fields; no model. */
const example = 'sample_spec';

export function isLiteLlm(value: JsonObject): boolean {
  const models = Object.values(value);
  return models.every(isObject) && models.some((model) => isObject(model) && typeof model['litellm_provider'] === 'string');
}

export function readLiteLlm(value: JsonObject): { offers: Offer[]; invalid: string[] } {
  const offers: Offer[] = [];
  const invalid: string[] = [];
  for (const [model, fields] of Object.entries(value)) {
    if (model === example || !isObject(fields)) continue;
    const { litellm_provider: provider } = fields;
    try {
      if (!isModelName(model)) throw new InvalidPrice('name');
      offers.push({ model, provider: typeof provider === 'string' ? provider.toLowerCase() : '', prices: readModel(fields) });
    } catch (failure) {
      if (!(failure instanceof InvalidPrice)) throw failure;
      invalid.push(model);
    }
  }
  return { offers, invalid };
}

/** Fields of a price per token, without the endings of tiers and lengths. */
const tokenFields: readonly (readonly [string, TokenKind])[] = [
  ['input_cost_per_token', 'input'],
  ['output_cost_per_token', 'output'],
  ['cache_read_input_token_cost', 'cacheRead'],
  ['cache_creation_input_token_cost', 'cacheWrite'],
  ['cache_creation_input_token_cost_above_1hr', 'cacheWrite1h'],
  ['input_cost_per_audio_token', 'audioInput'],
  ['output_cost_per_audio_token', 'audioOutput'],
  ['cache_read_input_audio_token_cost', 'audioCacheRead'],
  ['input_cost_per_image_token', 'imageInput'],
  ['output_cost_per_image_token', 'imageOutput'],
];
const tierEndings: readonly (readonly [string, string])[] = [
  ['_batches', 'batch'],
  ['_flex', 'flex'],
  ['_priority', 'priority'],
];
const lengthEnding = /^(.+)_above_(\d{1,6})k_tokens$/;

/** @throws {InvalidPrice} */
function readModel(fields: JsonObject): CataloguePrices {
  const left = new Set(Object.keys(fields).filter(isCost));
  const take = (name: string, factor: number): number | undefined => {
    left.delete(name);
    return priceIn(fields, name, factor);
  };
  const tokens = tokensWith(take, '');
  const tiers = Object.fromEntries(
    tierEndings.map(([ending, tier]) => [tier, tokensWith(take, ending)] as const).filter(([, prices]) => Object.keys(prices).length > 0),
  );
  const long = readLengths(fields, take);
  const each = readEach(fields, take, tokens);
  const reasoning = take('output_cost_per_reasoning_token', million);
  if (reasoning !== undefined && reasoning !== (each.tokens ?? tokens).output) left.add('output_cost_per_reasoning_token');
  const { input, ...others } = each.tokens ?? tokens;
  return {
    ...(input === undefined ? {} : { tokens: { input, ...others } }),
    ...(each.perCall === undefined ? {} : { perCall: each.perCall }),
    ...(each.perSecond === undefined ? {} : { perSecond: each.perSecond }),
    ...(long.length === 0 ? {} : { long }),
    ...(Object.keys(tiers).length === 0 ? {} : { tiers }),
    unplaced: [...left].filter((name) => fields[name] !== 0),
  };
}

function isCost(name: string): boolean {
  return /cost|pricing/.test(name);
}

type Take = (name: string, factor: number) => number | undefined;

function tokensWith(take: Take, ending: string): TokenPrices {
  const prices: TokenPrices = {};
  for (const [name, kind] of tokenFields) {
    const price = take(`${name}${ending}`, million);
    if (price !== undefined) prices[kind] = price;
  }
  return prices;
}

function readLengths(fields: JsonObject, take: Take): ({ above: number } & TokenPrices)[] {
  const bounds = new Map<number, { above: number } & TokenPrices>();
  for (const name of Object.keys(fields)) {
    const [, base, thousands] = lengthEnding.exec(name) ?? [];
    const kind = tokenFields.find(([field]) => field === base)?.[1];
    if (kind === undefined) continue;
    const above = Number(thousands) * 1000;
    const price = take(name, million);
    if (price !== undefined) bounds.set(above, { ...(bounds.get(above) ?? { above }), [kind]: price });
  }
  return [...bounds.values()].toSorted((one, other) => one.above - other.above);
}

/** Prices of other units, which depend on what the model does. */
function readEach(
  { mode }: JsonObject,
  take: Take,
  tokens: TokenPrices,
): Pick<CataloguePrices, 'perCall' | 'perSecond'> & { tokens?: TokenPrices } {
  const hasTokens = (tokens.input ?? 0) > 0;
  if (hasTokens) return {};
  switch (mode) {
    case 'image_generation':
    case 'image_edit': {
      const perCall = take('output_cost_per_image', 1) ?? take('input_cost_per_image', 1);
      return perCall === undefined ? {} : { perCall, tokens: {} };
    }
    case 'rerank': {
      const perCall = take('input_cost_per_query', 1);
      return perCall === undefined ? {} : { perCall, tokens: {} };
    }
    case 'audio_transcription': {
      // By the minute.
      const perCall = take('input_cost_per_second', 60);
      const output = take('output_cost_per_second', 60);
      return perCall === undefined || (output ?? 0) > 0 ? {} : { perCall, tokens: {} };
    }
    case 'audio_speech': {
      // A letter counts as a token.
      const input = take('input_cost_per_character', million);
      return input === undefined ? {} : { tokens: { input } };
    }
    case 'video_generation': {
      const each = [480, 540, 720, 1080, 2160].flatMap((height) => {
        const usd = take(`output_cost_per_second_${height}p`, 1);
        return usd === undefined ? [] : [{ height, usd }];
      });
      const usual = take('output_cost_per_second', 1) ?? take('output_cost_per_video_per_second', 1);
      const isListed = each.some(({ height }) => height === usualHeight);
      const perSecond = [...each, ...(usual === undefined || isListed ? [] : [{ height: usualHeight, usd: usual }])];
      return perSecond.length === 0 ? {} : { perSecond, tokens: {} };
    }
    default:
      return {};
  }
}
