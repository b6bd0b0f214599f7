// Zhipu's CogVideoX and Vidu at its platform. https://docs.bigmodel.cn/api-reference
import { isObject } from '#server/framing/loose-json.ts';
import { idOf, textOf } from '#server/tasks/platforms/report-values.ts';
import { addressOrData } from './picture-text.ts';
import { jsonQuestion, said } from './question.ts';
import type { VideoFormat, VideoReport } from './video-format.ts';

const states: Readonly<Record<string, VideoReport['state']>> = { PROCESSING: 'running', SUCCESS: 'succeeded', FAIL: 'failed' };

export const cogVideo: VideoFormat = {
  usualSeconds: 5,
  async order({ model, prompt, seconds, width, height, pictures, hasSound }) {
    const images = await Promise.all(pictures.map(addressOrData));
    const image = images.length > 1 ? images : images[0];
    const size = `${width}x${height}`;
    return jsonQuestion(
      '/api/paas/v4/videos/generations',
      said({ model, prompt, size, duration: seconds, image_url: image, with_audio: hasSound, watermark_enabled: false }),
    );
  },
  readOrder(answer) {
    const id = isObject(answer) ? idOf(answer['id']) : '';
    return id === '' ? null : { id };
  },
  question: ({ upstreamId }) => ({ path: `/api/paas/v4/async-result/${encodeURIComponent(upstreamId)}` }),
  readAnswer(answer) {
    if (!isObject(answer)) return null;
    const state = states[textOf(answer['task_status'])];
    if (state === undefined) return null;
    const { video_result: made, error } = answer;
    const [video] = Array.isArray(made) ? (made as unknown[]) : [];
    const { url, cover_image_url: poster } = isObject(video) ? video : {};
    return { state, url: textOf(url), poster: textOf(poster), reason: isObject(error) ? textOf(error['message']) : '' };
  },
};
