// Parts of `adapt` hooks that several records share.
import { isObject } from '#server/framing/loose-json.ts';
import { type BodyEdit, createEdit } from '#server/formats/body-edit.ts';

/** Moves a number off 0 and 1, if the provider excludes them. */
export function withinUnit(edit: BodyEdit, field: string, { least, most }: { least?: number; most: number }): void {
  const value = edit.get(field);
  if (typeof value !== 'number') return;
  if (value >= 1) edit.set(field, most);
  else if (least !== undefined && value <= 0) edit.set(field, least);
}

export function editMessages(edit: BodyEdit, editMessage: (message: BodyEdit) => void): void {
  const messages = edit.get('messages');
  if (!Array.isArray(messages)) return;
  const edited = messages.map((message: unknown) => {
    if (!isObject(message)) return message;
    const own = createEdit(message);
    editMessage(own);
    return own.result();
  });
  if (edited.some((message, index) => message !== messages[index])) edit.set('messages', edited);
}

/** @param write value of `image_url` for an image */
export function editImages(message: BodyEdit, write: (url: string, image: Readonly<Record<string, unknown>>) => unknown): void {
  const content = message.get('content');
  if (!Array.isArray(content) || !content.some(isImage)) return;
  message.set(
    'content',
    content.map((part: unknown) => {
      if (!isImage(part)) return part;
      const image = isObject(part.image_url) ? part.image_url : { url: part.image_url };
      return typeof image.url === 'string' ? { ...part, image_url: write(image.url, image) } : part;
    }),
  );
}

function isImage(part: unknown): part is Readonly<Record<string, unknown>> {
  return isObject(part) && part.type === 'image_url';
}
