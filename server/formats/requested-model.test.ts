import { expect, test } from 'vitest';
import type { AppError } from '#shared/errors.ts';
import { requestedModel } from './requested-model.ts';

const refused = (code: AppError['code']) => expect.objectContaining({ code, field: 'model' });

test.each(['gpt-4o', 'vendor/model:free', '潮汐', ' ', 'm'.repeat(256)])('the model of a body may be %j', (model) => {
  expect(requestedModel({ model })).toBe(model);
});

test.each([undefined, null, ''])('a body with the model %j has no model', (model) => {
  expect(() => requestedModel({ model })).toThrow(refused('model_required'));
});

test.each([1, true, ['gpt-4o'], { name: 'gpt-4o' }, 'm'.repeat(257), 'a\nb', 'a\u0000', '\u0085', '\u007f'])(
  'the model of a body may not be %j',
  (model) => {
    expect(() => requestedModel({ model })).toThrow(refused('invalid_request'));
  },
);
