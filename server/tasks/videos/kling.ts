// Kling. https://app.klingai.com/global/dev/document-api/apiReference/model/textToVideo
import { isObject } from '#server/framing/loose-json.ts';
import { idOf, textOf } from '#server/tasks/platforms/report-values.ts';
import { isPlainKlingKey } from '#server/exchange/auth/kling.ts';
import { ratioOf } from './frame.ts';
import { addressOrBase64 } from './picture-text.ts';
import { jsonQuestion, said } from './question.ts';
import type { VideoFormat, VideoReport } from './video-format.ts';

const ratios = ['16:9', '9:16', '1:1'];
/** Modes by the shorter side. */
const modes: Readonly<Record<number, string>> = { 720: 'std', 1080: 'pro' };
const [fromText, fromPicture] = ['/v1/videos/text2video', '/v1/videos/image2video'];

/** https://app.klingai.com/global/dev/document-api/apiReference/commonInfo */
const statuses: Readonly<Record<number, number>> = {
  1000: 401,
  1001: 401,
  1002: 401,
  1003: 401,
  1004: 401,
  1100: 403,
  1101: 403,
  1102: 403,
  1103: 403,
  1200: 400,
  1201: 400,
  1202: 400,
  1203: 404,
  1300: 400,
  1301: 400,
  1302: 429,
  1303: 429,
  1304: 403,
};

export const kling: VideoFormat = {
  usualSeconds: 5,
  heights: [720, 1080],
  async order({ model, prompt, seconds, width, height, pictures, negativePrompt, hasSound }, { key }) {
    const [first, last] = await Promise.all(pictures.slice(0, 2).map(addressOrBase64));
    const body = said({
      model_name: model,
      prompt,
      negative_prompt: negativePrompt,
      mode: modes[Math.min(width, height)],
      duration: String(seconds),
      cfg_scale: 0.5,
      sound: hasSound === undefined ? undefined : hasSound ? 'on' : 'off',
      aspect_ratio: first === undefined ? ratioOf({ width, height }, ratios) : undefined,
      image: first,
      image_tail: last,
    });
    return jsonQuestion(prefixed(first === undefined ? fromText : fromPicture, key), body);
  },
  readOrder(answer) {
    if (!isObject(answer)) return null;
    const { code, data } = answer;
    if (typeof code === 'number' && code !== 0) {
      return { refusal: { status: statuses[code] ?? 500, code: String(code), message: textOf(answer['message']) } };
    }
    const id = isObject(data) ? idOf(data['task_id']) : '';
    return id === '' ? null : { id };
  },
  question: ({ action, upstreamId }, { key }) => ({
    path: prefixed(`${action === 'TEXT_TO_VIDEO' ? fromText : fromPicture}/${encodeURIComponent(upstreamId)}`, key),
  }),
  readAnswer(answer) {
    const data = isObject(answer) && answer['code'] === 0 ? answer['data'] : undefined;
    if (!isObject(data)) return null;
    const states: Readonly<Record<string, VideoReport['state']>> = {
      submitted: 'queued',
      processing: 'running',
      succeed: 'succeeded',
      failed: 'failed',
    };
    const state = states[textOf(data['task_status'])];
    if (state === undefined) return null;
    const result = data['task_result'];
    const [video] = isObject(result) && Array.isArray(result['videos']) ? (result['videos'] as unknown[]) : [];
    return { state, url: isObject(video) ? textOf(video['url']) : '', reason: textOf(data['task_status_msg']) };
  },
};

/** Gateways serve Kling below a prefix. */
function prefixed(path: string, key: string): string {
  return isPlainKlingKey(key) ? `/kling${path}` : path;
}
