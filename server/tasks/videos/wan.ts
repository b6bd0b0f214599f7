// Alibaba's Wan. https://help.aliyun.com/zh/model-studio/text-to-video-api-reference
import { isObject } from '#server/framing/loose-json.ts';
import { idOf, textOf } from '#server/tasks/platforms/report-values.ts';
import { addressOrData } from './picture-text.ts';
import { jsonQuestion, said } from './question.ts';
import type { VideoFormat, VideoReport } from './video-format.ts';

const [fromOne, fromTwo] = ['/api/v1/services/aigc/video-generation/video-synthesis', '/api/v1/services/aigc/image2video/video-synthesis'];
const states: Readonly<Record<string, VideoReport['state']>> = {
  PENDING: 'queued',
  RUNNING: 'running',
  SUCCEEDED: 'succeeded',
  FAILED: 'failed',
  CANCELED: 'failed',
  // Unknown after a day, when the provider deletes tasks.
  UNKNOWN: 'failed',
};

export const wan: VideoFormat = {
  usualSeconds: 5,
  heights: [480, 720, 1080],
  async order({ model, prompt, seconds, width, height, pictures, negativePrompt, seed, hasSound }) {
    const [first, last] = await Promise.all(pictures.slice(0, 2).map(addressOrData));
    const frames = last === undefined ? { img_url: first } : { first_frame_url: first, last_frame_url: last };
    const body = {
      model,
      input: said({ prompt, negative_prompt: negativePrompt, ...frames }),
      parameters: said({
        // With a first frame, its size applies.
        size: first === undefined ? `${width}*${height}` : undefined,
        resolution: first === undefined ? undefined : `${Math.min(width, height)}P`,
        duration: seconds,
        seed,
        audio: hasSound,
        watermark: false,
      }),
    };
    return jsonQuestion(last === undefined ? fromOne : fromTwo, body, { 'x-dashscope-async': 'enable' });
  },
  readOrder(answer) {
    const output = isObject(answer) ? answer['output'] : undefined;
    const id = isObject(output) ? idOf(output['task_id']) : '';
    return id === '' ? null : { id };
  },
  question: ({ upstreamId }) => ({ path: `/api/v1/tasks/${encodeURIComponent(upstreamId)}` }),
  readAnswer(answer) {
    const output = isObject(answer) ? answer['output'] : undefined;
    if (!isObject(output)) return null;
    const state = states[textOf(output['task_status'])];
    if (state === undefined) return null;
    return { state, url: textOf(output['video_url']), reason: textOf(output['message']) || textOf(output['code']) };
  },
};
