// Reads the size of an inline image from its first bytes. PNG: https://www.w3.org/TR/png-3/#11IHDR, GIF:
// https://www.w3.org/Graphics/GIF/spec-gif89a.txt, JPEG: https://www.w3.org/Graphics/JPEG/itu-t81.pdf (B.2.2), WebP:
// https://developers.google.com/speed/webp/docs/riff_container
export interface PictureSize {
  width: number;
  height: number;
}

/** Base64 characters to read: covers the metadata that cameras write before a JPEG's size. */
export const mostLooked = 128 * 1024;
const nearly = 64;

/**
 * Reads the size; null for other types, or if the size is not within the first bytes.
 * @param data base64
 */
export function pictureSize(data: string): PictureSize | null {
  const head = Buffer.from(data.slice(0, nearly), 'base64');
  if (head.length < 24) return null;
  const found = sizeOf(head, data);
  return found !== null && found.width > 0 && found.height > 0 ? found : null;
}

function sizeOf(head: Buffer, data: string): PictureSize | null {
  const text = head.toString('latin1');
  if (text.startsWith('\u0089PNG')) return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
  if (text.startsWith('GIF8')) return { width: head.readUInt16LE(6), height: head.readUInt16LE(8) };
  if (text.startsWith('RIFF') && text.startsWith('WEBP', 8)) return ofWebp(head, text.slice(12, 16));
  return text.startsWith('\u00FF\u00D8\u00FF') ? ofJpeg(Buffer.from(data.slice(0, mostLooked), 'base64')) : null;
}

function ofWebp(head: Buffer, kind: string): PictureSize | null {
  if (head.length < 30) return null;
  if (kind === 'VP8X') return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
  if (kind === 'VP8 ') return { width: head.readUInt16LE(26) % 0x40_00, height: head.readUInt16LE(28) % 0x40_00 };
  if (kind !== 'VP8L') return null;
  const bits = head.readUInt32LE(21);
  return { width: (bits % 0x40_00) + 1, height: (Math.floor(bits / 0x40_00) % 0x40_00) + 1 };
}

/** Walks from marker to marker up to the frame that contains the size. */
function ofJpeg(bytes: Buffer): PictureSize | null {
  let at = 2;
  while (at + 9 < bytes.length) {
    const marker = bytes[at + 1] ?? 0;
    if (bytes[at] !== 0xff) return null;
    if (marker === 0xff) at += 1;
    else if (isFrame(marker)) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    else at += 2 + Math.max(2, bytes.readUInt16BE(at + 2));
  }
  return null;
}

/** Reports whether the marker begins a frame. Markers of coding tables are in the same range. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}
