// Which addresses of an upstream's data a browser may be sent to: this site's own copies, and links with https.
import { atBase } from '#pwa/ui/base-path.ts';
import { safeLink } from '#shared/links.ts';
import type { Drawing } from '#shared/drawings.ts';

/** The link, when it is one with https. */
export function secureLink(text: string): string | undefined {
  const link = safeLink(text, 'web');
  return link !== undefined && /^https:/i.test(link) ? link : undefined;
}

/** This site's copy of the cover of a clip: its host does not learn who views it. */
export function musicCover(taskId: string, clip: number): string {
  return atBase(`/suno/image/${encodeURIComponent(taskId)}/${clip}`);
}

/**
 * Address of a drawing's image. This site's copy is requested at the address of this page: the server may have another one configured. The
 * image changes while it is drawn, and so does its address.
 */
export function drawingPicture({ image_url, mj_id, status, progress }: Drawing): string | undefined {
  if (image_url === '') return undefined;
  const own = atBase(`/mj/image/${encodeURIComponent(mj_id)}`);
  if (mj_id === '' || URL.parse(image_url, location.origin)?.pathname !== own) return secureLink(image_url);
  return status === 'SUCCESS' ? own : `${own}?progress=${encodeURIComponent(progress)}`;
}
