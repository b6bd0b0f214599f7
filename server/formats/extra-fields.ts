// Collects request fields that the parts cannot hold, under their names in the format, and maps known ones to the shared
// vocabulary.
import { type ExtraField, fieldsByName, type ClientField, type ClientFields } from './request-fields.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { StrictFields } from '#server/framing/strict-fields.ts';

/** @param saysNothing reports whether a value equals the default */
export function extraFieldReader(
  known: ClientFields,
  saysNothing: (name: string, value: unknown) => boolean = () => false,
): (fields: StrictFields, read: ReadonlySet<string>) => ExtraField[] {
  const byName = fieldsByName(known);
  return (fields, read) =>
    fields.others(read).flatMap((own): ExtraField[] => {
      const name = fields.path(own);
      const value = fields.raw(own);
      const { field = null, neutral = [] } = byName.get(name) ?? {};
      const clientField = field === null ? undefined : known[field];
      const isSilent = neutral.includes(value) || saysNothing(name, value) || isEmpty(value, clientField);
      return isSilent ? [] : [{ field, name, value }];
    });
}

/** Reports whether the value requests nothing: an empty list, or an empty object of a known field. */
function isEmpty(value: unknown, known: ClientField | undefined): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return known !== undefined && known.isSetByEmpty !== true && isObject(value) && Object.keys(value).length === 0;
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
