// Reads video requests strictly: fields that decide the price have a single form.
import { fieldRules } from '#shared/field-rules.ts';
import { refuseAccountObject } from '#server/formats/provider-objects.ts';
import { criticalMembers } from '#server/formats/critical-members.ts';
import type { MultipartFields } from '#server/formats/multipart-body.ts';
import { badField, type Body, StrictFields } from '#server/framing/strict-fields.ts';
import { MultipartFile } from '#server/framing/multipart.ts';
import { longestPrompt } from '#server/call/tasks/task-bounds.ts';
import { sizeNamed } from '#server/tasks/videos/frame.ts';
import type { VideoOrder, VideoPicture } from '#server/tasks/videos/video-format.ts';

/** If `seconds` is undefined, the provider's default applies. */
export interface VideoRequest extends Omit<VideoOrder, 'seconds' | 'requestedModel'> {
  seconds: number | undefined;
}

const mostSeconds = 60;
const [leastSide, mostSide] = [64, 4096];
/**
 * Maximum aspect ratio: 21:9, which is 64:27, with a tolerance. Prices follow the shorter side, so that a longer one
 * would be free.
 */
const longestRatio = 2.4;
const mostPictures = 8;
const longestAddress = 4_000;
const longestModel = 255;
/** Ratio of named sizes, by default. */
const usualRatio = '16:9';

export const videoNames = criticalMembers(
  ['model', 'prompt', 'seconds', 'duration', 'size', 'width', 'height', 'resolution', 'aspect_ratio', 'n', 'group'],
  ['input_reference', 'image_url', 'file_id', 'image', 'images'],
);
export const videoFields: MultipartFields = { numbers: [], flags: [], files: ['input_reference'] };

/** `POST /v1/videos`. @throws {AppError} `invalid_request`, `account_object_refused` */
export function readVideo(body: Body): VideoRequest {
  const fields = new StrictFields(body);
  return {
    model: modelIn(fields),
    prompt: promptIn(fields),
    seconds: secondsIn(fields, 'seconds'),
    ...(sizeIn(fields) ?? { width: 720, height: 1280 }),
    pictures: references(body),
    negativePrompt: undefined,
    seed: undefined,
    hasSound: undefined,
  };
}

/**
 * `POST /v1/video/generations`, used by compatible gateways' clients.
 * @throws {AppError} as `readVideo`
 */
export function readGeneration(body: Body): VideoRequest {
  const fields = new StrictFields(body);
  const more = fields.fields('metadata') ?? new StrictFields({});
  const count = wholeIn(fields, 'n');
  if (count !== undefined && count !== 1) throw badField('n', fieldRules.oneOf(['1']));
  const pictures = [...references(body), ...addresses(fields)];
  if (pictures.length > mostPictures) throw badField('images', fieldRules.most(mostPictures));
  return {
    model: modelIn(fields),
    prompt: promptIn(fields),
    seconds: secondsIn(fields, 'duration') ?? secondsIn(fields, 'seconds'),
    ...(sizeIn(fields) ?? sidesIn(fields) ?? namedSize(fields, more) ?? { width: 1280, height: 720 }),
    pictures,
    negativePrompt: optionalText(fields, 'negative_prompt') ?? optionalText(more, 'negative_prompt'),
    seed: fields.integer('seed', 0, 4_294_967_295) ?? more.integer('seed', 0, 4_294_967_295),
    hasSound: fields.boolean('generate_audio') ?? more.boolean('generate_audio'),
  };
}

export function promptIn(fields: StrictFields): string {
  const prompt = fields.requiredText('prompt');
  if (prompt.trim() === '') throw badField('prompt', fieldRules.required);
  if (prompt.length > longestPrompt) throw badField('prompt', fieldRules.longest(longestPrompt));
  return prompt;
}

function modelIn(fields: StrictFields): string {
  const model = fields.text('model') ?? '';
  if (model === '') throw badField('model', fieldRules.required);
  if (model.length > longestModel) throw badField('model', fieldRules.longest(longestModel));
  return model;
}

function optionalText(fields: StrictFields, name: string): string | undefined {
  const text = fields.text(name);
  if (text !== undefined && text.length > longestPrompt) throw badField(fields.path(name), fieldRules.longest(longestPrompt));
  return text === '' ? undefined : text;
}

/** Accepts a number or its digits, as the vendor's clients send. */
function wholeIn(fields: StrictFields, name: string): number | undefined {
  const value = fields.raw(name);
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  if (typeof value === 'string' && /^-?\d{1,40}$/.test(value)) return Number(value);
  throw badField(fields.path(name), fieldRules.integer);
}

