// URLs of images, audio, video and documents in contents: `fileData`, also in function responses.
import { isObject } from '#server/framing/loose-json.ts';
import { isAddress, type MediaKind, type MediaOf, typeOfAddress, withMember } from '../media-addresses.ts';
import { looseMember } from '../proto-json.ts';
import { providerFile } from './read-media.ts';

type Body = Readonly<Record<string, unknown>>;

export function withMedia(body: Body, mediaOf: MediaOf): Body {
  let given = withMember(body, 'generateContentRequest', (inner) => withMedia(inner, mediaOf));
  given = withMember(given, 'generate_content_request', (inner) => withMedia(inner, mediaOf));
  return withAll(given, 'contents', (content) => withAll(content, 'parts', (part) => withPart(part, mediaOf)));
}

function withPart(part: Body, mediaOf: MediaOf): Body {
  for (const name of ['functionResponse', 'function_response']) {
    const changed = withMember(part, name, (answer) => withAll(answer, 'parts', (inner) => withFile(inner, mediaOf)));
    if (changed !== part) return changed;
  }
  return withFile(part, mediaOf);
}

function withFile(part: Body, mediaOf: MediaOf): Body {
  const name = 'file_data' in part ? 'file_data' : 'fileData';
  const file = part[name];
  if (!isObject(file)) return part;
  const [url, reported] = [looseMember(file, 'fileUri'), looseMember(file, 'mimeType')];
  if (!isAddress(url) || providerFile.test(url)) return part;
  const mediaType = typeof reported === 'string' && reported !== '' ? reported : undefined;
  const media = mediaOf({ url, kind: kindOf(mediaType ?? typeOfAddress(url)), mediaType });
  if (media === null) return part;
  const { [name]: _file, ...rest } = part;
  const displayName = looseMember(file, 'displayName');
  return { ...rest, inlineData: { mimeType: media.mediaType, data: media.data, ...(displayName === undefined ? {} : { displayName }) } };
}

/** Returns the kind of media; undefined if unknown. */
export function kindOf(mediaType: string | undefined): MediaKind | undefined {
  const kind = mediaType?.split('/', 1)[0]?.toLowerCase();
  if (kind === 'image' || kind === 'audio' || kind === 'video') return kind;
  return kind === undefined ? undefined : 'document';
}

/** Changes all items of a list; a single object counts as a list. */
function withAll(object: Body, name: string, change: (item: Body) => Body): Body {
  const value = object[name];
  if (!Array.isArray(value)) return withMember(object, name, change);
  const items: readonly unknown[] = value;
  const changed = items.map((item) => (isObject(item) ? change(item) : item));
  return changed.every((item, index) => item === items[index]) ? object : { ...object, [name]: changed };
}
