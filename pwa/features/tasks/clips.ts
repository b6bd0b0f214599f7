// What an upstream says came of music: a list of clips, or an object with lyrics. Nothing of it is promised, so everything
// that is not as expected counts as absent.
import { z } from 'zod/mini';
import { musicCover, secureLink } from './pictures.ts';

export interface Clip {
  id: string;
  title: string;
  audio: string | undefined;
  video: string | undefined;
  cover: string | undefined;
  /** Undefined: unknown. */
  seconds: number | undefined;
  tags: string;
  lyrics: string;
}

const Text = z.catch(z.string(), '');
const Seconds = z.catch(z.optional(z.number().check(z.positive())), undefined);
const ClipData = z.object({
  id: Text,
  title: Text,
  audio_url: Text,
  video_url: Text,
  image_url: Text,
  image_large_url: Text,
  duration: Seconds,
  metadata: z.catch(z.object({ duration: Seconds, tags: Text, prompt: Text }), { duration: undefined, tags: '', prompt: '' }),
});
const LyricsData = z.object({ text: Text, title: Text });

/** `taskId`: what the upstream calls the task. */
export function clipsOf(data: unknown, taskId: string): Clip[] {
  const parts: unknown[] = Array.isArray(data) ? data : [data];
  return parts.flatMap((part, index) => {
    const parsed = ClipData.safeParse(part);
    if (!parsed.success) return [];
    const { id, title, duration, metadata, audio_url, video_url, image_url, image_large_url } = parsed.data;
    const audio = secureLink(audio_url);
    const hasCover = (secureLink(image_url) ?? secureLink(image_large_url)) !== undefined;
    const cover = hasCover && taskId !== '' ? musicCover(taskId, index) : undefined;
    // Lyrics have a title too.
    if (audio_url === '' && cover === undefined && !Array.isArray(data)) return [];
    const seconds = metadata.duration ?? duration;
    return [{ id, title, audio, video: secureLink(video_url), cover, seconds, tags: metadata.tags, lyrics: metadata.prompt }];
  });
}

export function lyricsOf(data: unknown): { title: string; text: string } {
  const parsed = LyricsData.safeParse(data);
  return parsed.success ? parsed.data : { title: '', text: '' };
}
