// Data that a sign-out removes from this device, apart from the stored answers: unsent edits, conversations, and the organisation acted for.
import { actingChoice, storeActingChoice } from '#pwa/api/acting-choice.ts';

/** Never fails. */
export async function forgetDevice(userId: number): Promise<void> {
  if (actingChoice()?.user === userId) storeActingChoice(null);
  const outbox = import('./outbox.ts').then(({ discardAll }) => discardAll(userId));
  const conversations = import('./conversations.ts').then(({ wipeConversations }) => wipeConversations(userId));
  await Promise.all([outbox.catch(() => undefined), conversations.catch(() => undefined)]);
}
