// Documents of a reranking: texts, or objects that hold one, a picture, or fields of any name.
import { isObject } from '#server/framing/loose-json.ts';

/** Text of a document; undefined if it is something else or uses other fields. */
export function textOf(document: unknown): string | undefined {
  if (typeof document === 'string') return document;
  return isObject(document) && typeof document.text === 'string' ? document.text : undefined;
}

/** Texts that a model may read: the values of all fields except images. */
export function readableTexts(document: unknown): string[] {
  if (typeof document === 'string') return [document];
  if (!isObject(document)) return [];
  return Object.entries(document).flatMap(([name, value]) => {
    if (name === 'image' || value === null || value === undefined) return [];
    return [typeof value === 'string' ? value : JSON.stringify(value)];
  });
}
