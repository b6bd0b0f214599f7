// Image and document URLs in Messages requests: in messages, tool results and documents made of blocks.
import {
  type AddressUse,
  isAddress,
  type Media,
  type MediaAddress,
  type MediaOf,
  typeOfAddress,
  withItems,
  withMember,
} from '../media-addresses.ts';

type Body = Readonly<Record<string, unknown>>;

export function withMedia(body: Body, mediaOf: MediaOf): Body {
  return withItems(body, 'messages', (message) => withItems(message, 'content', (block) => withBlock(block, mediaOf)));
}

function withBlock(block: Body, mediaOf: MediaOf): Body {
  switch (block.type) {
    case 'image':
      return withMember(block, 'source', (source) => withSource(source, 'image', mediaOf));
    case 'document':
      return withMember(block, 'source', (source) =>
        source.type === 'content'
          ? withItems(source, 'content', (inner) => (inner.type === 'document' ? inner : withBlock(inner, mediaOf)))
          : withSource(source, 'document', mediaOf),
      );
    case 'tool_result':
      return withItems(block, 'content', (inner) => (inner.type === 'tool_result' ? inner : withBlock(inner, mediaOf)));
    default:
      return block;
  }
}

function withSource(source: Body, kind: 'image' | 'document', mediaOf: MediaOf): Body {
  const media = source.type === 'url' && isAddress(source.url) ? mediaOf({ url: source.url, kind }) : null;
  return media === null ? source : sourceOf(media);
}

/** Writes a source: text as text, because base64 documents must be PDFs. */
function sourceOf({ mediaType, data }: Media): Body {
  if (!/^text\//i.test(mediaType)) return { type: 'base64', media_type: mediaType, data };
  return { type: 'text', media_type: 'text/plain', data: Buffer.from(data, 'base64').toString('utf8') };
}

/** Returns whether a URL is sent as such: only images and PDFs over HTTPS are. https://platform.claude.com/docs/en/build-with-claude/pdf-support */
export function addressUse({ url, kind }: MediaAddress): AddressUse {
  if (!/^https:/i.test(url)) return 'bytes';
  return kind === 'image' || (kind === 'document' && typeOfAddress(url)?.startsWith('text/') !== true) ? 'address' : 'bytes';
}
