// MiniMax's Hailuo. https://platform.minimax.io/docs/api-reference/video-generation-t2v
import { isObject } from '#server/framing/loose-json.ts';
import { idOf, textOf } from '#server/tasks/platforms/report-values.ts';
import { addressOrData } from './picture-text.ts';
import { jsonQuestion, said } from './question.ts';
import type { VideoFormat, VideoReport } from './video-format.ts';

/** MiniMax's default resolution is slightly larger than 720p. */
const resolutions: Readonly<Record<number, string>> = { 512: '512P', 720: '768P', 768: '768P', 1080: '1080P' };
const states: Readonly<Record<string, VideoReport['state']>> = {
  preparing: 'queued',
  queueing: 'queued',
  processing: 'running',
  success: 'succeeded',
  fail: 'failed',
};
/** https://platform.minimax.io/docs/api-reference/errorcode */
const statuses: Readonly<Record<number, number>> = {
  1002: 429,
  1004: 401,
  1008: 402,
  1026: 400,
  1027: 400,
  1039: 429,
  1041: 429,
  2013: 400,
  2049: 401,
};

export const hailuo: VideoFormat = {
  usualSeconds: 6,
  heights: [512, 720, 768, 1080],
  async order({ model, prompt, seconds, width, height, pictures }) {
    const [first, last] = await Promise.all(pictures.slice(0, 2).map(addressOrData));
    return jsonQuestion(
      '/v1/video_generation',
      said({
        model,
        prompt,
        duration: seconds,
        resolution: resolutions[Math.min(width, height)],
        first_frame_image: first,
        last_frame_image: last,
        aigc_watermark: false,
      }),
    );
  },
  readOrder(answer) {
    if (!isObject(answer)) return null;
    const refusal = refusalIn(answer);
    if (refusal !== null) return { refusal };
    const id = idOf(answer['task_id']);
    return id === '' ? null : { id };
  },
  question: ({ upstreamId }) => ({ path: `/v1/query/video_generation?task_id=${encodeURIComponent(upstreamId)}` }),
  readAnswer(answer) {
    if (!isObject(answer)) return null;
    const state = states[textOf(answer['status']).toLowerCase()];
    if (state === undefined) return null;
    return { state, file: idOf(answer['file_id']), reason: refusalIn(answer)?.message ?? '' };
  },
  locate: {
    question: (file) => ({ path: `/v1/files/retrieve?file_id=${encodeURIComponent(file)}` }),
    read(answer) {
      const file = isObject(answer) ? answer['file'] : undefined;
      return isObject(file) ? textOf(file['download_url']) : '';
    },
  },
};

function refusalIn(answer: Record<string, unknown>): { status: number; code: string; message: string } | null {
  const reported = answer['base_resp'];
  const code = isObject(reported) ? reported['status_code'] : 0;
  if (!isObject(reported) || typeof code !== 'number' || code === 0) return null;
  return { status: statuses[code] ?? 500, code: String(code), message: textOf(reported['status_msg']) };
}
