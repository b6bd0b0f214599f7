// Images, audio and files as this format has them. https://ai.google.dev/gemini-api/docs/file-input-methods
import { factsOf } from '#server/model-facts/find-facts.ts';
import { imageType, sourceOfUrl } from '../media.ts';
import { isFilmAddress, typeOfAddress } from '../media-addresses.ts';
import type { AddressUse, MediaAddress } from '../media-addresses.ts';
import type { AudioPart, FilePart, ImagePart } from '../parts.ts';
import { isOfAccount } from './provider-objects.ts';

type Json = Record<string, unknown>;

/** Null: this format has no place for it. */
export function writeMedia(part: ImagePart | AudioPart | FilePart): Json | null {
  if (part.type === 'audio') return writeAudio(part);
  const { source } = part;
  switch (source.kind) {
    case 'text':
      return { text: part.type === 'file' && part.name !== undefined ? `${part.name}\n\n${source.text}` : source.text };
    case 'base64': {
      const mimeType = part.type === 'image' ? imageType(source.data, source.mediaType) : source.mediaType;
      return { inlineData: { mimeType, data: source.data } };
    }
    case 'url': {
      const mimeType = typeOfAddress(source.url);
      return { fileData: { ...(mimeType === undefined ? {} : { mimeType }), fileUri: source.url } };
    }
    case 'id':
      // A file's id is known to the provider that gave it, and to no other.
      return null;
  }
}

/** Some write an address or a data URL where OpenAI's format has bare data. */
function writeAudio({ data, format }: AudioPart): Json {
  if (/^https?:\/\//i.test(data)) return { fileData: { ...(isFilmAddress(data) ? {} : { mimeType: `audio/${format}` }), fileUri: data } };
  const source = data.startsWith('data:') ? sourceOfUrl(data) : null;
  if (source?.kind === 'base64') return { inlineData: { mimeType: source.mediaType, data: source.data } };
  return { inlineData: { mimeType: `audio/${format}`, data } };
}

/**
 * Whatever is at an address goes with its type, and in bytes to every model. Early ones download nothing but films.
 * https://ai.google.dev/gemini-api/docs/file-input-methods
 */
export function addressUse({ url, kind }: MediaAddress, upstreamModel: string): AddressUse {
  // What lies in an account has no address for anybody else: it is refused as such.
  if (isFilmAddress(url) || isOfAccount(url)) return 'address';
  const type = typeOfAddress(url);
  if (type === undefined || factsOf(upstreamModel)?.takesAddresses === false) return 'bytes';
  // Containers of films hold sounds, too.
  return type.startsWith('video/') && kind !== 'audio' ? 'address' : 'either';
}
