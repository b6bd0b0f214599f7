// What a request says that no reader of its format has a place for: named as the format says it, and known by what it means where it has a word.
import { fieldsByName } from './request-fields.ts';
import type { ExtraField, SaidField, SaidFields } from './request-fields.ts';
import { isObject } from '#server/framing/loose-json.ts';
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
      const saidField = field === null ? undefined : said[field];
      const isSilent = neutral.includes(value) || saysNothing(name, value) || isEmpty(value, saidField);
      return isSilent ? [] : [{ field, name, value }];
    });
}

/** A list of nothing asks for nothing; an object without members neither, where it is known what it is. */
function isEmpty(value: unknown, said: SaidField | undefined): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return said !== undefined && said.isSaidByEmpty !== true && isObject(value) && Object.keys(value).length === 0;
}

/** Of a list of what a response may consist of, where nothing but texts is written anyway. */
export function isTextOnly(value: unknown, text: string): boolean {
  return Array.isArray(value) && value.every((modality) => modality === text);
}

/** Sound among what a response may consist of: without a voice it is none. */
export function withSound(extras: readonly ExtraField[]): ExtraField[] {
  const isSound = ({ field, value }: ExtraField) =>
    field === 'modalities' && Array.isArray(value) && value.some((modality) => typeof modality === 'string' && /^audio$/i.test(modality));
  return extras.map((extra) => (isSound(extra) ? { ...extra, field: 'voice' } : extra));
}
