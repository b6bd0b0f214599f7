// More pictures than a provider makes at a time: ordered by several calls, and told as one.
import { boundaryIn } from '#server/formats/multipart-body.ts';
import type { Route } from '#server/formats/route.ts';
import type { CallKind, CallPiece, CallPieces } from '../call-kind.ts';
import { mostAtOnce } from './most-pictures.ts';
import type { PictureCaller } from './picture-caller.ts';
import type { Body } from './image-format.ts';

/** Null: one call will do. Of a number that its channel overrides no more are made. */
export function picturePieces(kind: CallKind, route: Route, { body, caller }: { body: Body; caller: PictureCaller }): CallPieces | null {
  const { provider, upstreamModel, paramOverride } = route;
  const most = mostAtOnce(kind.name === 'image_edits', provider.images, upstreamModel);
  if (caller.countIn(body) <= most || paramOverride?.n !== undefined) return null;
  return {
    kind,
    dialect: caller.dialect,
    split: (requested) => piecesOf(requested, most, caller),
    join: { of: 'bytes', join: caller.join },
    // Pictures that stand in JSON are written anew for each; files of a form are read while they are sent.
    ...(kind.name === 'image_edits' && boundaryIn(body) === undefined ? { atOnce: 1 } : {}),
    stream: null,
  };
}

function piecesOf(body: Body, most: number, caller: PictureCaller): CallPiece[] {
  const count = caller.countIn(body);
  return Array.from({ length: Math.ceil(count / most) }, (_piece, index) => {
    const piece = caller.withCount(body, Math.min(most, count - index * most));
    // Nobody reads it: all of them are asked for in their provider's words.
    return { body: piece, requested: caller.orderFields(piece), rawText: '' };
  });
}
