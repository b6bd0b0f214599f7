// Images, audio and files as this format has them. https://ai.google.dev/gemini-api/docs/file-input-methods
import { imageType, sourceOfUrl } from '../media.ts';
import type { AudioPart, FilePart, ImagePart } from '../parts.ts';

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
      const mimeType = typeOfUrl(source.url);
      return { fileData: { ...(mimeType === undefined ? {} : { mimeType }), fileUri: source.url } };
    }
    case 'id':
      // A file's id is known to the provider that gave it, and to no other.
      return null;
  }
}

/** Some write a data URL where OpenAI's format has bare data. */
function writeAudio({ data, format }: AudioPart): Json {
  const source = data.startsWith('data:') ? sourceOfUrl(data) : null;
  if (source?.kind === 'base64') return { inlineData: { mimeType: source.mediaType, data: source.data } };
  return { inlineData: { mimeType: `audio/${format}`, data } };
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
  mp3: 'audio/mp3',
  wav: 'audio/wav',
  mp4: 'video/mp4',
  mov: 'video/mov',
  webm: 'video/webm',
};

function typeOfUrl(url: string): string | undefined {
  const ending = /\.([a-z0-9]+)$/i.exec(URL.parse(url)?.pathname ?? '')?.[1]?.toLowerCase();
  return ending !== undefined && Object.hasOwn(types, ending) ? types[ending] : undefined;
}
