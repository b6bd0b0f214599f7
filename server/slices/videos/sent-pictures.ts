// Downloads images of a request for providers that accept no URLs.
import type { AppContext } from '#server/context.ts';
import { dataUrl } from '#server/formats/media.ts';
import { isAddress } from '#server/formats/media-addresses.ts';
import type { BodyHold } from '#server/http/bodies.ts';
import { fetchMedia } from '#server/call/remote-media/fetch-media.ts';
import type { VideoPicture } from '#server/tasks/videos/video-format.ts';

interface Fetching {
  owner: string;
  hold: BodyHold;
  /** Time for all images, waiting included: the request must end before the task counts as lost. */
  milliseconds?: number;
}

const longest = 60_000;

/**
 * Downloads images one after the other.
 * @throws {AppError} `media_not_fetched`, `bodies_of_caller`, `bodies_of_server`
 */
export async function sentPictures(
  context: Pick<AppContext, 'downloads'>,
  pictures: readonly VideoPicture[],
  { owner, hold, milliseconds = longest }: Fetching,
): Promise<VideoPicture[]> {
  const signal = AbortSignal.timeout(milliseconds);
  const sent: VideoPicture[] = [];
  for (const picture of pictures) {
    if (!('url' in picture) || !isAddress(picture.url)) {
      sent.push(picture);
      continue;
    }
    const { mediaType, bytes } = await fetchMedia(context, { url: picture.url, kind: 'image' }, { owner, hold, signal });
    sent.push({ url: dataUrl(mediaType, bytes.toString('base64')) });
  }
  return sent;
}
