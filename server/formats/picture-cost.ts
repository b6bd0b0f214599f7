// Estimates tokens of an image in a prompt, by its size if it is inline. URLs are not fetched, because a count must not
// depend on other machines.
// https://platform.openai.com/docs/guides/images-vision#calculating-costs
import { factsOf } from '#server/model-facts/find-facts.ts';
import { inlineData } from './media.ts';
import { type PictureSize, pictureSize } from './picture-size.ts';

export interface PictureWorth {
  guess: number;
  /** Maximum tokens, which are reserved if the account can pay for them. */
  most: number;
}

const lowDetail = 85;
const usual = { base: 85, tile: 170 };
const mini = { base: 2833, tile: 5667 };
const vendorsTile = 512;
const [longest, shortest] = [2048, 768];
/** Maximum tiles, to which images are scaled down. */
const mostTiles = 8;
/** Models that bill images by tile; others by patch or by another vendor's rules. */
const ofTiles = /^(?:openai\/)?(?:chatgpt-4o|gpt-4o|gpt-4-turbo|gpt-4-vision|gpt-4\.5|gpt-4\.1(?!-mini|-nano)|o1|o3)/;
/** Maximum tokens at other vendors: Qwen's, 10,000 patches of 32 × 32 pixels at 1.44 tokens, rounded up. */
const mostElsewhere = 15_000;
const patch = 32;
/** Highest factor of tokens per patch among the models. */
const mostPerPatch = 2.46;
/** Vendors that do not bill images by tile. */
const ofOthers: ReadonlySet<string | undefined> = new Set(['anthropic', 'google']);
/** Models whose vendor applies `detail`. */
const ofDetail = /^(?:openai\/)?(?:chatgpt-|gpt-|o\d|computer-use)/;
/** Patches of an image in low detail, which is scaled to a square. */
const mostOfLow = (512 / patch) ** 2;

/** @param picture URL or data, and requested detail */
export function pictureWorth(model: string, { url, detail }: { url: unknown; detail: unknown }): PictureWorth {
  if (model === 'glm-4v') return { guess: 1047, most: 1047 };
  const cost = /^(?:openai\/)?gpt-4o-mini/.test(model) ? mini : usual;
  const isLow = detail === 'low';
  if (isLow && ofTiles.test(model)) return { guess: lowDetail, most: Math.max(lowDetail, cost.base) };
  if (isLow && ofDetail.test(model)) return { guess: lowDetail, most: Math.ceil(mostOfLow * mostPerPatch) };
  const { data } = inlineData(url);
  const size = data === undefined ? null : pictureSize(data);
  const unknown = 3 * cost.base;
  const guess = size === null || ofOthers.has(factsOf(model)?.vendor) ? unknown : cost.base + tilesOf(size) * cost.tile;
  if (ofTiles.test(model)) return { guess, most: size === null ? cost.base + mostTiles * cost.tile : guess };
  const most = size === null ? mostElsewhere : Math.ceil(size.width / patch) * Math.ceil(size.height / patch) * mostPerPatch;
  // Providers that ignore `detail` read the whole image.
  return { guess: isLow ? lowDetail : guess, most: Math.max(guess, Math.min(mostElsewhere, Math.ceil(most))) };
}

/** Returns the tiles of an image, which is scaled to fit a square, then by its shorter side. */
function tilesOf({ width, height }: PictureSize): number {
  const scale = Math.min(1, longest / Math.max(width, height));
  const [short, long] = [Math.min(width, height) * scale, Math.max(width, height) * scale];
  const further = Math.min(1, shortest / short);
  const tiles = (side: number) => Math.max(1, Math.ceil(Number((side / vendorsTile).toFixed(6))));
  return tiles(Math.min(short, shortest)) * tiles(Math.ceil(Number((long * further).toFixed(3))));
}
