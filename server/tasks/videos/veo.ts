// Google's Veo at the Gemini API. https://ai.google.dev/gemini-api/docs/video
import { isObject } from '#server/framing/loose-json.ts';
import { idOf, textOf } from '#server/tasks/platforms/report-values.ts';
import { ratioOf } from './frame.ts';
import { inlineParts } from './picture-text.ts';
import { jsonQuestion, said } from './question.ts';
import type { VideoFormat, VideoOrder } from './video-format.ts';

const ratios = ['16:9', '9:16'];
const resolutions: Readonly<Record<number, string>> = { 720: '720p', 1080: '1080p', 2160: '4k' };
/** Operation name: a path. */
const operation = /^models\/[\w.-]{1,80}\/operations\/[\w-]{1,100}$/;

export const veo: VideoFormat = {
  usualSeconds: 8,
  heights: [720, 1080, 2160],
  fetchesNoPictures: true,
  isBehindKey: true,
  async order(order) {
    return jsonQuestion(`/v1beta/models/${encodeURIComponent(order.model)}:predictLongRunning`, await veoBody(order));
  },
  readOrder(answer) {
    const id = isObject(answer) ? idOf(answer['name']) : '';
    return operation.test(id) ? { id } : null;
  },
  question: ({ upstreamId }) => ({ path: `/v1beta/${upstreamId}` }),
  readAnswer(answer) {
    if (!isObject(answer) || typeof answer['name'] !== 'string') return null;
    if (answer['done'] !== true) return { state: 'running' };
    const { error, response } = answer;
    if (isObject(error)) return { state: 'failed', reason: textOf(error['message']) };
    const made = isObject(response) ? response['generateVideoResponse'] : undefined;
    const { generatedSamples: samples, raiMediaFilteredReasons: reasons } = isObject(made) ? made : {};
    const [sample] = Array.isArray(samples) ? (samples as unknown[]) : [];
    const video = isObject(sample) ? sample['video'] : undefined;
    const url = isObject(video) ? textOf(video['uri']) : '';
    const [reason] = Array.isArray(reasons) ? (reasons as unknown[]) : [];
    if (url === '' && typeof reason === 'string') return { state: 'failed', reason: textOf(reason) };
    return { state: 'succeeded', url };
  },
};

/** Body for both of Google's APIs. */
export async function veoBody({ prompt, seconds, width, height, pictures, negativePrompt, people }: VideoOrder) {
  const images = await Promise.all(pictures.slice(0, 2).map(inlineParts));
  const [image, lastFrame] = images.map(({ type, base64 }) => ({ bytesBase64Encoded: base64, mimeType: type }));
  return {
    instances: [said({ prompt, image, lastFrame })],
    parameters: said({
      aspectRatio: ratioOf({ width, height }, ratios),
      resolution: resolutions[Math.min(width, height)],
      durationSeconds: seconds,
      negativePrompt,
      personGeneration: people,
      sampleCount: 1,
    }),
  };
}
