// Images, audio, video and documents of this format: bytes only, with format names of its own.
import { imageType } from '../media.ts';
import type { AudioPart, FilePart, ImagePart } from '../parts.ts';

type Json = Record<string, unknown>;

const pictures: ReadonlySet<string> = new Set(['png', 'jpeg', 'gif', 'webp']);
const sounds: ReadonlySet<string> = new Set(['aac', 'flac', 'm4a', 'mp3', 'mp4', 'mpeg', 'ogg', 'opus', 'pcm', 'wav', 'webm']);
const films: ReadonlyMap<string, string> = new Map([
  ['video/mp4', 'mp4'],
  ['video/quicktime', 'mov'],
  ['video/webm', 'webm'],
  ['video/x-matroska', 'mkv'],
  ['video/mpeg', 'mpeg'],
  ['video/x-flv', 'flv'],
  ['video/x-ms-wmv', 'wmv'],
  ['video/3gpp', 'three_gp'],
]);
const documents: ReadonlyMap<string, string> = new Map([
  ['application/pdf', 'pdf'],
  ['text/csv', 'csv'],
  ['text/html', 'html'],
  ['text/markdown', 'md'],
  ['application/msword', 'doc'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
  ['application/vnd.ms-excel', 'xls'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
]);

/**
 * Returns null if the format does not support the media.
 * @param names of earlier documents with their number of uses, to which this one is added
 */
export function writeMedia(part: ImagePart | AudioPart | FilePart, names: Map<string, number>): Json | null {
  if (part.type === 'audio') return sounds.has(part.format) ? { audio: { format: part.format, source: { bytes: part.data } } } : null;
  const { source } = part;
  if (source.kind === 'text') return documentOf('txt', Buffer.from(source.text).toString('base64'), documentName(part, names));
  if (source.kind !== 'base64') return null;
  if (part.type === 'image') {
    const format = imageType(source.data, source.mediaType).replace(/^image\//, '');
    return pictures.has(format) ? { image: { format, source: { bytes: source.data } } } : null;
  }
  const film = films.get(source.mediaType);
  if (film !== undefined) return { video: { format: film, source: { bytes: source.data } } };
  const format = documents.get(source.mediaType) ?? (source.mediaType.startsWith('text/') ? 'txt' : undefined);
  return format === undefined ? null : documentOf(format, source.data, documentName(part, names));
}

function documentOf(format: string, bytes: string, name: string): Json {
  return { document: { format, name, source: { bytes } } };
}

/** Returns a valid document name: letters, digits, single spaces and a few marks, unique in the request. */
function documentName(part: ImagePart | FilePart, names: Map<string, number>): string {
  const given = 'name' in part ? (part.name ?? '') : '';
  const plain = given
    .replace(/[^\w\s()[\]-]|_/g, '-')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 190);
  const base = plain === '' ? 'document' : plain;
  let name = base;
  // Continues after the last suffix of that name: a caller may send thousands.
  let count = names.get(base) ?? 0;
  for (; names.has(name); count += 1) name = `${base} ${count + 1}`;
  names.set(base, Math.max(1, count));
  if (name !== base) names.set(name, 1);
  return name;
}
