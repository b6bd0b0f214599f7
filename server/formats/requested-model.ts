// Reads `model`, the one field that all formats share, before the provider is chosen.
import { AppError } from '#shared/errors.ts';
import { fieldRules } from '#shared/field-rules.ts';
import { badField, type Body } from '#server/framing/strict-fields.ts';

const longestName = 256;

export function requestedModel({ model }: Body): string {
  if (model === undefined || model === null || model === '') throw new AppError('model_required', {}, { field: 'model' });
  if (typeof model !== 'string') throw badField('model', fieldRules.text);
  if (model.length > longestName) throw badField('model', fieldRules.longest(longestName));
  // Some providers have model names in paths and headers.
  if (/\p{Cc}/u.test(model)) throw badField('model', fieldRules.noControls);
  return model;
}
