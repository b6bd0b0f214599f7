// Media URLs in requests: which of them a provider downloads itself, and how the request is written with the bytes inlined. Formats list
// the locations (`<format>/media-addresses.ts`), upstream dialects and provider records what they accept.
import { isObject } from '#server/framing/loose-json.ts';
import type { Route } from './route.ts';

export type MediaKind = 'image' | 'audio' | 'video' | 'document';

export interface MediaAddress {
  url: string;
  /** Kind of media; undefined if the request states none. */
  kind: MediaKind | undefined;
  /** Media type that the caller states. */
  mediaType?: string | undefined;
}

/** Form in which a provider accepts media. `either`: preferably bytes, or the URL if the download fails. */
export type AddressUse = 'address' | 'bytes' | 'either';

/** Downloaded media. `data`: base64. */
export interface Media {
  mediaType: string;
  data: string;
}

/** Returns the media to inline; null to forward the URL. */
export type MediaOf = (address: MediaAddress) => Media | null;

type Body = Readonly<Record<string, unknown>>;

/** Reports whether all URLs of the call are forwarded. */
export function passesAddresses({ identity, provider }: Pick<Route, 'identity' | 'provider'>): boolean {
  return identity !== null && provider.takesAddresses === undefined;
}

/**
 * Returns how a URL is sent. The provider's record takes precedence over its format; without one, URLs of callers of the
 * provider's format are forwarded.
 */
export function addressUse(
  { identity, dialect, provider, upstreamModel }: Pick<Route, 'identity' | 'dialect' | 'provider' | 'upstreamModel'>,
  address: MediaAddress,
): AddressUse {
  const { takesAddresses: taken } = provider;
  if (taken !== undefined && (address.kind === undefined || !taken.includes(address.kind))) return 'bytes';
  if (identity !== null) return 'address';
  return dialect.addressUse?.(address, upstreamModel) ?? usualUse(address);
}

/** Default of formats: images and videos are sent as URLs, audio and documents inline. */
function usualUse({ kind }: MediaAddress): AddressUse {
  return kind === 'image' || kind === 'video' ? 'address' : 'bytes';
}

/** Use for formats that accept document URLs too. */
export function allButSound({ kind }: MediaAddress): AddressUse {
  return kind === 'audio' || kind === undefined ? 'bytes' : 'address';
}

export function isAddress(value: unknown): value is string {
  return typeof value === 'string' && /^https?:\/\//i.test(value);
}

/** Longest URL that any server accepts. */
export const longestAddress = 64 * 1024;

/** Returns null for invalid or overlong URLs. */
export function parseAddress(address: string): URL | null {
  return address.length > longestAddress ? null : URL.parse(address);
}

/** Changes the items of a list member; returns the same object if none changes or the member is not a list. */
export function withItems(object: Body, name: string, change: (item: Body) => Body): Body {
  const value = object[name];
  if (!Array.isArray(value)) return object;
  const items: readonly unknown[] = value;
  const changed = items.map((item) => (isObject(item) ? change(item) : item));
  return changed.every((item, index) => item === items[index]) ? object : { ...object, [name]: changed };
}

/** Changes an object member; returns the same object if it does not change. */
export function withMember(object: Body, name: string, change: (member: Body) => Body): Body {
  const member = object[name];
  if (!isObject(member)) return object;
  const changed = change(member);
  return changed === member ? object : { ...object, [name]: changed };
}

/** Returns the file name in a URL; undefined if it has none. */
export function fileNameOf(url: string): string | undefined {
  const last = parseAddress(url)?.pathname.split('/').at(-1) ?? '';
  try {
    const name = decodeURIComponent(last)
      .replaceAll(/[\p{Cc}/\\]/gu, '')
      .slice(-200);
    return name === '' ? undefined : name;
  } catch {
    return last;
  }
}

const filmHost = /(?:^|\.)(?:youtube\.com|youtu\.be)\.?$/i;

/** Reports whether the URL is YouTube's, from which Google accepts videos of any length. https://ai.google.dev/gemini-api/docs/video-understanding#youtube */
export function isFilmAddress(url: string): boolean {
  return filmHost.test(parseAddress(url)?.hostname ?? '');
}

const types: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  heic: 'image/heic',
  heif: 'image/heif',
  gif: 'image/gif',
  pdf: 'application/pdf',
  txt: 'text/plain',
  html: 'text/html',
  csv: 'text/csv',
  md: 'text/markdown',
  mp3: 'audio/mp3',
  wav: 'audio/wav',
  mp4: 'video/mp4',
  mov: 'video/mov',
  webm: 'video/webm',
};

/** Returns the media type by the file extension; undefined if unknown. */
export function typeOfAddress(url: string): string | undefined {
  const ending = /\.([a-z0-9]+)$/i.exec(parseAddress(url)?.pathname ?? '')?.[1]?.toLowerCase();
  return ending !== undefined && Object.hasOwn(types, ending) ? types[ending] : undefined;
}

/** Returns `wav`, `mp3` …, the names of OpenAI's format. */
export function soundFormatOf(mediaType: string): string {
  const subtype = mediaType.split(';', 1)[0]?.split('/')[1]?.toLowerCase() ?? '';
  return soundFormats[subtype] ?? subtype;
}

const soundFormats: Readonly<Record<string, string>> = {
  mpeg: 'mp3',
  mpga: 'mp3',
  'x-wav': 'wav',
  wave: 'wav',
  'vnd.wave': 'wav',
  'x-m4a': 'm4a',
};
