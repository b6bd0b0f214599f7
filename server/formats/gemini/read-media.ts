// Reads images, audio and files into parts.
import { fieldRules } from '#shared/field-rules.ts';
import type { AudioPart, FilePart, ImagePart } from '../parts.ts';
import { badField, type StrictFields } from '#server/framing/strict-fields.ts';

/** Matches URLs of files uploaded to the provider, which others cannot read. */
export const providerFile = /^(?:https:\/\/generativelanguage\.googleapis\.com\/[^?]*\/)?(files\/[\w-]+)$|^gs:\/\//;

/** Returns null for other parts. @throws {AppError} `invalid_request` with the field at fault */
export function readMedia(part: StrictFields): ImagePart | AudioPart | FilePart | null {
  const inline = part.fields('inlineData');
  if (inline !== undefined) {
    const media = readInline(inline);
    const detail = details[part.fields('mediaResolution')?.text('level') ?? ''];
    return media.type === 'image' && detail !== undefined ? { ...media, detail } : media;
  }
  const file = part.fields('fileData');
  if (file === undefined) return null;
  const uri = file.requiredText('fileUri');
  const type = file.text('mimeType') ?? '';
  if (!providerFile.test(uri) && !/^https?:\/\//i.test(uri)) throw badField(file.path('fileUri'), fieldRules.url);
  const source = providerFile.test(uri) ? { kind: 'id' as const, id: uri } : { kind: 'url' as const, url: uri };
  return type.startsWith('image/') ? { type: 'image', source } : { type: 'file', source, ...nameOf(file) };
}

const details: Readonly<Record<string, string>> = {
  MEDIA_RESOLUTION_LOW: 'low',
  MEDIA_RESOLUTION_HIGH: 'high',
  MEDIA_RESOLUTION_ULTRA_HIGH: 'high',
};

function readInline(inline: StrictFields): ImagePart | AudioPart | FilePart {
  const mediaType = inline.requiredText('mimeType').toLowerCase();
  const data = inline.requiredText('data');
  const [kind = '', subtype = ''] = (mediaType.split(';', 1)[0] ?? '').split('/');
  if (kind === 'audio') return { type: 'audio', data, format: audioFormat(subtype) };
  const source = { kind: 'base64' as const, mediaType, data };
  if (kind === 'image') return { type: 'image', source };
  if (kind !== 'text') return { type: 'file', source, ...nameOf(inline) };
  return { type: 'file', source: { kind: 'text', text: Buffer.from(data, 'base64').toString('utf8') }, ...nameOf(inline) };
}

/** Returns the name that other formats have for an audio subtype. */
export function audioFormat(subtype: string): string {
  return audioFormats[subtype] ?? subtype;
}

const audioFormats: Readonly<Record<string, string>> = { mpeg: 'mp3', mpga: 'mp3', 'x-wav': 'wav', wave: 'wav', 'vnd.wave': 'wav' };

function nameOf(media: StrictFields): { name?: string } {
  const name = media.text('displayName');
  return name === undefined ? {} : { name };
}
