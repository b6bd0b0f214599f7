// What a request says that no reader of its format has a place for: named as the format says it, and known by what it means where it has a word.
import { fieldsByName } from './request-fields.ts';
import type { ExtraField, SaidFields } from './request-fields.ts';
import type { StrictFields } from './strict-fields.ts';

/** @param saysNothing of a value that means what is so anyway */
export function extraFieldReader(
  said: SaidFields,
  saysNothing: (name: string, value: unknown) => boolean = () => false,
): (fields: StrictFields, read: ReadonlySet<string>) => ExtraField[] {
  const byName = fieldsByName(said);
  return (fields, read) =>
    fields.others(read).flatMap((own): ExtraField[] => {
      const name = fields.path(own);
      const value = fields.raw(own);
      const { field = null, neutral = [] } = byName.get(name) ?? {};
      return neutral.includes(value) || saysNothing(name, value) ? [] : [{ field, name, value }];
    });
}

/** Of a list of what a response may consist of, where nothing but texts is written anyway. */
export function isTextOnly(value: unknown, text: string): boolean {
  return Array.isArray(value) && value.every((modality) => modality === text);
}
