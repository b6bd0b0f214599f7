// Encodes image edits in vendor formats: a form, or JSON with URLs, becomes the vendor's JSON; files are base64-encoded
// while they are sent.
import { bodyOfValue } from '#server/framing/long-json.ts';
import { randomUUID } from 'node:crypto';
import { fieldRules } from '#shared/field-rules.ts';
import type { CallInput, EncodedRequest } from '#server/formats/encode-input.ts';
import { untranslatable } from '#server/formats/losses.ts';
import { sourceOfUrl } from '#server/formats/media.ts';
import { badField } from '#server/framing/strict-fields.ts';
import { withoutSurcharges } from '#server/formats/surcharges.ts';
import { base64Of } from '#server/framing/base64-source.ts';
import { type ByteSource, PiecedBody, sourceOf } from '#server/framing/byte-source.ts';
import { MultipartFile } from '#server/framing/multipart.ts';
import { encoded, withOverride } from '../forward-body.ts';
import { contentsOf } from './vendor-images.ts';
import type { GivenPicture, PictureEdit } from './picture-edit.ts';
import { type Body, type ImageFormat, objectsIn } from './image-format.ts';

const title = { zh: '此提供商的图片编辑接口', en: "this provider's edits of images" };
const noAddress = { zh: '此提供商只接受图片数据（文件或 data: URL）', en: 'must be a data: URL or a file for this provider' };
/** Placeholder of a file's bytes; random, so no caller can forge it. */
const mark = `picture ${randomUUID()} `;

/**
 * @param form format of the responses; null for OpenAI's
 * @throws {AppError} `untranslatable`, `invalid_request`
 */
export function encodeEdit(requested: CallInput, edit: PictureEdit, form: ImageFormat | null): EncodedRequest {
  const { call, dropped } = withoutSurcharges({ ...requested, isPassThrough: false });
  const { upstreamModel } = requested.route;
  const { image, images, mask, markup, ...rest }: Body = withOverride(call.body, call);
  for (const [name, value] of Object.entries({ mask, markup })) {
    if (value !== undefined && !(Array.isArray(value) && value.length === 0)) throw untranslatable(name, title);
  }
  if (typeof rest.n === 'number' && rest.n > edit.mostPictures(upstreamModel)) {
    throw badField('n', fieldRules.atMost(edit.mostPictures(upstreamModel)));
  }
  const files = Array.isArray(image) ? image.filter((file): file is MultipartFile => file instanceof MultipartFile) : [];
  const given = files.length > 0 ? files.map(asMark) : objectsIn(images).map((one, index) => asGiven(one, index, edit));
  if (given.length > edit.mostGiven) throw badField(files.length > 0 ? 'image' : 'images', fieldRules.most(edit.mostGiven));
  const { body, headers, dropped: lost } = edit.writeRequest(rest, upstreamModel, given);
  return {
    ...encoded(requested, ''),
    body: files.length === 0 ? bodyOfValue(body, requested.longTexts) : bodyWith(JSON.stringify(body), files),
    headers: headers ?? null,
    dropped: [...dropped, ...lost],
    isWhole: true,
    contents: form !== null && rest.response_format === 'b64_json' ? contentsOf(form) : undefined,
  };
}

function asMark({ type }: MultipartFile, index: number): GivenPicture {
  const mediaType = /^image\/[\w.+-]{1,40}$/.test(type) ? type : 'image/png';
  return { kind: 'bytes', mediaType, data: `${mark}${index} ` };
}

function asGiven({ image_url: url }: Body, index: number, { takesAddresses }: PictureEdit): GivenPicture {
  const source = typeof url === 'string' ? sourceOfUrl(url) : null;
  const field = `images[${index}].image_url`;
  if (source?.kind === 'base64') return { kind: 'bytes', mediaType: source.mediaType || 'image/png', data: source.data };
  if (source?.kind !== 'url') throw badField(field, fieldRules.invalid);
  if (takesAddresses !== true) throw badField(field, noAddress);
  return { kind: 'address', url: source.url };
}

function bodyWith(text: string, files: readonly MultipartFile[]): EncodedRequest['body'] {
  const pieces: ByteSource[] = [];
  let rest = text;
  for (const [index, { content }] of files.entries()) {
    const [before = '', ...after] = rest.split(`${mark}${index} `);
    pieces.push(sourceOf(Buffer.from(before)), base64Of(content));
    rest = after.join('');
  }
  return new PiecedBody([...pieces, sourceOf(Buffer.from(rest))]);
}
