// Collects request fields that the parts cannot hold, under their names in the format, and maps known ones to the shared
// vocabulary.
import { type ExtraField, fieldsByName, type SaidField, type SaidFields } from './request-fields.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { StrictFields } from '#server/framing/strict-fields.ts';

/** @param saysNothing reports whether a value equals the default */
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

/** Reports whether the value requests nothing: an empty list, or an empty object of a known field. */
function isEmpty(value: unknown, said: SaidField | undefined): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return said !== undefined && said.isSaidByEmpty !== true && isObject(value) && Object.keys(value).length === 0;
}

/** Reports whether the output modalities have only text. */
export function isTextOnly(value: unknown, text: string): boolean {
  return Array.isArray(value) && value.every((modality) => modality === text);
}

/** Audio among the output modalities needs a voice. */
export function withSound(extras: readonly ExtraField[]): ExtraField[] {
  const isSound = ({ field, value }: ExtraField) =>
    field === 'modalities' && Array.isArray(value) && value.some((modality) => typeof modality === 'string' && /^audio$/i.test(modality));
  return extras.map((extra) => (isSound(extra) ? { ...extra, field: 'voice' } : extra));
}
