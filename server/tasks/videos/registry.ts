// Video formats by the name in a provider's record.
import type { Provider, VideoFormatName } from '#server/providers/spec.ts';
import { ark } from './ark.ts';
import { cogVideo } from './cogvideo.ts';
import { hailuo } from './hailuo.ts';
import { jimeng } from './jimeng.ts';
import { kling } from './kling.ts';
import { sora } from './sora.ts';
import { veo } from './veo.ts';
import { veoVertex } from './veo-vertex.ts';
import { vidu } from './vidu.ts';
import { wan } from './wan.ts';
import type { VideoFormat } from './video-format.ts';

export const videoFormats: Readonly<Record<VideoFormatName, VideoFormat>> = {
  sora,
  kling,
  jimeng,
  vidu,
  ark,
  wan,
  hailuo,
  veo,
  'veo-vertex': veoVertex,
  cogvideo: cogVideo,
};

/** Undefined if the provider has no videos. */
export function videoFormatOf(provider: Pick<Provider, 'videos'> | null): VideoFormat | undefined {
  return provider?.videos === undefined ? undefined : videoFormats[provider.videos];
}
