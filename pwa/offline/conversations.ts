// Conversations of the playground on this device, per user and within bounds. They can be read without a network, and go when
// their user signs out.
import { type Answer, Conversation } from './conversation.ts';
import { offlineDatabase } from './database.ts';

/** Number of latest conversations that are stored. */
export const mostConversations = 50;
/** Characters of all of them together; pictures are most of it. */
export const mostCharacters = 24_000_000;

/** Returns the conversations, latest first. Never fails: without a database the list is empty. */
export async function readConversations(userId: number): Promise<Conversation[]> {
  try {
    const stored: unknown[] = await (await offlineDatabase()).getAllFromIndex('conversations', 'user', userId);
    return stored
      .map((one) => Conversation.safeParse(one).data)
      .filter((one) => one !== undefined)
      .toSorted((one, other) => other.updatedAt - one.updatedAt);
  } catch {
    return [];
  }
}

/**
 * Stores a conversation, replacing its stored version. `isWanted` is checked last, so that nothing is written for a user who has signed out
 * meanwhile. True if it is stored.
 */
export async function storeConversation(conversation: Conversation, isWanted: () => boolean): Promise<boolean> {
  try {
    const database = await offlineDatabase();
    if (!isWanted()) return false;
    await database.put('conversations', conversation);
    return true;
  } catch {
    // A private window, or a full disk.
    return false;
  }
}

export async function removeConversation(userId: number, id: string): Promise<void> {
  await (await offlineDatabase()).delete('conversations', [userId, id]).catch(() => undefined);
}

/** Forgets all of a user's. */
export async function wipeConversations(userId: number): Promise<void> {
  const transaction = (await offlineDatabase()).transaction('conversations', 'readwrite');
  for (const key of await transaction.store.index('user').getAllKeys(userId)) await transaction.store.delete(key);
  await transaction.done;
}

/** Forgets what is beyond the bounds. The newest one stays, however long it is. */
export async function dropOldest(userId: number): Promise<void> {
  const kept = await readConversations(userId);
  let characters = 0;
  for (const [index, conversation] of kept.entries()) {
    characters += sizeOf(conversation);
    if (index > 0 && (index >= mostConversations || characters > mostCharacters)) await removeConversation(userId, conversation.id);
  }
}

function sizeOf({ turns }: Conversation): number {
  let size = 0;
  for (const { text, pictures, files = [], answers } of turns) {
    size += text.length;
    for (const { url, mask = '' } of pictures) size += url.length + mask.length;
    for (const { content } of files) size += content.length;
    for (const answer of answers) size += answer === null ? 0 : answerSize(answer);
  }
  return size;
}

function answerSize({ text, reasoning, pictures = [], sound }: Answer): number {
  return text.length + reasoning.length + pictures.reduce((sum, { url }) => sum + url.length, 0) + (sound?.url.length ?? 0);
}
