import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import type { ConversationItemRecord } from '#server/db/records/conversation-item.ts';

/** Removes items of conversations with their pieces. */
export async function removeItems({ db }: Pick<AppContext, 'db'>, filter: Filter<ConversationItemRecord>): Promise<void> {
  const inPieces = await db.collection('conversation_items').find({ and: [filter, { pieces: { exists: true } }] });
  for (const { id } of inPieces) await db.collection('response_pieces').remove({ response_id: id });
  await db.collection('conversation_items').remove(filter);
}
