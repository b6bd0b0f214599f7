// Estimates the cost of a request for pictures before a provider reports it: on the server, and in the console before it is sent.
import type { CallUnits } from '#shared/call-units.ts';
import { product } from '#shared/decimal.ts';

export interface PictureOrder {
  count: number;
  /** In the caller's words; undefined: the model's own choice. */
  size: string | undefined;
  quality: string | undefined;
  /** Pictures of a stream that are not finished yet, of each. */
  partials: number;
  /** Of a moving picture; 1 of others. */
  frames: number;
}

const vendorRules = /dall-e|gpt-image|gemini|seed(?:ream|edit)/;

/** Returns the model whose rules apply: the one at the provider or, if an account has given it another name (a deployment), the requested one. */
export function pictureModel(upstreamModel: string, model: string): string {
  return vendorRules.test(upstreamModel) ? upstreamModel : model;
}

/** Factors of a price per picture, which is that of a picture of 1024×1024 in standard quality. */
const sizeFactors: Readonly<Record<string, number>> = { '256x256': 0.4, '512x512': 0.45, '1024x1792': 2, '1792x1024': 2 };
/** The vendor's: $0.016 and $0.018 next to $0.020. https://developers.openai.com/api/docs/models/dall-e-2 */
const dallE2Factors: Readonly<Record<string, number>> = { '256x256': 0.8, '512x512': 0.9 };
const oblong = new Set(['1024x1792', '1792x1024']);

/** @param count how many came */
export function unitsOf({ count: ordered, size, quality }: PictureOrder, upstreamModel: string, count: number = ordered): CallUnits {
  const factor = product(sizeFactor(upstreamModel, size), qualityFactor(upstreamModel, { size, quality }));
  return {
    kind: 'image',
    count,
    ...(factor === 1 ? {} : { factor }),
    size,
    quality,
  };
}

function sizeFactor(upstreamModel: string, size = ''): number {
  return (/(?:^|\/)dall-e(?:-2|$)/.test(upstreamModel) ? dallE2Factors : sizeFactors)[size] ?? 1;
}

/** https://platform.openai.com/docs/pricing#image-generation */
function qualityFactor(upstreamModel: string, { size = '', quality }: Pick<PictureOrder, 'size' | 'quality'>): number {
  if (!/(?:^|\/)dall-e-3/.test(upstreamModel) || quality !== 'hd') return 1;
  return oblong.has(size) ? 1.5 : 2;
}

/**
 * Tokens of a picture of 1024×1024; others by their area. Of the two best qualities no numbers are published: each is taken for twice the one
 * before it. https://developers.openai.com/api/docs/guides/image-generation#cost-and-latency
 */
const squareTokens: Readonly<Record<string, number>> = { low: 272, medium: 1056, high: 4160, xhigh: 8320, max: 16_640 };
const squareArea = 1024 * 1024;
/** Of the largest of the usual sizes: who leaves it to the model may get that. */
const openArea = 1.5;
const smallest = '1024x1024';
const tokensOfPartial = 100;
/** A picture of a model whose vendor bills none by tokens: what it costs at the ratio 1 is $0.0025. */
const otherTokens = 1250;

/** Output tokens of so many pictures, at the most. */
export function tokensOf(order: PictureOrder, upstreamModel: string, count: number = order.count): number {
  const one = tokensOfOne(order, upstreamModel) + textTokens(upstreamModel);
  return Math.ceil(count * (one * order.frames + order.partials * tokensOfPartial));
}

/** What is seen of a picture that has come. */
export interface SeenPicture {
  /** In pixels, like `1024x1024`; undefined: its bytes do not say it. */
  size: string | undefined;
  /** Quality that the provider reports; undefined: it reports none. */
  quality: string | undefined;
  /** Of it that came before it was finished. */
  partials: number;
}

/**
 * Returns the output tokens of one picture as received, not rounded, if they are not reported; never more than were reserved for it. A quality that
 * was left to the vendor and is not reported is high: `auto` "will automatically select the best quality for the given model", and bills agree. An
 * unknown size is the smallest that the vendor makes. https://platform.openai.com/docs/api-reference/images/createEdit
 */
export function tokensOfSeen(order: PictureOrder, upstreamModel: string, { size, quality, partials }: SeenPicture): number {
  const seen = { size: size ?? order.size ?? (isOfGptImage(upstreamModel) ? smallest : undefined), quality: order.quality ?? quality };
  const one = tokensOfOne(seen, upstreamModel) * order.frames + tokensOfPartials(order, partials);
  return Math.min(one, tokensOf(order, upstreamModel, 1));
}

/**
 * Returns the tokens of one picture's partial images, at most as many as requested.
 * https://developers.openai.com/api/docs/guides/image-generation#partial-images-cost
 */
export function tokensOfPartials({ partials: most }: PictureOrder, count: number): number {
  return Math.min(count, most) * tokensOfPartial;
}

function isOfGptImage(upstreamModel: string): boolean {
  return /^(?:chat)?gpt-image/.test(upstreamModel);
}

function tokensOfOne({ size = '', quality = '' }: Pick<PictureOrder, 'size' | 'quality'>, upstreamModel: string): number {
  const [, width, height] = /^(\d+)[x*](\d+)$/.exec(size) ?? [];
  const pixels = width === undefined || height === undefined ? undefined : Number(width) * Number(height);
  if (/gemini/.test(upstreamModel)) return tokensOfGemini(upstreamModel, size, pixels);
  if (/seed(?:ream|edit)/.test(upstreamModel)) return tokensOfSeedream(size, pixels);
  if (!isOfGptImage(upstreamModel)) return otherTokens * sizeFactor(upstreamModel, size);
  // None is smaller at the vendor; who takes a smaller size may make the usual one of it.
  const area = pixels === undefined ? openArea : Math.max(1, pixels / squareArea);
  return (squareTokens[quality] ?? squareTokens.high ?? otherTokens) * area;
}

/** Returns the tokens of text and thoughts that Gemini adds to a picture. */
function textTokens(upstreamModel: string): number {
  if (!/gemini/.test(upstreamModel)) return 0;
  return isQuickGemini(upstreamModel) ? 300 : 3000;
}

function isQuickGemini(upstreamModel: string): boolean {
  return /gemini-[12][.-]/.test(upstreamModel);
}

/** https://ai.google.dev/gemini-api/docs/image-generation#aspect_ratios_and_image_size */
function tokensOfGemini(upstreamModel: string, size: string, pixels = 0): number {
  if (isQuickGemini(upstreamModel)) return 1290;
  return size === '4K' || pixels > 5_000_000 ? 2520 : size === '2K' || pixels > 1_600_000 ? 1680 : 1120;
}

const seedreamSides: Readonly<Record<string, number>> = { '1K': 1024, '2K': 2048, '3K': 3072, '4K': 4096 };

/** A token is 16×16 pixels; who says no size gets 2048×2048. https://www.volcengine.com/docs/82379/1541523 */
function tokensOfSeedream(size: string, pixels?: number): number {
  const side = seedreamSides[size] ?? 2048;
  return Math.ceil(Math.min(pixels ?? side * side, 4096 * 4096) / 256);
}
