// Pictures of a question: small enough to be sent with every further question, and to be stored.
import type { Picture } from '#pwa/offline/conversation.ts';

/** Pixels of the longer side; models do not look closer. */
const longestSide = 1568;
/** Bytes of a file that is looked at. */
const largestFile = 20_000_000;
export const mostPictures = 4;

/** Undefined: the file is no picture that this browser can read. */
export async function readPicture(file: File): Promise<Picture | undefined> {
  if (!file.type.startsWith('image/') || file.size > largestFile) return undefined;
  try {
    const image = await createImageBitmap(file);
    const scale = Math.min(1, longestSide / Math.max(image.width, image.height));
    const [width, height] = [Math.max(1, Math.round(image.width * scale)), Math.max(1, Math.round(image.height * scale))];
    const canvas = document.createElement('canvas');
    Object.assign(canvas, { width, height });
    const drawing = canvas.getContext('2d');
    if (drawing === null) return undefined;
    // What is transparent would turn black.
    drawing.fillStyle = '#fff';
    drawing.fillRect(0, 0, width, height);
    drawing.drawImage(image, 0, 0, width, height);
    image.close();
    return { name: file.name, url: canvas.toDataURL('image/jpeg', 0.85), width, height };
  } catch {
    return undefined;
  }
}
