// Mask of the parts of a picture to repaint: a PNG of its size that is transparent there.
// https://platform.openai.com/docs/api-reference/images/createEdit#images-createedit-mask

export interface Point {
  x: number;
  y: number;
}

/** A line of a round brush, in pixels of the picture. */
export function paint(canvas: HTMLCanvasElement, { from, to, width }: { from: Point; to: Point; width: number }): void {
  const drawing = canvas.getContext('2d');
  if (drawing === null) return;
  Object.assign(drawing, { lineCap: 'round', lineJoin: 'round', lineWidth: width, strokeStyle: '#e11', fillStyle: '#e11' });
  drawing.beginPath();
  drawing.moveTo(from.x, from.y);
  drawing.lineTo(to.x, to.y);
  drawing.stroke();
  // A line of no length is not drawn.
  drawing.beginPath();
  drawing.arc(to.x, to.y, width / 2, 0, 2 * Math.PI);
  drawing.fill();
}

/** What is painted; undefined: nothing is. */
export function maskOf(painted: HTMLCanvasElement): string | undefined {
  const { width, height } = painted;
  const pixels = painted.getContext('2d')?.getImageData(0, 0, width, height).data ?? [];
  if (!pixels.some((value, place) => place % 4 === 3 && value > 0)) return undefined;
  return turnedOver(painted, { width, height });
}

/** Where a mask is transparent it is painted again. Never fails: one that cannot be read paints nothing. */
export async function paintMask(canvas: HTMLCanvasElement, mask: Blob): Promise<boolean> {
  try {
    const image = await createImageBitmap(mask);
    const shape = document.createElement('canvas');
    Object.assign(shape, { width: canvas.width, height: canvas.height });
    const drawing = shape.getContext('2d');
    drawing?.fillRect(0, 0, shape.width, shape.height);
    if (drawing) Object.assign(drawing, { globalCompositeOperation: 'destination-out' });
    drawing?.drawImage(image, 0, 0, shape.width, shape.height);
    if (drawing) Object.assign(drawing, { globalCompositeOperation: 'source-in', fillStyle: '#e11' });
    drawing?.fillRect(0, 0, shape.width, shape.height);
    canvas.getContext('2d')?.drawImage(shape, 0, 0);
    return true;
  } catch {
    return false;
  }
}

/** A provider wants picture and mask in one form. */
export async function pngOf(picture: Blob): Promise<Blob> {
  const image = await createImageBitmap(picture);
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width: image.width, height: image.height });
  canvas.getContext('2d')?.drawImage(image, 0, 0);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob === null ? reject(new Error('The picture cannot be written')) : resolve(blob)), 'image/png');
  });
}

function turnedOver(painted: HTMLCanvasElement, size: { width: number; height: number }): string {
  const canvas = document.createElement('canvas');
  Object.assign(canvas, size);
  const drawing = canvas.getContext('2d');
  if (drawing === null) return '';
  drawing.fillRect(0, 0, size.width, size.height);
  drawing.globalCompositeOperation = 'destination-out';
  drawing.drawImage(painted, 0, 0);
  return canvas.toDataURL('image/png');
}