function secondsIn(fields: StrictFields, name: string): number | undefined {
  const seconds = wholeIn(fields, name);
  if (seconds !== undefined && (seconds < 1 || seconds > mostSeconds)) throw badField(name, fieldRules.wholeBetween(1, mostSeconds));
  return seconds;
}

function sizeIn(fields: StrictFields): { width: number; height: number } | undefined {
  const text = fields.text('size');
  if (text === undefined) return undefined;
  const [, width, height] = /^(\d{1,5})[x*](\d{1,5})$/.exec(text) ?? [];
  return checkedSize('size', Number(width), Number(height));
}

function sidesIn(fields: StrictFields): { width: number; height: number } | undefined {
  const [width, height] = [wholeIn(fields, 'width'), wholeIn(fields, 'height')];
  if (width === undefined && height === undefined) return undefined;
  return checkedSize(width === undefined ? 'width' : 'height', width ?? NaN, height ?? NaN);
}

function checkedSize(field: string, width: number, height: number): { width: number; height: number } {
  const fits = (side: number) => Number.isInteger(side) && side >= leastSide && side <= mostSide;
  if (!fits(width) || !fits(height)) throw badField(field, sizeRule);
  if (Math.max(width, height) > Math.min(width, height) * longestRatio) throw badField(field, ratioRule);
  return { width, height };
}

const sizeRule = {
  zh: `必须是宽x高（像素），如 1280x720，每边 ${leastSide} 到 ${mostSide}`,
  en: `must be a width and a height in pixels such as 1280x720, each from ${leastSide} to ${mostSide}`,
};

const ratioRule = {
  zh: `的长边最多是短边的 ${longestRatio} 倍`,
  en: `must have a longer side of at most ${longestRatio} times the shorter one`,
};

function namedSize(fields: StrictFields, more: StrictFields): { width: number; height: number } | undefined {
  const named = (name: string) => fields.text(name) ?? more.text(name);
  const [resolution, ratio] = [named('resolution'), named('aspect_ratio')];
  if (resolution === undefined && ratio === undefined) return undefined;
  const size = sizeNamed(resolution ?? '720p', ratio ?? usualRatio);
  if (size === undefined) throw badField(resolution === undefined ? 'aspect_ratio' : 'resolution', fieldRules.invalid);
  return checkedSize('resolution', size.width, size.height);
}

/** Reads a form's file, a JSON object, or that object as a form field. File ids belong to an account. */
function references(body: Body): VideoPicture[] {
  const { input_reference: given } = body;
  if (Array.isArray(given)) {
    const files: unknown[] = given;
    if (files.length > mostPictures) throw badField('input_reference', fieldRules.most(mostPictures));
    return files.flatMap((file) => {
      if (!(file instanceof MultipartFile) || file.content.size === 0) throw badField('input_reference', fieldRules.required);
      return [{ file }];
    });
  }
  if (typeof given === 'string' && given !== '') return [{ url: addressOf(given, 'input_reference') }];
  const fields = new StrictFields(body);
  const object = fields.fields('input_reference');
  const inFormat = fields.text('input_reference[image_url]');
  if (fields.has('input_reference[file_id]')) refuseAccountObject('input_reference[file_id]');
  if (object?.has('file_id') === true) refuseAccountObject(object.path('file_id'));
  const url = object === undefined ? inFormat : object.requiredText('image_url');
  return url === undefined ? [] : [{ url: addressOf(url, 'input_reference.image_url') }];
}

function addresses(fields: StrictFields): VideoPicture[] {
  const one = fields.text('image');
  const several = (fields.list('images') ?? []).map((value, index) => {
    if (typeof value !== 'string') throw badField(`images.${index}`, fieldRules.text);
    return addressOf(value, `images.${index}`);
  });
  return [...(one === undefined || one === '' ? [] : [addressOf(one, 'image')]), ...several].map((url) => ({ url }));
}

/** A web URL or a `data:` URL; bare Base64 becomes one. */
function addressOf(text: string, field: string): string {
  if (/^https?:\/\//i.test(text)) {
    if (text.length > longestAddress) throw badField(field, fieldRules.longest(longestAddress));
    return text;
  }
  if (/^data:image\/[\w.+-]{1,40};base64,/.test(text.slice(0, 80))) return text;
  if (/^[A-Za-z0-9+/]{16,}/.test(text.slice(0, 80)) && !text.includes(':')) return `data:image/png;base64,${text}`;
  throw badField(field, fieldRules.url);
}
