// What a second of video costs, by model and resolution.
import { modelFit } from '#shared/long-inputs.ts';
import type { NumberMap } from '#shared/setting-values.ts';

const entry = /^([1-9]\d{1,3})p:(\S.*)$/;
/** Resolution of a price per second, if no prices by resolution are set. */
export const usualHeight = 720;

/** USD per second of video whose shorter side has so many pixels. */
export interface VideoPrice {
  height: number;
  price: number;
}

/** `1080p:sora-2-pro*`: USD per second in that resolution, of a model or of those whose names begin so. */
export function isVideoPriceName(name: string): boolean {
  return entry.test(name);
}

/** The lowest resolution first. A model's own name counts before a beginning of it, and of these the longest. */
export function videoPricesOf(model: string, prices: NumberMap): VideoPrice[] {
  let chosen: VideoPrice[] = [];
  let best = -1;
  for (const [name, price] of Object.entries(prices)) {
    const [, height, models = ''] = entry.exec(name) ?? [];
    const fit = modelFit(model, models);
    if (fit < best || fit < 0) continue;
    if (fit > best) [chosen, best] = [[], fit];
    chosen.push({ height: Number(height), price });
  }
  return chosen.toSorted((one, other) => one.height - other.height);
}

/** `1280x720` as its price knows it: 720. */
export function heightOf({ width, height }: { width: number; height: number }): number {
  return Math.min(width, height);
}
