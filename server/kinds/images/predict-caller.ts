// Image requests of Imagen's format, `:predict`. Imagen at Google gets them unchanged.
// https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/imagen-api
import { upstreamDialects } from '#server/formats/registry.ts';
import { untranslatable } from '#server/formats/losses.ts';
import { outlineOf } from '#server/framing/json-outline.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import { isImagen } from './vendors/google.ts';
import { listOf } from './vendor-images.ts';
import { base64In, withoutPictures } from './picture-bytes.ts';
import type { OrderedRoute, PictureCaller, PictureWords } from './picture-caller.ts';
import { type Body, objectsIn, ratioIn, textIn } from './image-format.ts';

/** The vendor's default. */
const usualCount = 4;
const title = { zh: '此提供商的图片接口', en: "this provider's images" };
/** Caller's field names by OpenAI's. */
const names = {
  size: 'parameters.aspectRatio',
  seed: 'parameters.seed',
  negative_prompt: 'parameters.negativePrompt',
  output_format: 'parameters.outputOptions',
};
const known: ReadonlySet<string> = new Set(['sampleCount', 'aspectRatio', 'sampleImageSize', 'imageSize']);

export const predictCaller: PictureCaller = {
  dialect: upstreamDialects.gemini,
  asWords,
  passes: ({ identity, provider, upstreamModel }) => identity !== null && (provider.images === undefined || isImagen(upstreamModel)),
  countIn: ({ parameters }) => countIn(parameters),
  withCount: (body, sampleCount) => ({ ...body, parameters: { ...(isObject(body.parameters) ? body.parameters : {}), sampleCount } }),
  orderFields: ({ parameters }) => ({ parameters }),
  writeBody: ({ rows }) => Buffer.concat([Buffer.from('{"predictions":'), ...listOf(rows.flatMap(predictionOf)), Buffer.from('}')]),
  join,
};

function countIn(parameters: unknown): number {
  const count = isObject(parameters) ? parameters['sampleCount'] : undefined;
  return typeof count === 'number' ? count : usualCount;
}

/** Only for a checked body. */
function asWords({ instances, parameters: given }: Body, route: OrderedRoute): PictureWords {
  const [instance = {}] = objectsIn(instances);
  const parameters = isObject(given) ? given : {};
  const { prompt, ...others } = instance;
  const [other] = Object.keys(others);
  // Input images cannot be dropped: they change the result.
  if (route.provider !== undefined && other !== undefined) throw untranslatable(`instances.0.${other}`, title);
  const words: Record<string, unknown> = { prompt, n: countIn(parameters), ...sizeFor(parameters, route.upstreamModel) };
  const carried = new Set(known);
  const carry = (from: string, to: string, value: unknown) => {
    if (value === undefined) return;
    words[to] = value;
    carried.add(from);
  };
  const isOfGpt = /gpt-image/.test(route.upstreamModel);
  // GPT image models always return bytes, and reject `response_format`.
  if (!isOfGpt) words.response_format = 'b64_json';
  if (route.provider?.images === undefined)
    carry('outputOptions', 'output_format', isOfGpt ? formatIn(parameters.outputOptions) : undefined);
  else {
    carry('seed', 'seed', parameters.seed);
    carry('negativePrompt', 'negative_prompt', textIn(parameters, 'negativePrompt'));
  }
  const dropped = Object.keys(parameters).filter((name) => !carried.has(name) && parameters[name] !== null);
  return { body: words, dropped: dropped.map((name) => `parameters.${name}`), names };
}

function formatIn(options: unknown): string | undefined {
  const type = isObject(options) ? textIn(options, 'mimeType') : undefined;
  return /^image\/(png|jpeg|webp)$/.exec(type ?? '')?.[1];
}

/** Sizes of models that accept no others. */
const sizesOf: readonly (readonly [RegExp, readonly string[]])[] = [
  [/gpt-image/, ['1024x1024', '1536x1024', '1024x1536']],
  [/dall-e-3/, ['1024x1024', '1792x1024', '1024x1792']],
  [/dall-e/, ['1024x1024']],
];
const sides: Readonly<Record<string, number>> = { '1K': 1024, '2K': 2048, '4K': 4096 };

/** Computes the pixel size from ratio and area. */
function sizeFor(parameters: Body, upstreamModel: string): { size?: string } {
  const ratio = textIn(parameters, 'aspectRatio');
  const side = sides[textIn(parameters, 'sampleImageSize') ?? textIn(parameters, 'imageSize') ?? ''];
  if (ratio === undefined && side === undefined) return {};
  const [wide = 1, tall = 1] = (ratio ?? '1:1').split(':').map(Number);
  const pixels = (share: number) => Math.round(((side ?? 1024) * Math.sqrt(share)) / 16) * 16;
  const size = `${pixels(wide / tall)}x${pixels(tall / wide)}`;
  const [, sizes] = sizesOf.find(([pattern]) => pattern.test(upstreamModel)) ?? [];
  if (sizes === undefined) return { size };
  const nearest = ratioIn(
    { size },
    sizes.map((one) => one.replace('x', ':')),
  )?.replace(':', 'x');
  return nearest === undefined ? {} : { size: nearest };
}

const types: readonly (readonly [string, string])[] = [
  ['iVBOR', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['UklGR', 'image/webp'],
  ['R0lGOD', 'image/gif'],
];

/**
 * Maps an OpenAI row to a prediction; a row without bytes is left out.
 * @param row OpenAI's row
 */
function predictionOf(row: Buffer): Buffer[] {
  const data = base64In(row);
  if (data === null) return [];
  const head = data.toString('latin1', 0, 96);
  const [before = '', reported] = /^data:([\w\\/+.-]{1,40});base64,/.exec(head) ?? [];
  const bare = data.subarray(before.length);
  const start = bare.toString('latin1', 0, 8).replaceAll('\\/', '/');
  const mimeType = types.find(([begin]) => start.startsWith(begin))?.[1] ?? reported?.replaceAll('\\/', '/') ?? 'image/png';
  const prompt = textIn(parseObject(withoutPictures(row).toString('utf8')) ?? {}, 'revised_prompt');
  const rest = JSON.stringify({ mimeType, ...(prompt === undefined ? {} : { prompt }) });
  return [Buffer.concat([Buffer.from('{"bytesBase64Encoded":"'), bare, Buffer.from(`",${rest.slice(1)}`)])];
}

function* join(responses: readonly Buffer[]): Generator<void, Buffer> {
  const rows: Buffer[] = [];
  for (const response of responses) {
    const outline = yield* outlineOf(response, 'predictions');
    for (const { start, end } of outline?.rows ?? []) rows.push(response.subarray(start, end));
  }
  return Buffer.concat([Buffer.from('{"predictions":'), ...listOf(rows), Buffer.from('}')]);
}
