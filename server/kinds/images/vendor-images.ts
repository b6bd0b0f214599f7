// Image calls in vendor formats, translated from and to OpenAI's. Tasks are polled until they end; URLs are downloaded
// if the caller wants bytes.
import { writeJson } from '#server/framing/long-json.ts';
import { randomUUID } from 'node:crypto';
import { AppError } from '#shared/errors.ts';
import { fieldRules } from '#shared/field-rules.ts';
import { inputTokens, type TokenUsage } from '#shared/token-usage.ts';
import type { DecodeInput } from '#server/formats/decoded-whole.ts';
import type { CallInput, EncodedRequest } from '#server/formats/encode-input.ts';
import type { LinkedContents } from '#server/formats/linked-contents.ts';
import { badField } from '#server/framing/strict-fields.ts';
import type { ErrorInResponse } from '#server/formats/stream-pipe.ts';
import { withoutSurcharges } from '#server/formats/surcharges.ts';
import { type LiftedJson, liftLongTexts, spanAt } from '#server/framing/long-texts.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import { encoded, errorIn, withOverride } from '../forward-body.ts';
import { type Body, type ImageFormat, objectsIn, type Picture, pictureOf, type ReportedPictures } from './image-format.ts';

/** Member that holds the usage of a response whose images were downloaded; a random name that no provider can use. */
const fetchedMark = `fetched ${randomUUID()}`;
/** Longer responses contain the images themselves. */
const longestAddresses = 1024 * 1024;

export function encodeVendorImages(requested: CallInput, form: ImageFormat): EncodedRequest {
  const { call, dropped } = withoutSurcharges({ ...requested, isPassThrough: false });
  const { upstreamModel } = requested.route;
  const body = withOverride(call.body, call);
  const most = form.mostPictures?.(upstreamModel) ?? Infinity;
  // The next channel's provider may make more.
  if (typeof body.n === 'number' && body.n > most) throw badField('n', fieldRules.atMost(most));
  const written = form.writeRequest(body, upstreamModel);
  return {
    ...encoded(requested, writeJson(written.body, requested.longTexts)),
    headers: written.headers ?? null,
    dropped: [...dropped, ...written.dropped],
    isWhole: true,
    createAwaiting: form.createAwaiting,
    contents: body.response_format === 'b64_json' ? contentsOf(form) : undefined,
  };
}

/** Downloads that callers who want bytes need. */
export function contentsOf(form: ImageFormat): LinkedContents {
  return (response) => {
    const reported = response.length > longestAddresses ? null : parseObject(response.toString('utf8'));
    const read = reported === null ? null : form.readResponse(reported);
    if (read === null || 'error' in read) return null;
    const addresses = read.pictures.flatMap(({ url }) => (url === undefined ? [] : [url]));
    return addresses.length === 0 ? null : { addresses, put: (contents) => fetchedBody(read, addresses, contents) };
  };
}

function fetchedBody({ pictures, usage }: ReportedPictures, addresses: readonly string[], contents: readonly Buffer[]): Buffer {
  const rows = pictures.map((picture) => {
    const index = picture.url === undefined ? -1 : addresses.indexOf(picture.url);
    const content = contents[index];
    if (content === undefined) return Buffer.from(JSON.stringify(rowHead(picture)));
    const { url: _fetched, ...rest } = rowHead(picture);
    return rowOf(rest, Buffer.from(content.toString('base64'), 'latin1'));
  });
  return Buffer.concat([Buffer.from(`{"${fetchedMark}":${JSON.stringify(usage ?? null)},"data":`), ...listOf(rows), Buffer.from('}')]);
}

/** A whole image response, independent of its format. */
export interface VendorImages {
  /** OpenAI rows, one JSON object each. */
  rows: readonly Buffer[];
  usage: TokenUsage | null;
}

