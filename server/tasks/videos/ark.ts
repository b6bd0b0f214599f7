// Volcano Ark: Seedance and others. https://www.volcengine.com/docs/82379/1520757
import { isObject } from '#server/framing/loose-json.ts';
import { idOf, textOf } from '#server/tasks/platforms/report-values.ts';
import { ratioOf, resolutionOf } from './frame.ts';
import { addressOrData } from './picture-text.ts';
import { jsonQuestion, said } from './question.ts';
import type { VideoFormat, VideoReport } from './video-format.ts';

const path = '/api/v3/contents/generations/tasks';
const at = (upstreamId: string) => `${path}/${encodeURIComponent(upstreamId)}`;
/** Roles of one picture, and of two. */
const roles = ['first_frame', 'last_frame'];
const states: Readonly<Record<string, VideoReport['state']>> = {
  queued: 'queued',
  running: 'running',
  succeeded: 'succeeded',
  failed: 'failed',
  cancelled: 'failed',
  expired: 'failed',
};
/**
 * Older models parse these flags in the prompt, which could request longer or larger videos than were paid for. A match
 * starts at the first of several dashes, to avoid quadratic time.
 */
const flags =
  /(?<!-)-{2,}\s*(?:resolution|rs|ratio|rt|duration|dur|frames|framespersecond|fps|seed|watermark|wm|camerafixed|cf|generate_?audio)\b(?:[\s=:]+[^\s-]\S*)?/gi;

export const ark: VideoFormat = {
  usualSeconds: 5,
  heights: [480, 720, 1080],
  async order({ model, prompt, seconds, width, height, pictures, seed, hasSound }) {
    const addresses = await Promise.all(pictures.map(addressOrData));
    const isReference = addresses.length > roles.length;
    return jsonQuestion(
      path,
      said({
        model,
        content: [
          { type: 'text', text: withoutFlags(prompt) },
          ...addresses.map((url, index) => ({
            type: 'image_url',
            image_url: { url },
            role: isReference ? 'reference_image' : roles[index],
          })),
        ],
        resolution: resolutionOf({ width, height }),
        ratio: addresses.length > 0 && !isReference ? 'adaptive' : ratioOf({ width, height }),
        duration: seconds,
        seed,
        generate_audio: hasSound,
        watermark: false,
      }),
    );
  },
  readOrder(answer) {
    const id = isObject(answer) ? idOf(answer['id']) : '';
    return id === '' ? null : { id };
  },
  question: ({ upstreamId }) => ({ path: at(upstreamId) }),
  readAnswer(answer) {
    if (!isObject(answer)) return null;
    const { status, content, error } = answer;
    const state = states[textOf(status)];
    if (state === undefined) return null;
    const reason = isObject(error) ? textOf(error['message']) || textOf(error['code']) : textOf(status);
    return { state, url: isObject(content) ? textOf(content['video_url']) : '', reason };
  },
  remove: (upstreamId) => ({ path: at(upstreamId), method: 'DELETE' }),
};

function withoutFlags(prompt: string): string {
  const rest = prompt.replace(flags, ' ').trim();
  // Nested flags leave dashes, which are removed as well.
  return rest.search(flags) === -1 ? rest : rest.replaceAll(/-{2,}/g, ' ').trim();
}
