// Jimeng: the model selects the service. https://www.volcengine.com/docs/85621/1544716
import { isObject } from '#server/framing/loose-json.ts';
import { idOf, textOf } from '#server/tasks/platforms/report-values.ts';
import { ratioOf } from './frame.ts';
import { addressOrBase64 } from './picture-text.ts';
import { jsonQuestion, said } from './question.ts';
import type { VideoFormat, VideoReport } from './video-format.ts';

const path = (action: string) => `/?Action=${action}&Version=2022-08-31`;
const framesPerSecond = 24;
const done = 10_000;
/** Content refusals, which are final; other errors may be temporary. */
const isFinal = (code: unknown): boolean => typeof code === 'number' && /^50(?:41[1-8]|51[0-9])$/.test(String(code));
const states: Readonly<Record<string, VideoReport['state']>> = {
  in_queue: 'queued',
  generating: 'running',
  done: 'succeeded',
  not_found: 'failed',
  expired: 'failed',
};

export const jimeng: VideoFormat = {
  usualSeconds: 5,
  heights: [720, 1080],
  async order({ model, prompt, seconds, width, height, pictures, seed }) {
    const given = await Promise.all(pictures.map(addressOrBase64));
    const isAddress = (text: string) => /^https?:/i.test(text);
    const [addresses, data] = [given.filter(isAddress), given.filter((text) => !isAddress(text))];
    return jsonQuestion(
      path('CVSync2AsyncSubmitTask'),
      said({
        req_key: model,
        prompt,
        seed,
        frames: framesPerSecond * seconds + 1,
        aspect_ratio: given.length === 0 ? ratioOf({ width, height }) : undefined,
        image_urls: addresses.length === 0 ? undefined : addresses,
        binary_data_base64: data.length === 0 ? undefined : data,
      }),
    );
  },
  readOrder(answer) {
    if (!isObject(answer)) return null;
    const { code, data } = answer;
    if (code !== done) {
      const status = code === 50_429 || code === 50_430 ? 429 : isFinal(code) ? 400 : code === 50_400 ? 403 : 500;
      return typeof code === 'number' ? { refusal: { status, code: String(code), message: textOf(answer['message']) } } : null;
    }
    const id = isObject(data) ? idOf(data['task_id']) : '';
    return id === '' ? null : { id };
  },
  question: ({ model, upstreamId }) => jsonQuestion(path('CVSync2AsyncGetResult'), { req_key: model, task_id: upstreamId }),
  readAnswer(answer) {
    if (!isObject(answer)) return null;
    const { code, data } = answer;
    if (isFinal(code)) return { state: 'failed', reason: textOf(answer['message']) };
    if (code !== done || !isObject(data)) return null;
    const status = textOf(data['status']);
    const state = states[status];
    return state === undefined ? null : { state, url: textOf(data['video_url']), reason: status };
  },
};
