// Reads the number, size and quality of the images requested.
import type { PictureOrder, SeenPicture } from '#shared/picture-order.ts';
import type { Body } from '#server/framing/strict-fields.ts';

const usualFrames = 9;

/** Only for a checked body; numbers of forms are strings. */
export function orderOf({
  n,
  size,
  quality,
  partial_images: partials,
  stream,
  output_format: format,
  frame_count: frames,
}: Body): PictureOrder {
  return {
    count: numberOf(n) ?? 1,
    size: textOf(size),
    quality: textOf(quality),
    partials: stream === true || stream === 'true' ? (numberOf(partials) ?? 0) : 0,
    frames: format === 'gif' ? (numberOf(frames) ?? usualFrames) : 1,
  };
}

/**
 * Reads size and quality of an image from its report.
 * @param size size read from the image's bytes, which takes precedence
 */
export function seenIn({ size: reported, quality }: Body, size: string | undefined, partials = 0): SeenPicture {
  const isSize = typeof reported === 'string' && /^\d{2,5}x\d{2,5}$/.test(reported);
  return { size: size ?? (isSize ? reported : undefined), quality: textOf(quality), partials };
}

function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) && number >= 0 ? number : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value !== 'auto' ? value : undefined;
}
