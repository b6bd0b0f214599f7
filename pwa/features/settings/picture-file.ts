// A picture from this device as the setting holds it: a square PNG, small enough to stand in it.
import { longestPicture } from '#shared/setting-values.ts';

/** Pixels. The first that fits is taken: installed apps want the largest. */
const sides = [512, 256, 128];
/** Bytes of the file that is read. */
export const largestPictureFile = 10_000_000;

/** Undefined: the file is no picture that this browser knows. */
export async function pictureText(file: File): Promise<string | undefined> {
  const address = URL.createObjectURL(file);
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    for (const side of sides) {
      const text = drawn(image, side);
      if (text !== undefined && text.length <= longestPicture) return text;
    }
    return undefined;
  } catch {
    return undefined;
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** Whole, in the middle of a transparent square. */
function drawn(image: HTMLImageElement, side: number): string | undefined {
  const canvas = document.createElement('canvas');
  canvas.width = side;
  canvas.height = side;
  const context = canvas.getContext('2d');
  if (context === null) return undefined;
  // A drawing may have no size of its own.
  const [width, height] = [image.naturalWidth || side, image.naturalHeight || side];
  const scale = side / Math.max(width, height);
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, (side - width * scale) / 2, (side - height * scale) / 2, width * scale, height * scale);
  return canvas.toDataURL('image/png');
}
