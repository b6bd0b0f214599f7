// Pictures as the fake upstream makes them: as OpenAI does, whose models bill tokens or pictures by their name, or as a provider whose model is named for
// it. https://platform.openai.com/docs/api-reference/images
import { crc32, deflateSync } from 'node:zlib';
import { isObject } from '#server/framing/loose-json.ts';
import type { SentFile } from './sent-form.ts';
import type { Behaviour, UpstreamError } from './upstream-behaviour.ts';

export interface ImageRequest {
  model: string;
  count: number;
  stream: boolean;
  partials: number;
  /** Not as an address. */
  wantsBytes: boolean;
  /** Of a picture that was given, too. */
  isEdit: boolean;
}

/** Output tokens of each picture. */
export const pictureTokens = 1000;
/** A picture as base64. */
export const pictureOf = (index: number): string => png((x, y) => [index * 50, 120 + y, x > y ? 160 : 210]).toString('base64');

const side = 64;

/** A PNG of 64×64 that browsers draw. https://www.w3.org/TR/png-3/ */
function png(colour: (x: number, y: number) => readonly [number, number, number]): Buffer {
  const rows = Array.from({ length: side }, (_row, y) => [0, ...Array.from({ length: side }, (_pixel, x) => colour(x, y)).flat()]);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  head.set([8, 2], 8);
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.from(rows.flat()))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}

/** Returns the parsed request, or the refusal: all fields are checked as the vendors do. */
export function readImages(body: unknown, what: string, files: readonly SentFile[]): ImageRequest | UpstreamError {
  if (!isObject(body) || typeof body['model'] !== 'string') return refusal('you must provide a model parameter', 'model');
  const { model, prompt, n: reported, size, stream: streamed, partial_images: partialsReported, batch_size: batch } = body;
  const isForm = files.length > 0;
  const number = (value: unknown) => (isForm && typeof value === 'string' ? Number(value) : value);
  const [n, partials, stream] = [number(reported), number(partialsReported), isForm ? streamed === 'true' : streamed];
  if (what !== 'generations') {
    const pictures = files.filter(({ name }) => name === 'image' || name === 'image[]');
    if (isForm && pictures.length === 0) return refusal('image is required', 'image');
    if (pictures.length > 1 && pictures.some(({ name }) => name === 'image')) return refusal('Duplicate parameter: image', 'image');
    if (!isForm && (what === 'variations' || !Array.isArray(body['images']))) return refusal('image is required', 'image');
  }
  if (what !== 'variations' && (typeof prompt !== 'string' || prompt === '')) return refusal('prompt is required', 'prompt');
  if (model.startsWith('grok') && size !== undefined) return refusal('Argument not supported: size', 'size');
  const isSilicon = model.startsWith('siliconflow');
  if (isSilicon && (size !== undefined || n !== undefined)) return refusal('unknown field', 'size');
  const count = (isSilicon ? batch : n) ?? 1;
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 1 || count > 10) return refusal('n must be from 1 to 10', 'n');
  if (stream === true && !model.startsWith('gpt-image')) return refusal('Unknown parameter: stream', 'stream');
  return {
    model,
    count,
    stream: stream === true,
    partials: typeof partials === 'number' ? partials : 0,
    isEdit: what === 'edits',
    wantsBytes: body['response_format'] === 'b64_json',
  };
}

export function imagesOf(
  { model, count, wantsBytes }: ImageRequest,
  { usage, imageAddress, revisedPrompt }: Pick<Behaviour, 'usage' | 'imageAddress' | 'revisedPrompt'>,
): object {
  const indexes = Array.from({ length: count }, (_, index) => index);
  if (model.startsWith('siliconflow')) {
    return { images: indexes.map((index) => ({ url: `https://img.example/${index}.png` })), timings: { inference: 1.2 }, seed: 7 };
  }
  const data = indexes.map((index) =>
    model.startsWith('gpt-image') || wantsBytes
      ? { b64_json: pictureOf(index), ...(revisedPrompt === undefined ? {} : { revised_prompt: revisedPrompt }) }
      : { url: imageAddress ?? `https://img.example/${index}.png`, revised_prompt: revisedPrompt ?? 'a tide' },
  );
  const reported = usage ?? (model.startsWith('gpt-image') ? usageOf(count) : undefined);
  return { created: 1_713_833_628, data, ...(reported === undefined || reported === 'none' ? {} : { usage: reported }) };
}

export function* imageEvents({ partials, count, isEdit }: ImageRequest, { usage }: Pick<Behaviour, 'usage'>): Generator<{ type: string }> {
  const name = isEdit ? 'image_edit' : 'image_generation';
  const facts = { created_at: 1_713_833_628, size: '1024x1024', quality: 'high', background: 'opaque', output_format: 'png' };
  for (let index = 0; index < count; index += 1) {
    for (let partial = 0; partial < partials; partial += 1) {
      yield { type: `${name}.partial_image`, b64_json: pictureOf(partial), partial_image_index: partial, ...facts } as { type: string };
    }
    const reported = usage ?? usageOf(1, partials);
    yield { type: `${name}.completed`, b64_json: pictureOf(index), ...facts, ...(reported === 'none' ? {} : { usage: reported }) } as {
      type: string;
    };
  }
}

function usageOf(count: number, partials = 0): object {
  const output = count * pictureTokens + partials * 100;
  return {
    total_tokens: 50 + output,
    input_tokens: 50,
    output_tokens: output,
    input_tokens_details: { text_tokens: 10, image_tokens: 40 },
  };
}

function refusal(message: string, param: string): UpstreamError {
  return { message, type: 'invalid_request_error', param, code: null };
}
