// Limits the stored responses and conversations of a user, and removes the oldest beyond the limit.
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import type { ConversationRecord } from '#server/db/records/conversation.ts';
import type { StoredResponseRecord } from '#server/db/records/stored-response.ts';
import { removeItems } from './remove-items.ts';

type Storing = Pick<AppContext, 'db' | 'settings' | 'now' | 'waitUntil'>;

/** Share of the limit that remains after a removal, so that responses are not removed one by one. */
const leftShare = 0.9;
const removedAtOnce = 200;

export interface Holdings {
  /** Adds to a user's totals; an excess is removed soon. */
  added(userId: number, amount: { count: number; bytes: number }): Promise<void>;
  removed(userId: number, amount: { count: number; bytes: number }): Promise<void>;
}

export function createHoldings(context: Storing): Holdings {
  const holdings = context.db.collection('response_holdings');
  const trimming = new Set<number>();

  async function change(userId: number, count: number, bytes: number): Promise<{ count: number; bytes: number }> {
    const first = { id: userId, count, bytes };
    return (await holdings.patch({ id: userId }, { increment: { count, bytes } }, { insertIfMissing: first })) ?? first;
  }

  return {
    async added(userId, { count, bytes }) {
      const now = await change(userId, count, bytes);
      const most = mostOf(context);
      if ((now.count <= most.count && now.bytes <= most.bytes) || trimming.has(userId)) return;
      trimming.add(userId);
      context.waitUntil(trimResponses(context, userId).finally(() => trimming.delete(userId)));
    },
    async removed(userId, { count, bytes }) {
      await change(userId, -count, -bytes);
    },
  };
}

function mostOf({ settings }: Storing): { count: number; bytes: number } {
  return { count: settings.get('ResponsesPerUser'), bytes: settings.get('ResponseMegabytesPerUser') * 1_000_000 };
}

/** Counts a user's data and removes the excess: oldest responses first, then conversations unused for longest. */
export async function trimResponses(context: Storing, userId: number): Promise<void> {
  const { db } = context;
  const responses = db.collection('responses');
  const conversations = db.collection('conversations');
  const bounds = mostOf(context);
  const sum = { filter: { user_id: userId }, by: [], sum: { bytes: 'bytes' as const } };
  const [ofResponses] = await responses.group(sum);
  const [ofConversations] = await conversations.group(sum);
  const held = { count: 0, bytes: 0 };
  for (const each of [ofResponses, ofConversations]) {
    held.count += each?.count ?? 0;
    held.bytes += Number(each?.['bytes'] ?? 0);
  }
  if (held.count > bounds.count || held.bytes > bounds.bytes) {
    const isTooMuch = () => held.count > Math.floor(bounds.count * leftShare) || held.bytes > bounds.bytes * leftShare;
    const remove = async (oldest: readonly { id: string; bytes: number }[], removeOne: (id: string) => Promise<boolean>) => {
      for (const { id, bytes } of oldest) {
        if (!isTooMuch()) return;
        if (!(await removeOne(id))) continue;
        held.count -= 1;
        held.bytes -= bytes;
      }
    };
    // Running responses are not removed.
    const ended: Filter<StoredResponseRecord> = { user_id: userId, place: { exists: false } };
    const free = isFree(context);
    const unused: Filter<ConversationRecord> = { and: [{ user_id: userId }, free] };
    for (let some = 1; some > 0 && isTooMuch();) {
      const oldest = await responses.find(ended, { sort: [['created_at', 1]], limit: removedAtOnce });
      some = oldest.length;
      await remove(oldest, async (id) => {
        await removeResponse(context, id);
        return true;
      });
    }
    for (let some = 1; some > 0 && isTooMuch();) {
      const oldest = await conversations.find(unused, { sort: [['expires_at', 1]], limit: removedAtOnce });
      some = oldest.length;
      // A call may have locked it meanwhile.
      await remove(oldest, (id) => removeConversation(context, id, free));
    }
  }
  await db.collection('response_holdings').patch({ id: userId }, { set: held });
}

/** Matches unlocked conversations, including those whose lock expired with its process. */
export function isFree({ now }: Pick<AppContext, 'now'>): Filter<ConversationRecord> {
  return { or: [{ locked_by: { exists: false } }, { locked_until: { lt: now() } }] };
}

/** Removes a conversation; returns false if it does not match the filter any more. */
export async function removeConversation(
  context: Pick<AppContext, 'db'>,
  id: string,
  filter: Filter<ConversationRecord> = {},
): Promise<boolean> {
  const isRemoved = (await context.db.collection('conversations').take({ and: [{ id }, filter] })) !== null;
  if (isRemoved) await removeItems(context, { conversation_id: id });
  return isRemoved;
}

/** Removes the record first: without it the rest is unreachable. */
export async function removeResponse({ db }: Pick<AppContext, 'db'>, id: string): Promise<void> {
  await db.collection('responses').remove({ id });
  await db.collection('response_pieces').remove({ response_id: id });
  await db.collection('response_items').remove({ response_id: id });
}
