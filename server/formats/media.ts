// Data URLs, and what kind of image some bytes are: providers refuse images under a wrong name.
import type { FilePart, MediaSource } from './parts.ts';

/** The source that a URL in a request means; null when it is neither `http(s):` nor a base64 `data:` URL. */
export function sourceOfUrl(url: string): MediaSource | null {
  if (/^https?:\/\//i.test(url)) return { kind: 'url', url };
  if (!url.startsWith('data:')) return null;
  const comma = url.indexOf(',');
  if (comma < 0 || comma > 256) return null;
  const [mediaType = '', ...parameters] = url.slice('data:'.length, comma).split(';');
  if (parameters.at(-1)?.trim().toLowerCase() !== 'base64') return null;
  return { kind: 'base64', mediaType: mediaType.trim().toLowerCase(), data: url.slice(comma + 1) };
}

/** What a field has inline: of a data URL its base64, of bare base64 that. Of an address nothing. Read loosely. */
export function inlineData(value: unknown): { data?: string; mimeType?: string } {
  if (typeof value !== 'string' || /^https?:\/\//i.test(value)) return {};
  const source = sourceOfUrl(value);
  if (source?.kind !== 'base64') return { data: value };
  return source.mediaType === '' ? { data: source.data } : { data: source.data, mimeType: source.mediaType };
}

/** What is heard or watched: no document. */
export function isFilm(mediaType: string): boolean {
  return /^(?:video|audio)\//i.test(mediaType);
}

export function dataUrl(mediaType: string, data: string): string {
  return `data:${mediaType};base64,${data}`;
}

/** The text of a document behind its name, for formats that have no documents; null: it is none of text, or is somewhere else. */
export function namedText({ source, name }: FilePart): string | null {
  const isText = source.kind === 'base64' && source.mediaType.startsWith('text/');
  const text = source.kind === 'text' ? source.text : isText ? Buffer.from(source.data, 'base64').toString('utf8') : null;
  return text === null || name === undefined ? text : `${name}\n\n${text}`;
}

/** A picture in a response, for formats that have none there: clients show Markdown. */
export function markdownPicture({ mediaType, data }: { mediaType: string; data: string }): string {
  return `![image](${dataUrl(mediaType, data)})`;
}

const signatures: readonly (readonly [prefix: string, mediaType: string])[] = [
  ['89504e47', 'image/png'],
  ['ffd8ff', 'image/jpeg'],
  ['47494638', 'image/gif'],
];

/** The type that the first bytes of an image show, else the one it was sent under. */
export function imageType(data: string, named: string): string {
  const head = Buffer.from(data.slice(0, 24), 'base64');
  const hex = head.toString('hex');
  const found = signatures.find(([prefix]) => hex.startsWith(prefix));
  if (found !== undefined) return found[1];
  if (hex.startsWith('52494646') && head.toString('latin1', 8, 12) === 'WEBP') return 'image/webp';
  return named === 'image/jpg' ? 'image/jpeg' : named;
}
