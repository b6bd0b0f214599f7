// Image generation requests of callers. https://platform.openai.com/docs/api-reference/images/create
import { pictureModel, tokensOf, unitsOf } from '#shared/picture-order.ts';
import { AppError, type LocalText } from '#shared/errors.ts';
import { fieldRules } from '#shared/field-rules.ts';
import { requestedByBody, type RequestedCall } from '#server/formats/call-address.ts';
import type { ClientCall } from '#server/formats/client-dialect.ts';
import { criticalMembers } from '#server/formats/critical-members.ts';
import { emptyPrompt, type PromptContent } from '#server/formats/prompt-content.ts';
import { badField, type Body, StrictFields } from '#server/framing/strict-fields.ts';
import { mostAtOnce } from './most-pictures.ts';
import { orderOf } from './picture-order.ts';

/** Models of requests that name none: the vendor's default, then its older name; the first that is served. */
const usualModels = ['dall-e-2', 'dall-e'];
/** Fields that decide the number of images and their price. */
export const orderNames = [
  'model',
  'prompt',
  'n',
  'size',
  'quality',
  'stream',
  'partial_images',
  'output_format',
  'frame_count',
] as const satisfies readonly string[];

export const generationsClient: ClientCall = {
  read: requestedPictures,
  check(body) {
    checkPrompt(body);
    checkOrder(body);
  },
  parameters: () => ({ maxTokens: 0, choices: 1, wantsUsage: false, mostTokenBytes: 0 }),
  promptContent: (body, model) => orderedContent(body, model, false),
  names: criticalMembers(orderNames),
  responseFields: orderFields,
  probe: (model) => ({ model, prompt: 'A blue circle', n: 1 }),
};

export function orderedContent(body: Body, model: string, isEdit: boolean): PromptContent {
  const prompt = emptyPrompt();
  for (const text of [body.prompt, body.negative_prompt]) if (typeof text === 'string') prompt.texts.push(text);
  prompt.made = ({ upstreamModel, paramOverride, provider }) => {
    const order = orderOf({ ...body, ...paramOverride });
    const made = pictureModel(upstreamModel, model);
    const requests = Math.ceil(order.count / mostAtOnce(isEdit, provider?.images, upstreamModel)) || 1;
    return { units: unitsOf(order, made), tokens: tokensOf(order, made), requests };
  };
  return prompt;
}

export function requestedPictures(body: Body): RequestedCall {
  if (body.model !== undefined && body.model !== null) return requestedByBody(body);
  const [model = '', ...otherModels] = usualModels;
  return { model, otherModels, isStream: body.stream === true };
}

/** Request fields that images are counted and priced by. */
export function orderFields(body: Body): Record<string, unknown> {
  return Object.fromEntries(orderNames.filter((name) => name !== 'prompt').map((name) => [name, body[name]]));
}

export function checkPrompt({ prompt }: Body): void {
  if (prompt === undefined || prompt === null || prompt === '')
    throw badPicture('prompt', { zh: 'prompt is required', en: 'prompt is required' });
  if (typeof prompt !== 'string') throw badField('prompt', fieldRules.text);
}

const mostPictures = 10;
const mostPartials = 3;
const [fewestFrames, mostFrames] = [2, 16];
const longestWord = 32;
/** Maximum pixels of a side. No model makes larger images, and the reservation follows the area. */
const longestSide = 8192;
const sizesOf: Readonly<Record<string, readonly string[]>> = {
  'dall-e': ['256x256', '512x512', '1024x1024'],
  'dall-e-2': ['256x256', '512x512', '1024x1024'],
  'dall-e-3': ['1024x1024', '1024x1792', '1792x1024'],
};
const wrongSign = "size an unexpected error occurred in the parameter, please use 'x' instead of the multiplication sign '×'";
const sideTooLong = { zh: `每边不能超过 ${longestSide} 像素`, en: `must have sides of at most ${longestSide} pixels` };
const wrongSize = 'size must be one of 256x256, 512x512, or 1024x1024, dall-e-3 1024x1792 or 1792x1024';

/** @throws {AppError} 400 with the invalid field */
export function checkOrder(body: Body): void {
  const fields = new StrictFields(body);
  fields.integer('n', 1, mostPictures);
  fields.integer('partial_images', 0, mostPartials);
  fields.integer('frame_count', fewestFrames, mostFrames);
  fields.boolean('stream');
  for (const name of ['size', 'quality', 'output_format'] as const) {
    if ((fields.text(name)?.length ?? 0) > longestWord) throw badField(name, fieldRules.longest(longestWord));
  }
  const size = fields.text('size');
  if (size === undefined) return;
  const sides = /^(\d+)[x*](\d+)$/.exec(size)?.slice(1) ?? [];
  if (sides.some((side) => Number(side) > longestSide)) throw badField('size', sideTooLong);
  if (size.includes('×')) throw badPicture('size', { zh: wrongSign, en: wrongSign });
  const sizes = typeof body.model === 'string' && Object.hasOwn(sizesOf, body.model) ? sizesOf[body.model] : undefined;
  if (size !== '' && sizes?.includes(size) === false) throw badPicture('size', { zh: wrongSize, en: wrongSize });
}

function badPicture(field: string, detail: LocalText): AppError {
  return new AppError('invalid_image_request', { detail }, { field });
}
