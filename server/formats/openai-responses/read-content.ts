// Reads content of user messages and tool results into parts.
import { fieldRules } from '#shared/field-rules.ts';
import { sourceOfUrl } from '../media.ts';
import type { CacheHint, FilePart, ImagePart, MediaSource, TextPart, UserPart } from '../parts.ts';
import { badField, type StrictFields } from '#server/framing/strict-fields.ts';

/** @throws {AppError} `invalid_request` with the field at fault */
export function readContent(item: StrictFields, field: string): UserPart[] {
  const content = item.raw(field);
  if (content === undefined || typeof content === 'string') return readTexts(item, field);
  return item.objects(field).map(readPart);
}

export function readTexts(item: StrictFields, field: string): TextPart[] {
  const content = item.raw(field);
  if (content === undefined) return [];
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return item.objects(field).map((part) => {
    part.oneOf('type', ['input_text', 'output_text', 'text']);
    return readText(part);
  });
}

function readPart(part: StrictFields): UserPart {
  switch (part.oneOf('type', ['input_text', 'output_text', 'text', 'input_image', 'input_file', 'input_audio'])) {
    case 'input_image':
      return readImage(part);
    case 'input_file':
      return readFile(part);
    case 'input_audio': {
      const audio = part.fields('input_audio');
      if (audio === undefined) throw badField(part.path('input_audio'), fieldRules.required);
      return { type: 'audio', data: audio.requiredText('data'), format: audio.requiredText('format') };
    }
    default:
      return readText(part);
  }
}

function readText(part: StrictFields): TextPart {
  return { type: 'text', text: part.requiredText('text'), ...cacheOf(part) };
}

function cacheOf(part: StrictFields): { cache?: CacheHint } {
  return part.fields('prompt_cache_breakpoint') === undefined ? {} : { cache: '5m' };
}

function readImage(part: StrictFields): ImagePart {
  const detail = part.text('detail');
  const detailed = detail === undefined || detail === 'auto' ? {} : { detail };
  return { type: 'image', source: idOf(part) ?? urlOf(part, 'image_url'), ...detailed, ...cacheOf(part) };
}

function readFile(part: StrictFields): FilePart {
  const name = part.text('filename');
  const source = idOf(part) ?? urlOf(part, part.has('file_url') ? 'file_url' : 'file_data');
  return { type: 'file', source, ...(name === undefined ? {} : { name }), ...cacheOf(part) };
}

function idOf(part: StrictFields): MediaSource | undefined {
  const id = part.text('file_id');
  return id === undefined ? undefined : { kind: 'id', id };
}

function urlOf(part: StrictFields, field: string): MediaSource {
  const source = sourceOfUrl(part.requiredText(field));
  if (source === null) throw badField(part.path(field), fieldRules.url);
  return source;
}
