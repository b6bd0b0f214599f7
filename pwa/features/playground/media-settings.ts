// Parameters of pictures, speech, transcripts and videos.
import type { ModelKind } from '#pwa/api/chat-models.ts';
import type { MediaSettings } from '#pwa/offline/conversation.ts';

/** Empty: the model's own choice. */
export const emptyMedia: MediaSettings = {
  size: '',
  quality: '',
  count: 1,
  voice: 'alloy',
  speed: 1,
  language: '',
  isTranslated: false,
  isPreviewed: false,
  videoSize: '',
  seconds: 0,
};

export const mostMade = 4;
/** How often a picture comes before it is finished. */
export const previews = 2;
export const voices = ['alloy', 'ash', 'coral', 'echo', 'fable', 'nova', 'onyx', 'sage', 'shimmer'] as const;

const sizes: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^dall-e-2|^dall-e$/, ['256x256', '512x512', '1024x1024']],
  [/^dall-e-3/, ['1024x1024', '1792x1024', '1024x1792']],
  [/^(?:chat)?gpt-image/, ['1024x1024', '1536x1024', '1024x1536']],
  [/gemini|imagen/, ['1024x1024', '1792x1024', '1024x1792']],
  [/^qwen-image/, ['1328x1328', '1664x928', '928x1664']],
  [/seedream/, ['2048x2048', '2560x1440', '1440x2560']],
];
const qualities: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^dall-e-3/, ['standard', 'hd']],
  [/^(?:chat)?gpt-image/, ['low', 'medium', 'high']],
];

/** Of a model whose vendor does not say which it takes: squares of the usual size. */
export function sizesOf(model: string): readonly string[] {
  return sizes.find(([names]) => names.test(model))?.[1] ?? ['512x512', '1024x1024'];
}

/** None: it has one alone. */
export function qualitiesOf(model: string): readonly string[] {
  return qualities.find(([names]) => names.test(model))?.[1] ?? [];
}

/** One at a time is all that it makes. */
export function mostOf(model: string): number {
  return /^dall-e-3|cogview|gemini|^qwen-image(?!-2)|^z-image/.test(model) ? 1 : mostMade;
}

/** Of one picture at a time. https://platform.openai.com/docs/guides/image-generation#streaming */
export function canPreview(model: string, { count }: Pick<MediaSettings, 'count'>): boolean {
  return /^(?:chat)?gpt-image/.test(model) && count === 1;
}

/** Default size of a video: every provider has it. */
export const usualVideo = '1280x720';

const lengths: readonly (readonly [RegExp, readonly number[]])[] = [
  [/sora/, [4, 8, 12]],
  [/veo-/, [8, 4, 6]],
  [/hailuo/i, [6, 10]],
  [/kling-(?:v3|3)/, [5, 10, 15]],
  [/kling|jimeng/, [5, 10]],
];

/** Lengths in seconds that a model supports, the default first; empty: any length. */
export function lengthsOf(model: string): readonly number[] {
  return lengths.find(([names]) => names.test(model))?.[1] ?? [];
}

/** What is ordered, all of it said: it is what is paid for. */
export function videoOf(model: string, { videoSize, seconds }: MediaSettings): { size: string; seconds: number } {
  return { size: videoSize || usualVideo, seconds: seconds || (lengthsOf(model)[0] ?? 5) };
}

/** As they are for a model: what it does not take is its own choice. */
export function mediaFor(model: string, settings: MediaSettings | undefined): MediaSettings {
  const chosen = settings ?? emptyMedia;
  const count = Math.min(chosen.count, mostOf(model));
  return {
    ...chosen,
    size: sizesOf(model).includes(chosen.size) ? chosen.size : '',
    quality: qualitiesOf(model).includes(chosen.quality) ? chosen.quality : '',
    count,
    isPreviewed: chosen.isPreviewed === true && canPreview(model, { count }),
    videoSize: chosen.videoSize ?? '',
    seconds: lengthsOf(model).length === 0 || lengthsOf(model).includes(chosen.seconds ?? 0) ? (chosen.seconds ?? 0) : 0,
  };
}

/** Whether the model chooses how large or how good pictures are. */
export function isLeftOpen({ size, quality }: Pick<MediaSettings, 'size' | 'quality'>): boolean {
  return size === '' || quality === '';
}

/** How many of them are not as they are at first. */
export function countSetMedia(kind: Exclude<ModelKind, 'chat'>, model: string, settings: MediaSettings | undefined): number {
  const media = mediaFor(model, settings);
  return fields[kind].filter((field) => media[field] !== emptyMedia[field]).length;
}

const fields = {
  picture: ['size', 'quality', 'count', 'isPreviewed'],
  speech: ['voice', 'speed'],
  transcript: ['language', 'isTranslated'],
  video: ['videoSize', 'seconds'],
} as const;
