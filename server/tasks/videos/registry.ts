// Every form of video providers, by the name that their records have for it.
import type { Provider, VideoFormName } from '#server/upstream/providers/spec.ts';
import { sora } from './sora.ts';
import type { VideoForm } from './video-form.ts';

export const videoForms: Readonly<Record<VideoFormName, VideoForm>> = { sora };

/** Undefined: the provider makes no videos. */
export function videoFormOf(provider: Pick<Provider, 'videos'> | null): VideoForm | undefined {
  return provider?.videos === undefined ? undefined : videoForms[provider.videos];
}
