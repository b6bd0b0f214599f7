// Reads and writes data URLs, and detects image types, because providers reject images with a wrong media type.
import type { FilePart, MediaSource } from './parts.ts';

/** Returns the source for a URL in a request; null unless it is an `http(s):` or a base64 `data:` URL. */
export function sourceOfUrl(url: string): MediaSource | null {
  if (/^https?:\/\//i.test(url)) return { kind: 'url', url };
  if (!url.startsWith('data:')) return null;
  const comma = url.indexOf(',');
  if (comma < 0 || comma > 256) return null;
  const [mediaType = '', ...parameters] = url.slice('data:'.length, comma).split(';');
  if (parameters.at(-1)?.trim().toLowerCase() !== 'base64') return null;
  return { kind: 'base64', mediaType: mediaType.trim().toLowerCase(), data: url.slice(comma + 1) };
}

/** Returns the base64 of a data URL or of bare base64; nothing for other URLs. Read loosely. */
export function inlineData(value: unknown): { data?: string; mimeType?: string } {
  if (typeof value !== 'string' || /^https?:\/\//i.test(value)) return {};
  const source = sourceOfUrl(value);
  if (source?.kind !== 'base64') return { data: value };
  return source.mediaType === '' ? { data: source.data } : { data: source.data, mimeType: source.mediaType };
}

/** Reports whether the media type is audio or video. */
export function isFilm(mediaType: string): boolean {
  return /^(?:video|audio)\//i.test(mediaType);
}

export function dataUrl(mediaType: string, data: string): string {
  return `data:${mediaType};base64,${data}`;
}

/** Writes a document as text under its name, for formats without documents; null unless it is inline text. */
export function namedText({ source, name }: FilePart): string | null {
  const isText = source.kind === 'base64' && source.mediaType.startsWith('text/');
  const text = source.kind === 'text' ? source.text : isText ? Buffer.from(source.data, 'base64').toString('utf8') : null;
  return text === null || name === undefined ? text : `${name}\n\n${text}`;
}

/** Writes an image as Markdown, for response formats without images. */
export function markdownPicture({ mediaType, data }: { mediaType: string; data: string }): string {
  return `![image](${dataUrl(mediaType, data)})`;
}

const signatures: readonly (readonly [prefix: string, mediaType: string])[] = [
  ['89504e47', 'image/png'],
  ['ffd8ff', 'image/jpeg'],
  ['47494638', 'image/gif'],
];

/** Detects the type of an image from its first bytes; returns the stated one if unknown. */
export function imageType(data: string, named: string): string {
  const head = Buffer.from(data.slice(0, 24), 'base64');
  const hex = head.toString('hex');
  const found = signatures.find(([prefix]) => hex.startsWith(prefix));
  if (found !== undefined) return found[1];
  if (hex.startsWith('52494646') && head.toString('latin1', 8, 12) === 'WEBP') return 'image/webp';
  return named === 'image/jpg' ? 'image/jpeg' : named;
}
