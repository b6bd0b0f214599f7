// Images, audio and files of this format. https://ai.google.dev/gemini-api/docs/file-input-methods
import { factsOf } from '#server/model-facts/find-facts.ts';
import { imageType, sourceOfUrl } from '../media.ts';
import { type AddressUse, isFilmAddress, type MediaAddress, typeOfAddress } from '../media-addresses.ts';
import type { AudioPart, FilePart, ImagePart } from '../parts.ts';
import { isOfAccount } from './provider-objects.ts';

type Json = Record<string, unknown>;

/** Returns null if the format does not support the media. */
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
      // A file id is valid only in the account it was uploaded to.
      return null;
  }
}

/** Writes audio: some clients send a URL or data URL where OpenAI's format has base64. */
function writeAudio({ data, format }: AudioPart): Json {
  if (/^https?:\/\//i.test(data)) return { fileData: { ...(isFilmAddress(data) ? {} : { mimeType: `audio/${format}` }), fileUri: data } };
  const source = data.startsWith('data:') ? sourceOfUrl(data) : null;
  if (source?.kind === 'base64') return { inlineData: { mimeType: source.mediaType, data: source.data } };
  return { inlineData: { mimeType: `audio/${format}`, data } };
}

/**
 * Returns whether a URL is sent as such or its bytes inline. Every model accepts bytes; early models download videos only.
 * https://ai.google.dev/gemini-api/docs/file-input-methods
 */
export function addressUse({ url, kind }: MediaAddress, upstreamModel: string): AddressUse {
  // URLs of files in an account are sent as they are: only its key can open them.
  if (isFilmAddress(url) || isOfAccount(url)) return 'address';
  const type = typeOfAddress(url);
  if (type === undefined || factsOf(upstreamModel)?.takesAddresses === false) return 'bytes';
  // A URL of type video may contain only audio.
  return type.startsWith('video/') && kind !== 'audio' ? 'address' : 'either';
}
