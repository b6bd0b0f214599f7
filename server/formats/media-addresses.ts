// Pictures, sounds, films and documents that a request names by their address: which of them a provider looks up itself, and how a request
// says the same with their bytes. Formats say where such addresses stand (`<format>/media-addresses.ts`), upstream dialects and providers'
// records which of them they take.
import { isObject } from '#server/framing/loose-json.ts';
import type { Route } from './route.ts';

export type MediaKind = 'image' | 'audio' | 'video' | 'document';

export interface MediaAddress {
  url: string;
  /** Undefined: the request does not say. */
  kind: MediaKind | undefined;
  /** As its caller tells it. */
  mediaType?: string | undefined;
}

/** How a provider takes it. `either`: rather as bytes, and by its address where those cannot be had. */
export type AddressUse = 'address' | 'bytes' | 'either';

/** What lies at an address. `data`: base64. */
export interface Media {
  mediaType: string;
  data: string;
}

/** Null: the address stays. */
export type MediaOf = (address: MediaAddress) => Media | null;

type Body = Readonly<Record<string, unknown>>;

/** Whatever a request names there goes as it is. */
export function passesAddresses({ identity, provider }: Pick<Route, 'identity' | 'provider'>): boolean {
  return identity !== null && provider.takesAddresses === undefined;
}

/** A provider's record says more than its format. Bytes of a caller who speaks the provider's format go as they are where the record says nothing. */
export function addressUse(
  { identity, dialect, provider, upstreamModel }: Pick<Route, 'identity' | 'dialect' | 'provider' | 'upstreamModel'>,
  address: MediaAddress,
): AddressUse {
  const { takesAddresses: taken } = provider;
  if (taken !== undefined && (address.kind === undefined || !taken.includes(address.kind))) return 'bytes';
  if (identity !== null) return 'address';
  return dialect.addressUse?.(address, upstreamModel) ?? usualUse(address);
}

/** Where pictures and films may be anywhere, sounds and documents are mostly sent. */
function usualUse({ kind }: MediaAddress): AddressUse {
  return kind === 'image' || kind === 'video' ? 'address' : 'bytes';
}

/** Of formats that name documents, too. */
export function allButSound({ kind }: MediaAddress): AddressUse {
  return kind === 'audio' || kind === undefined ? 'bytes' : 'address';
}

export function isAddress(value: unknown): value is string {
  return typeof value === 'string' && /^https?:\/\//i.test(value);
}

/** Letters of the longest address that any server takes. */
export const longestAddress = 64 * 1024;

/** Null for what is none, or longer than any. */
export function parseAddress(address: string): URL | null {
  return address.length > longestAddress ? null : URL.parse(address);
}

/** The same object where no item is another one afterwards. One that is no list stays as it is. */
export function withItems(object: Body, name: string, change: (item: Body) => Body): Body {
  const value = object[name];
  if (!Array.isArray(value)) return object;
  const items: readonly unknown[] = value;
  const changed = items.map((item) => (isObject(item) ? change(item) : item));
  return changed.every((item, index) => item === items[index]) ? object : { ...object, [name]: changed };
}

/** The same of one member that is an object. */
export function withMember(object: Body, name: string, change: (member: Body) => Body): Body {
  const member = object[name];
  if (!isObject(member)) return object;
  const changed = change(member);
  return changed === member ? object : { ...object, [name]: changed };
}

/** What a file at that address is called; undefined: nothing says so. */
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

/** Its provider watches a film of any length. https://ai.google.dev/gemini-api/docs/video-understanding#youtube */
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

/** By the ending of its name; undefined: that says nothing. */
export function typeOfAddress(url: string): string | undefined {
  const ending = /\.([a-z0-9]+)$/i.exec(parseAddress(url)?.pathname ?? '')?.[1]?.toLowerCase();
  return ending !== undefined && Object.hasOwn(types, ending) ? types[ending] : undefined;
}

/** `wav`, `mp3` …, as callers of OpenAI's format call sounds. */
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
