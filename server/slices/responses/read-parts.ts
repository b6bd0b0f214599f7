// Reads stored items and pieces a few at a time, to bound each step of the event loop.
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import type { ConversationItemRecord } from '#server/db/records/conversation-item.ts';
import type { ResponsePartRecord } from '#server/db/records/response-part.ts';

/** Pieces of about a megabyte each. */
const readAtOnce = 3;

/** Contents of one sealing, in order. */
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

/** Approximate bytes of items read at a time. */
const itemBytesAtOnce = 2_000_000;
const mostItemsAtOnce = 500;

/** Items by position; small ones are read together. */
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
