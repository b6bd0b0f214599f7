// Forms of `input`: a text, one or several contents (a user turn), or steps of a conversation.
import { isObject } from '#server/framing/loose-json.ts';
import type { Body } from '#server/framing/strict-fields.ts';

const contents: ReadonlySet<unknown> = new Set(['text', 'image', 'audio', 'document', 'video']);

export function isContent(item: unknown): item is Body {
  return isObject(item) && contents.has(item.type);
}

/** Media types of contents without one. */
export const usualTypes: Readonly<Record<string, string>> = {
  image: 'image/png',
  audio: 'audio/wav',
  document: 'application/pdf',
  video: 'video/mp4',
};

/** Normalizes to steps. Read loosely: values other than objects are skipped. */
export function stepsOf(input: unknown): Body[] {
  if (typeof input === 'string') return input === '' ? [] : [{ type: 'user_input', content: [{ type: 'text', text: input }] }];
  if (isContent(input)) return [{ type: 'user_input', content: [input] }];
  const items: unknown[] = Array.isArray(input) ? input : isObject(input) ? [input] : [];
  const objects = items.filter(isObject);
  return objects.length > 0 && objects.every(isContent) ? [{ type: 'user_input', content: objects }] : objects;
}
