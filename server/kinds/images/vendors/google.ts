// Images of Google's Gemini API and of Vertex: Imagen uses `predict`, Gemini models return images in a chat response.
// https://ai.google.dev/gemini-api/docs/imagen
// https://ai.google.dev/gemini-api/docs/image-generation
import { tokenCount } from '#server/formats/token-usage.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { noTokens, type TokenUsage } from '#shared/token-usage.ts';
import {
  type Body,
  countIn,
  type ImageFormat,
  objectsIn,
  pictureOf,
  pixelsIn,
  ratioIn,
  refusedPrompt,
  splitFields,
  textIn,
  type WrittenPictures,
} from '../image-format.ts';

const ofImagen = ['1:1', '3:4', '4:3', '9:16', '16:9'];
const ofGemini = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'];

export const google: ImageFormat = {
  mostPictures: (model) => (isImagen(model) ? 4 : 1),
  writeRequest(body, model) {
    const { dropped } = splitFields(body, []);
    if (isImagen(model)) {
      const ratio = ratioIn(body, ofImagen);
      const parameters = {
        sampleCount: countIn(body),
        ...(ratio === undefined ? {} : { aspectRatio: ratio }),
        personGeneration: 'allow_adult',
      };
      return { body: { instances: [{ prompt: body.prompt }], parameters }, dropped };
    }
    return geminiRequest(body, model, []);
  },
  readResponse(reported) {
    if (reported.predictions !== undefined || reported.candidates === undefined) return readPredictions(reported);
    const candidates = objectsIn(reported.candidates);
    const parts = candidates.flatMap(({ content }) => objectsIn(isObject(content) ? content.parts : undefined));
    // Images of the model's thoughts are not part of the answer.
    const pictures = parts.flatMap(({ inlineData, thought }) =>
      isObject(inlineData) && thought !== true ? pictureOf(inlineData, [], ['data']) : [],
    );
    if (pictures.length > 0) return { pictures, usage: readUsage(reported.usageMetadata) };
    const reason = textIn(candidates[0] ?? {}, 'finishReason') ?? 'no picture';
    const words = parts.map((part) => textIn(part, 'text') ?? '').join('');
    return refusedPrompt(`The model has made no picture (${reason})${words === '' ? '' : `: ${words}`}`);
  },
};

/** @param pictures input images as parts */
export function geminiRequest(body: Body, model: string, pictures: readonly object[]): WrittenPictures {
  const { dropped } = splitFields(body, []);
  const ratio = ratioIn(body, ofGemini);
  const size = sizeIn(body, model);
  const imageConfig = { ...(ratio === undefined ? {} : { aspectRatio: ratio }), ...(size === undefined ? {} : { imageSize: size }) };
  return {
    body: {
      contents: [{ role: 'user', parts: [...pictures, { text: body.prompt }] }],
      generationConfig: {
        responseModalities: ['TEXT', 'IMAGE'],
        ...(Object.keys(imageConfig).length === 0 ? {} : { imageConfig }),
      },
    },
    dropped,
  };
}

export function isImagen(model: string): boolean {
  return /(?:^|\/)imagen/.test(model);
}

/**
 * Only later models accept a size. https://ai.google.dev/gemini-api/docs/image-generation#aspect_ratios_and_image_size
 */
function sizeIn(body: Body, model: string): string | undefined {
  if (/gemini-[12][.-]/.test(model)) return undefined;
  const size = textIn(body, 'size');
  if (size === '1K' || size === '2K' || size === '4K') return size;
  const pixels = pixelsIn(body);
  if (pixels === undefined) return undefined;
  const area = pixels.width * pixels.height;
  return area <= 1_600_000 ? undefined : area <= 5_000_000 ? '2K' : '4K';
}

function readPredictions({ predictions, promptFeedback }: Body): ReturnType<ImageFormat['readResponse']> {
  const rows = objectsIn(predictions);
  const pictures = rows.flatMap((row) => pictureOf({ ...row, revised_prompt: row.prompt }, [], ['bytesBase64Encoded']));
  if (pictures.length > 0) return { pictures, usage: null };
  const filtered = rows.map((row) => textIn(row, 'raiFilteredReason')).find((reason) => reason !== undefined);
  const blocked = isObject(promptFeedback) ? textIn(promptFeedback, 'blockReason') : undefined;
  const reason = filtered ?? blocked;
  // If all images are filtered, the response may have no reason.
  return refusedPrompt(`The model has made no picture${reason === undefined ? '' : `: ${reason}`}`);
}

/** https://ai.google.dev/api/generate-content#UsageMetadata */
function readUsage(reported: unknown): TokenUsage | null | undefined {
  if (!isObject(reported)) return null;
  const count = (name: string) => (reported[name] === undefined ? 0 : tokenCount(reported[name]));
  const [input, answer, thoughts] = ['promptTokenCount', 'candidatesTokenCount', 'thoughtsTokenCount'].map(count);
  if (input === undefined || answer === undefined || thoughts === undefined) return undefined;
  if (input + answer + thoughts === 0) return null;
  const details = objectsIn(reported.candidatesTokensDetails).filter(({ modality }) => modality === 'IMAGE');
  const pictures = details.length === 0 ? answer : details.reduce((sum, row) => sum + (tokenCount(row.tokenCount) ?? 0), 0);
  return { ...noTokens, input, output: answer + thoughts, reasoning: thoughts, imageOutput: Math.min(pictures, answer) };
}
