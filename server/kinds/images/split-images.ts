// Splits a request for more images than the provider makes at a time, and joins the responses.
import { boundaryIn } from '#server/formats/multipart-body.ts';
import type { Route } from '#server/formats/route.ts';
import type { CallKind, CallPiece, CallPieces } from '../call-kind.ts';
import { mostAtOnce } from './most-pictures.ts';
import type { PictureCaller } from './picture-caller.ts';
import type { Body } from './image-format.ts';

/** Returns null if one request is enough. If the channel overrides the number, the request is not split. */
export function picturePieces(kind: CallKind, route: Route, { body, caller }: { body: Body; caller: PictureCaller }): CallPieces | null {
  const { provider, upstreamModel, paramOverride } = route;
  const most = mostAtOnce(kind.name === 'image_edits', provider.images, upstreamModel);
  if (caller.countIn(body) <= most || paramOverride?.n !== undefined) return null;
  return {
    kind,
    dialect: caller.dialect,
    split: (requested) => piecesOf(requested, most, caller),
    join: { of: 'bytes', join: caller.join },
    // Images in JSON are copied into each request; files of a form are streamed.
    ...(kind.name === 'image_edits' && boundaryIn(body) === undefined ? { atOnce: 1 } : {}),
    stream: null,
  };
}

function piecesOf(body: Body, most: number, caller: PictureCaller): CallPiece[] {
  const count = caller.countIn(body);
  return Array.from({ length: Math.ceil(count / most) }, (_piece, index) => {
    const piece = caller.withCount(body, Math.min(most, count - index * most));
    // Unused: every piece is encoded in the provider's format.
    return { body: piece, requested: caller.orderFields(piece), rawText: '' };
  });
}
