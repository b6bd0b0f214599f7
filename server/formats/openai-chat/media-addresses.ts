// URLs of images, audio and files in chat completion requests.
import { isObject } from '#server/framing/loose-json.ts';
import { dataUrl } from '../media.ts';
import { fileNameOf, isAddress, type MediaOf, soundFormatOf, withItems, withMember } from '../media-addresses.ts';

type Body = Readonly<Record<string, unknown>>;

export function withMedia(body: Body, mediaOf: MediaOf): Body {
  return withItems(body, 'messages', (message) => withItems(message, 'content', (part) => withPart(part, mediaOf)));
}

function withPart(part: Body, mediaOf: MediaOf): Body {
  switch (part.type) {
    case 'image_url':
      return withUrl(part, 'image_url', (url) => mediaOf({ url, kind: 'image' }));
    case 'video_url':
      return withUrl(part, 'video_url', (url) => mediaOf({ url, kind: 'video' }));
    case 'input_audio':
      return withMember(part, 'input_audio', (audio) => {
        const media = isAddress(audio.data) ? mediaOf({ url: audio.data, kind: 'audio' }) : null;
        return media === null ? audio : { format: soundFormatOf(media.mediaType), ...audio, data: media.data };
      });
    case 'file':
      return withMember(part, 'file', (file) => {
        const url = file.file_data;
        const media = isAddress(url) ? mediaOf({ url, kind: 'document' }) : null;
        if (media === null || !isAddress(url)) return file;
        return { filename: fileNameOf(url) ?? 'file', ...file, file_data: dataUrl(media.mediaType, media.data) };
      });
    default:
      return part;
  }
}

/** Replaces the URL of a member, which is a URL or an object with one. */
function withUrl(part: Body, name: string, mediaAt: (url: string) => ReturnType<MediaOf>): Body {
  const given = part[name];
  const url = isObject(given) ? given.url : given;
  const media = isAddress(url) ? mediaAt(url) : null;
  if (media === null) return part;
  const data = dataUrl(media.mediaType, media.data);
  return { ...part, [name]: isObject(given) ? { ...given, url: data } : data };
}
