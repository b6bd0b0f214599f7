// How a provider is asked, in words of its own, for pictures that are made of others.
import type { Body, WrittenPictures } from './image-format.ts';

/** A picture that is given. `data`: base64, or what stands for it until the request is sent. */
export type GivenPicture = { kind: 'address'; url: string } | { kind: 'bytes'; mediaType: string; data: string };

export interface PictureEdit {
  /** That may be given. */
  mostGiven: number;
  /** That one request makes. */
  mostPictures(model: string): number;
  /** It takes addresses. Missing: bytes alone. */
  takesAddresses?: true;
  /** @param body the caller's without its pictures */
  writeRequest(body: Body, model: string, given: readonly GivenPicture[]): WrittenPictures;
}

/** For whoever takes both in one field. */
export function urlOf(picture: GivenPicture): string {
  return picture.kind === 'address' ? picture.url : `data:${picture.mediaType};base64,${picture.data}`;
}
