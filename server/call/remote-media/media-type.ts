// Detects the media type of a file: by its first bytes, else by the server's header or the file name.
import { type MediaKind, typeOfAddress } from '#server/formats/media-addresses.ts';

interface Found {
  /** Kind that the request expects; undefined for any. */
  kind: MediaKind | undefined;
  bytes: Buffer;
  /** `Content-Type` of the server; empty if none. */
  contentType: string;
  url: string;
}

/** Returns the media type; undefined if unknown. */
export function mediaTypeOf({ bytes, contentType, url, kind }: Found): string | undefined {
  const reported = unsaid.has(contentType) ? undefined : (others[contentType] ?? contentType);
  const found = typeByBytes(bytes) ?? reported ?? typeOfAddress(url);
  // A video container may contain audio only.
  return kind === 'audio' ? found?.replace(/^video\/(?=(?:mp4|webm|mpeg|ogg)$)/, 'audio/') : found;
}

/** Reports whether a media type is of the kind, so that e.g. an error page is not sent as an image. */
export function isOfKind(mediaType: string, kind: MediaKind | undefined): boolean {
  if (mediaType.startsWith('image/') && !pictures.has(mediaType)) return false;
  if (kind === undefined) return true;
  return kind === 'document' ? /^(?:application|text|message)\//.test(mediaType) : mediaType.startsWith(`${kind}/`);
}

/** Raster formats: no model reads vector images, which may contain scripts. */
const pictures = new Set(['png', 'jpeg', 'gif', 'webp', 'heic', 'heif', 'avif', 'bmp', 'tiff'].map((name) => `image/${name}`));

/** Content types of servers that do not know the type of a file. */
const unsaid = new Set(['', 'application/octet-stream', 'binary/octet-stream', 'application/x-download', 'application/download']);
const others: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'application/x-pdf': 'application/pdf',
  'audio/x-wav': 'audio/wav',
};

/** Signature of a file type: its offset and its bytes in Latin-1. */
type Mark = readonly [at: number, text: string, mediaType: string];

const marks: readonly Mark[] = [
  [0, '\x89PNG\r\n\x1a\n', 'image/png'],
  [0, '\xff\xd8\xff', 'image/jpeg'],
  [0, 'GIF87a', 'image/gif'],
  [0, 'GIF89a', 'image/gif'],
  [8, 'WEBP', 'image/webp'],
  [8, 'WAVE', 'audio/wav'],
  [0, '%PDF-', 'application/pdf'],
  [0, 'ID3', 'audio/mpeg'],
  [0, '\xff\xfb', 'audio/mpeg'],
  [0, '\xff\xf3', 'audio/mpeg'],
  [0, '\xff\xf2', 'audio/mpeg'],
  [0, 'fLaC', 'audio/flac'],
  [0, 'OggS', 'audio/ogg'],
  [4, 'ftyphei', 'image/heic'],
  [4, 'ftypmif1', 'image/heif'],
  [4, 'ftypavif', 'image/avif'],
  [4, 'ftypM4A', 'audio/mp4'],
  [4, 'ftyp', 'video/mp4'],
];

function typeByBytes(bytes: Buffer): string | undefined {
  const head = bytes.toString('latin1', 0, 32);
  const found = marks.find(([at, text]) => head.startsWith(text, at));
  // A signature at byte 8 counts only in a RIFF file.
  return found !== undefined && found[0] === 8 && !head.startsWith('RIFF') ? undefined : found?.[2];
}
