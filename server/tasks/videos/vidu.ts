// Vidu. https://platform.vidu.com/docs
import { isObject } from '#server/framing/loose-json.ts';
import { idOf, textOf } from '#server/tasks/platforms/report-values.ts';
import { ratioOf, resolutionOf } from './frame.ts';
import { addressOrData } from './picture-text.ts';
import { jsonQuestion, said } from './question.ts';
import type { VideoFormat, VideoReport } from './video-format.ts';

/** Paths by number of pictures. */
const paths = ['/ent/v2/text2video', '/ent/v2/img2video', '/ent/v2/start-end2video'];
const references = '/ent/v2/reference2video';
const states: Readonly<Record<string, VideoReport['state']>> = {
  created: 'queued',
  queueing: 'queued',
  processing: 'running',
  success: 'succeeded',
  failed: 'failed',
};

export const vidu: VideoFormat = {
  usualSeconds: 5,
  heights: [360, 540, 720, 1080],
  async order({ model, prompt, seconds, width, height, pictures, seed, hasSound }) {
    const images = await Promise.all(pictures.map(addressOrData));
    const path = paths[images.length] ?? references;
    return jsonQuestion(
      path,
      said({
        model,
        prompt,
        duration: seconds,
        resolution: resolutionOf({ width, height }),
        // With a first frame, its aspect ratio applies.
        aspect_ratio: path === paths[0] || path === references ? ratioOf({ width, height }) : undefined,
        images: images.length === 0 ? undefined : images,
        seed,
        audio: hasSound,
      }),
    );
  },
  readOrder(answer) {
    const id = isObject(answer) ? idOf(answer['task_id']) : '';
    return id === '' ? null : { id };
  },
  question: ({ upstreamId }) => ({ path: `/ent/v2/tasks/${encodeURIComponent(upstreamId)}/creations` }),
  readAnswer(answer) {
    if (!isObject(answer)) return null;
    const state = states[textOf(answer['state'])];
    if (state === undefined) return null;
    const { creations, err_code: reason } = answer;
    const [made] = Array.isArray(creations) ? (creations as unknown[]) : [];
    const { url, cover_url: poster } = isObject(made) ? made : {};
    return { state, url: textOf(url), poster: textOf(poster), reason: textOf(reason) };
  },
};
