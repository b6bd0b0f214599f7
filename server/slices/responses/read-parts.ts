// Reads stored items and pieces a few at a time, to bound each step of the event loop.
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import type { Collection, Filter } from '#server/db/collection.ts';
import type { ConversationItemRecord } from '#server/db/records/conversation-item.ts';
import type { ResponsePartRecord } from '#server/db/records/response-part.ts';
import type { StoredResponseRecord } from '#server/db/records/stored-response.ts';

/** Pieces per read; each has about a megabyte. */
const readAtOnce = 3;

/** Yields the contents of the pieces of one text, in order. */
export async function* readPieces({ db }: Pick<AppContext, 'db'>, of: Filter<ResponsePartRecord>): AsyncGenerator<string> {
  const pieces = db.collection('response_pieces');
  let after = -1;
  for (;;) {
    const where: Filter<ResponsePartRecord> = { and: [of, { number: { gt: after } }] };
    const rows = await pieces.find(where, { sort: [['number', 1]], limit: readAtOnce });
    for (const { content } of rows) yield content;
    if (rows.length < readAtOnce) return;
    after = rows.at(-1)?.number ?? after;
  }
}

/**
 * Reads the pieces of a record. If its response ends meanwhile and its pieces are replaced, reads the newer ones.
 * @throws {AppError} `response_not_found` if some are missing
 */
export async function readNewest<Result>(
  responses: Pick<Collection<StoredResponseRecord>, 'first'>,
  record: StoredResponseRecord,
  read: (newest: StoredResponseRecord) => Promise<Result>,
): Promise<Result> {
  for (let newest = record; ;) {
    try {
      return await read(newest);
    } catch (failure) {
      if (!(failure instanceof AppError) || failure.code !== 'response_not_found') throw failure;
      const { id, user_id, pieces_version: before } = newest;
      const now = await responses.first({ id, user_id });
      if (now === null || now.pieces_version === before) throw failure;
      newest = now;
    }
  }
}

/** Approximate bytes of items read at a time. */
const itemBytesAtOnce = 2_000_000;
const mostItemsAtOnce = 500;

/** Yields items by position; small ones are read together. */
export async function* readItems(
  { db }: Pick<AppContext, 'db'>,
  of: Filter<ConversationItemRecord>,
  direction: 1 | -1,
): AsyncGenerator<ConversationItemRecord> {
  const items = db.collection('conversation_items');
  let behind: Filter<ConversationItemRecord> = {};
  for (let limit = 2; ;) {
    const rows = await items.find({ and: [of, behind] }, { sort: [['position', direction]], limit });
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit) return;
    behind = { position: direction === 1 ? { gt: last.position } : { lt: last.position } };
    const characters = rows.reduce((sum, { content }) => sum + content.length, 0);
    limit = characters * 2 < itemBytesAtOnce ? Math.min(mostItemsAtOnce, limit * 2) : Math.max(2, limit >>> 1);
  }
}
