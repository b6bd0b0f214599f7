// Removes expired responses and conversations, and those of deleted users.
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import type { ConversationRecord } from '#server/db/records/conversation.ts';
import { isFree, removeConversation, removeResponse, trimResponses } from './holdings.ts';

type Storing = Pick<AppContext, 'db' | 'settings' | 'now' | 'waitUntil'>;

const removedAtOnce = 200;
/** Approximate maximum duration of each loop; the next run continues. */
const runMs = 8_000;

/** Job: removes expired objects. */
export async function sweepResponses(context: Storing): Promise<void> {
  const { db, now } = context;
  const before = Math.floor(now() / 1000);
  const begin = performance.now();
  const users = new Set<number>();
  for (;;) {
    const old = await db.collection('responses').find({ expires_at: { lte: before } }, { sort: [['expires_at', 1]], limit: removedAtOnce });
    for (const { id, user_id } of old) {
      await removeResponse(context, id);
      users.add(user_id);
    }
    if (old.length < removedAtOnce || performance.now() - begin > runMs) break;
  }
  for (;;) {
    // Includes conversations in creation, which are inserted as expired; their ids are not published.
    const over: Filter<ConversationRecord> = { and: [{ expires_at: { lte: before } }, isFree(context)] };
    const old = await db.collection('conversations').find(over, { sort: [['expires_at', 1]], limit: removedAtOnce });
    for (const { id, user_id } of old) {
      await removeConversation(context, id, over);
      users.add(user_id);
    }
    if (old.length < removedAtOnce || performance.now() - begin > runMs) break;
  }
  // Removes leftovers of crashes.
  await db.collection('response_pieces').remove({ expires_at: { lte: before } });
  await db.collection('response_items').remove({ expires_at: { lte: before } });
  for (const userId of users) await trimResponses(context, userId);
}

/** Job: removes the data of deleted users. */
export async function sweepResponsesOfDeleted(context: Storing): Promise<void> {
  const { db } = context;
  for await (const { id } of db.collection('response_holdings').each({})) {
    const user = await db.collection('users').get(id);
    if (user !== null && user.DeletedAt === null) continue;
    for (;;) {
      const some = await db.collection('responses').find({ user_id: id }, { limit: removedAtOnce });
      for (const response of some) await removeResponse(context, response.id);
      if (some.length < removedAtOnce) break;
    }
    for (;;) {
      const some = await db.collection('conversations').find({ user_id: id }, { limit: removedAtOnce });
      for (const conversation of some) await removeConversation(context, conversation.id);
      if (some.length < removedAtOnce) break;
    }
    await db.collection('response_holdings').remove({ id });
  }
}
