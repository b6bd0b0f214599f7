// Reads text files, for word filters and for providers, which accept UTF-8 only.
import { isTextType } from '#server/formats/media-tokens.ts';

const utf8 = /^utf-?8$/i;

/**
 * Returns the text of a file; null if it is no text.
 * @param bytes content in UTF-8
 */
export function textOf({ mediaType, bytes }: { mediaType: string; bytes: Buffer }): string | null {
  return isTextType(mediaType) ? bytes.toString('utf8') : null;
}

/**
 * Converts a text to UTF-8.
 * @param charset charset that the server reports; if empty or unknown, the bytes are unchanged
 */
export function inUtf8(bytes: Buffer, charset: string): Buffer {
  const name = charsetByMark(bytes) ?? charset;
  if (name === '' || utf8.test(name)) return bytes;
  try {
    return Buffer.from(new TextDecoder(name).decode(bytes));
  } catch {
    return bytes;
  }
}

/** Detects the charset by the byte order mark. https://encoding.spec.whatwg.org/#bom-sniff */
function charsetByMark([first, second]: Buffer): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}
