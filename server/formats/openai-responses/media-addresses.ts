// URLs of images and files in Responses requests: in messages and tool results.
import { dataUrl } from '../media.ts';
import { fileNameOf, isAddress, type MediaOf, soundFormatOf, withItems, withMember } from '../media-addresses.ts';

type Body = Readonly<Record<string, unknown>>;

export function withMedia(body: Body, mediaOf: MediaOf): Body {
  const change = (part: Body) => withPart(part, mediaOf);
  return withItems(body, 'input', (item) => {
    const given = withItems(withItems(item, 'content', change), 'output', change);
    return withMember(given, 'output', change);
  });
}

function withPart(part: Body, mediaOf: MediaOf): Body {
  switch (part.type) {
    case 'input_image':
    case 'computer_screenshot': {
      const media = isAddress(part.image_url) ? mediaOf({ url: part.image_url, kind: 'image' }) : null;
      return media === null ? part : { ...part, image_url: dataUrl(media.mediaType, media.data) };
    }
    case 'input_file':
      return withFile(part, mediaOf);
    case 'input_audio':
      return withMember(part, 'input_audio', (audio) => {
        const media = isAddress(audio.data) ? mediaOf({ url: audio.data, kind: 'audio' }) : null;
        return media === null ? audio : { format: soundFormatOf(media.mediaType), ...audio, data: media.data };
      });
    default:
      return part;
  }
}

function withFile(part: Body, mediaOf: MediaOf): Body {
  const url = isAddress(part.file_url) ? part.file_url : part.file_data;
  const media = isAddress(url) ? mediaOf({ url, kind: 'document' }) : null;
  if (media === null || !isAddress(url)) return part;
  const { file_url: _url, ...rest } = part;
  return { filename: fileNameOf(url) ?? 'file', ...rest, file_data: dataUrl(media.mediaType, media.data) };
}
