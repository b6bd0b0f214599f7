// The one field that every format has, under the same name: it is read before anybody knows who will serve it.
import { AppError } from '#shared/errors.ts';
import { fieldRules } from '#shared/field-rules.ts';
import { badField } from './strict-fields.ts';
import type { Body } from './strict-fields.ts';

const longestName = 256;

/** The model that a body names. @throws {AppError} */
export function requestedModel({ model }: Body): string {
  if (model === undefined || model === null || model === '') throw new AppError('model_required', {}, { field: 'model' });
  if (typeof model !== 'string') throw badField('model', fieldRules.text);
  if (model.length > longestName) throw badField('model', fieldRules.longest(longestName));
  // Names go into paths and headers of some upstreams.
  if (/\p{Cc}/u.test(model)) throw badField('model', fieldRules.noControls);
  return model;
}
