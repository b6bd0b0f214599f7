// Estimates tokens of images for Qwen's models. The provider scales images to limits that depend on model and request.
// https://www.alibabacloud.com/help/en/model-studio/vision, https://www.alibabacloud.com/help/en/model-studio/qwen-vl-ocr
import { isObject } from '#server/framing/loose-json.ts';

export interface ImageWorth {
  /** Tokens if the size is unknown. */
  guess: number;
  most: number;
}

const qwen = /(?:^|[^a-z])(?:qwen|qvq)/i;
/** Older models have 28 × 28 pixels per token, newer ones 32 × 32. */
const older = /qwen-?2(?!\d)|qvq/i;
const newer = /qwen-?(?:[3-9]|[1-9]\d)/i;
/** Tokens of an image with the default size limit, and the maximum that can be requested. */
const bounds = {
  older: { usual: 1_280, most: 16_384 },
  newer: { usual: 2_560, most: 16_384 },
  ocr: { usual: 8_192, most: 30_000 },
};
/** Tokens before and after each image. */
const marks = 2;

/**
 * Returns null for a model of another vendor without Qwen's fields.
 * @param part message part with the image
 */
export function qwenImage(model: string, body: Readonly<Record<string, unknown>>, part: unknown): ImageWorth | null {
  const isSharp = body['vl_high_resolution_images'] === true;
  const pixels = pixelsOf(part);
  if (!qwen.test(model) && !isSharp && pixels === undefined) return null;
  const bound = /ocr/i.test(model) ? bounds.ocr : older.test(model) ? bounds.older : bounds.newer;
  // Names such as `qwen-vl-max` have denoted both generations.
  const side = newer.test(model) ? 32 : 28;
  const tokens = isSharp ? bound.most : pixels === undefined ? bound.usual : Math.min(bound.most, Math.ceil(pixels / side ** 2));
  const most = tokens + marks;
  return { guess: Math.min(most, bounds.older.usual + marks), most };
}

/** Returns the pixels of an image after scaling. Its limits are next to the URL, or in its object. */
function pixelsOf(part: unknown): number | undefined {
  if (!isObject(part)) return undefined;
  const inner = isObject(part['image_url']) ? part['image_url'] : {};
  const reported = [part['max_pixels'], part['min_pixels'], inner['max_pixels'], inner['min_pixels']].filter(
    (value): value is number => typeof value === 'number' && value > 0,
  );
  const [most, ...others] = reported;
  if (most === undefined || (typeof part['max_pixels'] !== 'number' && typeof inner['max_pixels'] !== 'number')) return undefined;
  return Math.max(most, ...others);
}
