// Wire format of a vendor's image edits.
import type { Body, WrittenPictures } from './image-format.ts';

/** Input image. `data`: base64, or its placeholder until the request is sent. */
export type GivenPicture = { kind: 'address'; url: string } | { kind: 'bytes'; mediaType: string; data: string };

export interface PictureEdit {
  /** Maximum number of input images. */
  mostGiven: number;
  /** Maximum number of output images per request. */
  mostPictures(model: string): number;
  /** Accepts URLs; if undefined, bytes only. */
  takesAddresses?: true;
  /** @param body the caller's without its images */
  writeRequest(body: Body, model: string, given: readonly GivenPicture[]): WrittenPictures;
}

/** Writes a URL or a data URL. */
export function urlOf(picture: GivenPicture): string {
  return picture.kind === 'address' ? picture.url : `data:${picture.mediaType};base64,${picture.data}`;
}
