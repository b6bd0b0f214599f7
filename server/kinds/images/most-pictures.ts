// Number of images that a provider makes per request.
import { pictureEdits } from './vendors/edits.ts';
import { imageFormats } from './vendors/registry.ts';

/** @param named format in the provider's record; if undefined, OpenAI's, which makes as many as callers may request */
export function mostAtOnce(isEdit: boolean, named: string | undefined, model: string): number {
  if (named === undefined) return Infinity;
  const edit = isEdit ? pictureEdits.get(named) : undefined;
  if (edit !== undefined) return edit.mostPictures(model);
  return (Object.hasOwn(imageFormats, named) ? imageFormats[named]?.mostPictures?.(model) : undefined) ?? Infinity;
}
