// URLs of images, audio, video and documents in `input`: a content, several, or steps of a conversation.
import { isAddress, type MediaOf, withItems, withMember } from '../../media-addresses.ts';
import type { Body } from '#server/framing/strict-fields.ts';
import { providerFile } from '../read-media.ts';
import { isContent } from './items.ts';

export function withMedia(body: Body, mediaOf: MediaOf): Body {
  const change = (item: Body) => (isContent(item) ? withContent(item, mediaOf) : withStep(item, mediaOf));
  return Array.isArray(body.input) ? withItems(body, 'input', change) : withMember(body, 'input', change);
}

function withStep(step: Body, mediaOf: MediaOf): Body {
  const change = (content: Body) => (isContent(content) ? withContent(content, mediaOf) : content);
  let given = step;
  for (const name of ['content', 'result']) {
    given = Array.isArray(given[name]) ? withItems(given, name, change) : withMember(given, name, change);
  }
  return given;
}

function withContent(content: Body, mediaOf: MediaOf): Body {
  const { uri, type, mime_type: reported } = content;
  if (!isAddress(uri) || providerFile.test(uri) || content.data !== undefined || !isKind(type)) return content;
  const media = mediaOf({ url: uri, kind: type, mediaType: typeof reported === 'string' ? reported : undefined });
  if (media === null) return content;
  const { uri: _uri, ...rest } = content;
  return { ...rest, data: media.data, mime_type: media.mediaType };
}

function isKind(type: unknown): type is 'image' | 'audio' | 'video' | 'document' {
  return type === 'image' || type === 'audio' || type === 'video' || type === 'document';
}
