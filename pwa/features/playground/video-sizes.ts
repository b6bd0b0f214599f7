// Sizes of videos that a model is offered in: its prices are by the shorter side.
import type { Price } from '#shared/pricing.ts';
import { usualHeight } from '#shared/video-prices.ts';

/** Those that make nothing but wide and tall ones. */
const neverSquare = /sora|veo-/;
/** OpenAI's have a size of their own. https://platform.openai.com/docs/guides/video-generation */
const widths: Readonly<Record<number, number>> = { 1024: 1792 };

/** Wide, tall and square, of each resolution that has a price. */
export function videoSizes(model: string, price: Price | undefined): string[] {
  const heights = price?.kind === 'call' && price.videos !== undefined ? price.videos.map(({ height }) => height) : [usualHeight];
  return heights.flatMap((height) => {
    const width = widths[height] ?? Math.round((height * 16) / 18) * 2;
    const square = neverSquare.test(model) ? [] : [`${height}x${height}`];
    return [`${width}x${height}`, `${height}x${width}`, ...square];
  });
}
