// Downloads media from a caller's URL and checks their kind.
import type { AppContext } from '#server/context.ts';
import { isTextType } from '#server/formats/media-tokens.ts';
import type { MediaAddress } from '#server/formats/media-addresses.ts';
import { DownloadRefusal, type DownloadRequest } from '#server/egress/downloads.ts';
import { inUtf8 } from '#server/call/remote-media/media-text.ts';
import { longAddress, notFetched, wrongMedia } from '#server/call/remote-media/media-refusal.ts';
import { isOfKind, mediaTypeOf } from '#server/call/remote-media/media-type.ts';

export interface FetchedMedia {
  mediaType: string;
  bytes: Buffer;
}

/** Maximum characters of a URL; servers accept no longer ones. */
const longestAddress = 16_384;
/** Copies of the media in memory: the bytes, their base64, and the text of the request. */
export const copies = 3;

/**
 * @param hold hold of the caller's bodies, which grows during the download
 * @throws {AppError} `media_not_fetched`, `bodies_of_caller`, `bodies_of_server`
 */
export async function fetchMedia(
  { downloads }: Pick<AppContext, 'downloads'>,
  { url, kind }: MediaAddress,
  { owner, hold, signal }: Pick<DownloadRequest, 'owner' | 'hold' | 'signal'>,
): Promise<FetchedMedia> {
  if (url.length > longestAddress) throw longAddress();
  const grow = (bytes: number) => hold.grow(bytes * copies);
  try {
    const download = await downloads.fetch({ url, owner, hold: { grow }, signal });
    const mediaType = mediaTypeOf({ ...download, url, kind });
    if (mediaType === undefined || !isOfKind(mediaType, kind)) throw wrongMedia(url, mediaType);
    return { mediaType, bytes: isTextType(mediaType) ? inUtf8(download.bytes, download.charset) : download.bytes };
  } catch (failure) {
    throw failure instanceof DownloadRefusal ? notFetched(url, failure) : failure;
  }
}
