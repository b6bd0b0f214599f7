// Reads contents of a caller into parts. https://ai.google.dev/api/interactions-api#Content
import { fieldRules } from '#shared/field-rules.ts';
import { sourceOfUrl } from '../../media.ts';
import type { AudioPart, FilePart, ImagePart, MediaSource, TextPart } from '../../parts.ts';
import type { ExtraField } from '../../request-fields.ts';
import { badField, type StrictFields } from '#server/framing/strict-fields.ts';
import { audioFormat, providerFile } from '../read-media.ts';
import { usualTypes } from './items.ts';

export type ContentPart = TextPart | ImagePart | AudioPart | FilePart;

const types = ['text', 'image', 'audio', 'document', 'video'] as const;
/** Fields of media that other formats lack. */
const details = ['resolution', 'processing', 'channels', 'sample_rate'] as const;

/**
 * Reads one content.
 * @param extras receives fields that a part cannot hold
 * @throws {AppError} `invalid_request` with the field at fault
 */
export function readContent(content: StrictFields, extras: ExtraField[]): ContentPart[] {
  const type = content.oneOf('type', types);
  if (type === undefined) throw badField(content.path('type'), fieldRules.required);
  if (type === 'text') {
    const text = content.requiredText('text');
    return text === '' ? [] : [{ type: 'text', text }];
  }
  for (const name of details) {
    const isOfPart = type === 'image' && name === 'resolution';
    if (content.has(name) && !isOfPart) extras.push({ field: 'media_details', name: content.path(name), value: null });
  }
  return [readMedia(content, type)];
}

function readMedia(content: StrictFields, type: 'image' | 'audio' | 'document' | 'video'): ContentPart {
  const mediaType = (content.text('mime_type') ?? usualTypes[type] ?? '').toLowerCase();
  const source = sourceOf(content, mediaType);
  if (type === 'image') {
    const detail = detailOf[content.text('resolution') ?? ''];
    return { type: 'image', source, ...(detail === undefined ? {} : { detail }) };
  }
  if (type === 'audio' && source.kind === 'base64') return { type: 'audio', data: source.data, format: formatOf(source.mediaType) };
  if (source.kind === 'base64' && source.mediaType.startsWith('text/'))
    return { type: 'file', source: { kind: 'text', text: Buffer.from(source.data, 'base64').toString('utf8') } };
  const name = content.text('name');
  return { type: 'file', source, ...(name === undefined ? {} : { name }) };
}

const detailOf: Readonly<Record<string, string>> = { low: 'low', high: 'high', ultra_high: 'high' };
function formatOf(mediaType: string): string {
  const subtype = (mediaType.split(';', 1)[0] ?? '').split('/')[1] ?? '';
  return audioFormat(subtype);
}

function sourceOf(content: StrictFields, mediaType: string): MediaSource {
  const data = content.text('data');
  if (data !== undefined) return { kind: 'base64', mediaType, data };
  const uri = content.requiredText('uri');
  const file = providerFile.exec(uri);
  if (file !== null) return { kind: 'id', id: file[1] ?? uri };
  const source = sourceOfUrl(uri);
  if (source === null) throw badField(content.path('uri'), fieldRules.url);
  return source;
}
