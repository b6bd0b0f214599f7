// Downloads media from an address that a caller gave, checked by its kind.
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

/** Of an address: no server takes more. */
const longestAddress = 16_384;
/** As it was fetched, as base64, and as the text of what is sent. */
export const copies = 3;

/** @param hold of the caller's bodies: grows by what is held of it on its way @throws {AppError} `media_not_fetched`, `bodies_of_caller`, `bodies_of_server` */
export async function fetchMedia(
  { downloads }: Pick<AppContext, 'downloads'>,
  { url, kind }: MediaAddress,
  { owner, hold, signal }: Pick<DownloadRequest, 'owner' | 'hold' | 'signal'>,
): Promise<FetchedMedia> {
  if (url.length > longestAddress) throw longAddress();
  const grow = (bytes: number) => hold.grow(bytes * copies);
  try {
    const download = await downloads.fetch({ url, owner, hold: { grow }, ...(signal === undefined ? {} : { signal }) });
    const mediaType = mediaTypeOf({ ...download, url, kind });
    if (mediaType === undefined || !isOfKind(mediaType, kind)) throw wrongMedia(url, mediaType);
    return { mediaType, bytes: isTextType(mediaType) ? inUtf8(download.bytes, download.charset) : download.bytes };
  } catch (failure) {
    throw failure instanceof DownloadRefusal ? notFetched(url, failure) : failure;
  }
}
