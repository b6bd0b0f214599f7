// How many pictures a provider makes at a time.
import { pictureEdits } from './vendors/edits.ts';
import { imageFormats } from './vendors/registry.ts';

/** @param named form in the provider's record; undefined: it is asked as OpenAI is, which makes all that callers may ask for */
export function mostAtOnce(isEdit: boolean, named: string | undefined, model: string): number {
  if (named === undefined) return Infinity;
  const edit = isEdit ? pictureEdits.get(named) : undefined;
  if (edit !== undefined) return edit.mostPictures(model);
  return (Object.hasOwn(imageFormats, named) ? imageFormats[named]?.mostPictures?.(model) : undefined) ?? Infinity;
}