export function* readVendorImages(
  input: DecodeInput,
  form: ImageFormat,
): Generator<void, VendorImages | { error: ErrorInResponse | null }> {
  const lifted = yield* liftLongTexts(input.body);
  if (lifted === null) return { error: null };
  const error = errorIn(input, lifted.text);
  if (error !== null) {
    // Failed requests are not billed.
    const { usage: _billed, ...rest } = error;
    return { error: rest };
  }
  const reported = parseObject(lifted.text);
  if (reported === null) return { error: null };
  const read = reported[fetchedMark] === undefined ? form.readResponse(reported) : readFetched(reported);
  if (read === null || ('usage' in read && read.usage === undefined)) return { error: null };
  if ('error' in read) return { error: read.error };
  const { pictures, usage = null } = read;
  return pictures.length === 0 ? { error: null } : { rows: pictures.map((picture) => rowOfPicture(picture, input, lifted)), usage };
}

/** Reads the body that `fetchedBody` wrote. */
function readFetched(reported: Body): ReportedPictures {
  const usage = reported[fetchedMark];
  return {
    pictures: objectsIn(reported.data).flatMap((row) => pictureOf(row, ['url'], ['b64_json'])),
    usage: isUsage(usage) ? usage : null,
  };
}

function isUsage(value: unknown): value is TokenUsage {
  return typeof value === 'object' && value !== null && 'imageOutput' in value;
}

function rowOfPicture(picture: Picture, { body }: DecodeInput, lifted: LiftedJson): Buffer {
  const { base64 = '' } = picture;
  const span = spanAt(base64, lifted);
  if (picture.base64 === undefined) return Buffer.from(JSON.stringify(rowHead(picture)));
  const letters = span === undefined ? Buffer.from(JSON.stringify(base64).slice(1, -1)) : body.subarray(span.start, span.end);
  return rowOf(rowHead(picture), withoutType(letters));
}

/** Removes the media type that some providers put before the bytes. */
function withoutType(letters: Buffer): Buffer {
  const head = letters.toString('latin1', 0, 64);
  const [begin] = /^data:[\w\\/+.-]{1,40};base64,/.exec(head) ?? [''];
  return letters.subarray(begin.length);
}

function rowHead({ url, revisedPrompt }: Picture): { url?: string; revised_prompt?: string } {
  return { ...(url === undefined ? {} : { url }), ...(revisedPrompt === undefined ? {} : { revised_prompt: revisedPrompt }) };
}

function rowOf(head: object, letters: Buffer): Buffer {
  const rest = JSON.stringify(head).slice(1);
  return Buffer.concat([Buffer.from('{"b64_json":"'), letters, Buffer.from(rest === '}' ? '"}' : `",${rest}`)]);
}

export function listOf(rows: readonly Buffer[]): Buffer[] {
  const items = rows.flatMap((row, index) => (index === 0 ? [row] : [Buffer.from(','), row]));
  return [Buffer.from('['), ...items, Buffer.from(']')];
}

/** Writes the response body in OpenAI's format. */
export function bodyOf({ rows }: VendorImages, { writer }: DecodeInput, usage: TokenUsage | null): Buffer {
  const reported = usage === null ? '' : `,"usage":${JSON.stringify(usageObject(usage))}`;
  return Buffer.concat([Buffer.from(`{"created":${writer.createdAt},"data":`), ...listOf(rows), Buffer.from(`${reported}}`)]);
}

/** https://platform.openai.com/docs/api-reference/images/object */
export function usageObject(usage: TokenUsage): object {
  const input = inputTokens(usage);
  return {
    input_tokens: input,
    output_tokens: usage.output,
    total_tokens: input + usage.output,
    input_tokens_details: { text_tokens: input - usage.imageInput, image_tokens: usage.imageInput },
    output_tokens_details: { text_tokens: usage.output - usage.imageOutput, image_tokens: usage.imageOutput },
  };
}

/** @throws {AppError} if no format has this name */
export function formNamed(name: string | undefined, forms: Readonly<Record<string, ImageFormat>>): ImageFormat | null {
  if (name === undefined) return null;
  const form = forms[name];
  if (form === undefined) throw new AppError('format_unsupported');
  return form;
}
