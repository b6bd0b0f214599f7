// OpenAI's videos, and compatible providers. https://platform.openai.com/docs/api-reference/videos
import { isObject } from '#server/framing/loose-json.ts';
import { MultipartFile, type MultipartPart, writeMultipart } from '#server/framing/multipart.ts';
import { sourceOf } from '#server/framing/byte-source.ts';
import { idOf, textOf } from '#server/tasks/platforms/report-values.ts';
import { jsonQuestion, newBoundary } from './question.ts';
import { partsOf } from './picture-text.ts';
import type { VideoFormat, VideoPicture } from './video-format.ts';

const variants: ReadonlySet<string> = new Set(['video', 'thumbnail', 'spritesheet']);
const at = (upstreamId: string) => `/v1/videos/${encodeURIComponent(upstreamId)}`;

export const sora: VideoFormat = {
  usualSeconds: 4,
  order({ model, prompt, seconds, width, height, pictures }) {
    const fields = { model, prompt, seconds: String(seconds), size: `${width}x${height}` };
    const [picture] = pictures;
    const file = picture === undefined ? undefined : fileOf(picture);
    if (picture !== undefined && file === undefined && 'url' in picture) {
      return jsonQuestion('/v1/videos', { ...fields, input_reference: { image_url: picture.url } });
    }
    // Multipart, as the vendor's SDKs send it.
    const parts: MultipartPart[] = Object.entries(fields).map(([name, value]) => ({ name, value }));
    if (file !== undefined) parts.push({ name: 'input_reference', value: file });
    const boundary = newBoundary();
    return { path: '/v1/videos', body: writeMultipart(parts, boundary), contentType: `multipart/form-data; boundary=${boundary}` };
  },
  readOrder(answer) {
    if (!isObject(answer)) return null;
    const id = idOf(answer['id']);
    return id === '' ? null : { id };
  },
  question: ({ upstreamId }) => ({ path: at(upstreamId) }),
  readAnswer(answer) {
    if (!isObject(answer)) return null;
    const { progress, error } = answer;
    const reported = typeof progress === 'number' ? { progress } : {};
    switch (textOf(answer['status'])) {
      case 'queued':
        return { state: 'queued', ...reported };
      case 'in_progress':
        return { state: 'running', ...reported };
      case 'completed':
        return { state: 'succeeded' };
      case 'failed':
        return { state: 'failed', reason: isObject(error) ? textOf(error['message']) || textOf(error['code']) : '' };
      default:
        return null;
    }
  },
  remix: (upstreamId, prompt) => jsonQuestion(`${at(upstreamId)}/remix`, { prompt }),
  content: (upstreamId, variant) =>
    variants.has(variant) ? { path: `${at(upstreamId)}/content${variant === 'video' ? '' : `?variant=${variant}`}` } : null,
  remove: (upstreamId) => ({ path: at(upstreamId), method: 'DELETE' }),
};

/** Returns undefined for a URL, which the provider downloads. */
function fileOf(picture: VideoPicture): MultipartFile | undefined {
  if ('file' in picture) return picture.file;
  const parts = partsOf(picture.url);
  if (parts === null) return undefined;
  const filename = `reference.${parts.type.slice('image/'.length).replace(/\W.*$/, '')}`;
  return new MultipartFile({ filename, type: parts.type, content: sourceOf(Buffer.from(parts.base64, 'base64')) });
}
