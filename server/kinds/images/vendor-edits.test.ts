import { expect, it } from 'vitest';
import type { CallInput } from '#server/formats/encode-input.ts';
import { defaultClientDialect } from '#server/formats/registry.ts';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { defaultSettings } from '#tests/support/default-settings.ts';
import { pictureEdits } from './vendors/edits.ts';
import { encodeEdit } from './vendor-edits.ts';

const picture = { image_url: 'data:image/png;base64,AAAA' };
const [gemini, ali, minimax, siliconflow, volcengine, xai] = [24, 17, 35, 40, 45, 48];

/** Encodes an edit of `given` images into `n`. */
function edit(type: number, model: string, requested: { n?: number; given?: number; override?: number }) {
  const override = requested.override === undefined ? '' : JSON.stringify({ n: requested.override });
  const route = buildPreparedChannel({ type, models: model, param_override: override }).route(defaultClientDialect, 'image_edits', model);
  const form = pictureEdits.get(route?.provider.images ?? '');
  if (route === null || form === undefined) throw new Error(`Type ${type} edits no pictures`);
  const { n, given = 1 } = requested;
  const body = { model, prompt: 'a tide', images: Array.from({ length: given }, () => picture), ...(n === undefined ? {} : { n }) };
  const call: CallInput = {
    client: defaultClientDialect,
    route,
    clientHeaders: {},
    body,
    rawText: JSON.stringify(body),
    originModel: model,
    isStream: false,
    forceUsage: false,
    settings: defaultSettings,
  };
  return encodeEdit(call, form, null);
}

/** Limits per request, from the vendors' pages linked in `vendors/edits.ts`. */
const most = [
  [gemini, 'gemini-2.5-flash-image', 1, 14],
  [ali, 'qwen-image-edit', 1, 4],
  [ali, 'qwen-image-edit-plus', 6, 4],
  [ali, 'wan2.6-image', 4, 4],
  [minimax, 'image-01', 9, 10],
  [siliconflow, 'Qwen/Qwen-Image-Edit', 1, 3],
  [volcengine, 'doubao-seedream-4-0-250828', 10, 10],
  [volcengine, 'doubao-seededit-3-0-i2i-250628', 1, 10],
  [xai, 'grok-imagine-image', 10, 3],
] as const;

it.each(most)('own-edits: of type %i, %s makes %i pictures of one request and no more', (type, model, pictures) => {
  expect(() => edit(type, model, { n: pictures })).not.toThrow();
  const refused = {
    code: 'invalid_request',
    field: 'n',
    details: { detail: { zh: `n 不能大于 ${pictures}`, en: `n must be at most ${pictures}` } },
  };
  expect(() => edit(type, model, { n: pictures + 1 })).toThrow(expect.objectContaining(refused));
});

it.each(most)('own-edits: of type %i, %s takes at most %i · %i pictures', (type, model, _pictures, given) => {
  expect(() => edit(type, model, { given })).not.toThrow();
  expect(() => edit(type, model, { given: given + 1 })).toThrow(expect.objectContaining({ code: 'invalid_request', field: 'images' }));
});

it('own-edits: what a channel overrides asks for no more either', () => {
  expect(() => edit(xai, 'grok-imagine-image', { n: 1, override: 11 })).toThrow(expect.objectContaining({ field: 'n' }));
});
