// What `input` consists of: a text, one content or several, which are one turn of the user, or the steps of a conversation.
import { isObject } from '#server/framing/loose-json.ts';
import type { Body } from '../../strict-fields.ts';

const contents: ReadonlySet<unknown> = new Set(['text', 'image', 'audio', 'document', 'video']);

export function isContent(item: unknown): item is Body {
  return isObject(item) && contents.has(item.type);
}

/** Of contents that do not say theirs. */
export const usualTypes: Readonly<Record<string, string>> = {
  image: 'image/png',
  audio: 'audio/wav',
  document: 'application/pdf',
  video: 'video/mp4',
};

/** The same as steps: each says what it is. Read loosely: what is no object is left out. */
export function stepsOf(input: unknown): Body[] {
  if (typeof input === 'string') return input === '' ? [] : [{ type: 'user_input', content: [{ type: 'text', text: input }] }];
  if (isContent(input)) return [{ type: 'user_input', content: [input] }];
  const items: unknown[] = Array.isArray(input) ? input : isObject(input) ? [input] : [];
  const objects = items.filter(isObject);
  return objects.length > 0 && objects.every(isContent) ? [{ type: 'user_input', content: objects }] : objects;
}
