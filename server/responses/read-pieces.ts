// Pieces of what is kept, a few at a time: together they are more than one step of the event loop should read.
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import type { ResponsePieceRecord } from '#server/db/records/response-piece.ts';

/** Of about a megabyte each. */
const readAtOnce = 3;

/** Their contents in order, of one sealing. */
export async function* readPieces({ db }: Pick<AppContext, 'db'>, of: Filter<ResponsePieceRecord>): AsyncGenerator<string> {
  const pieces = db.collection('response_pieces');
  let after = -1;
  for (;;) {
    const where: Filter<ResponsePieceRecord> = { and: [of, { number: { gt: after } }] };
    const rows = await pieces.find(where, { sort: [['number', 1]], limit: readAtOnce });
    for (const { content } of rows) yield content;
    if (rows.length < readAtOnce) return;
    after = rows.at(-1)?.number ?? after;
  }
}
