// What a sign-out takes from this device beside the kept answers: edits that were not sent, and conversations.

/** Never fails. */
export async function forgetDevice(userId: number): Promise<void> {
  const outbox = import('./outbox.ts').then(({ discardAll }) => discardAll(userId));
  const conversations = import('./conversations.ts').then(({ wipeConversations }) => wipeConversations(userId));
  await Promise.all([outbox.catch(() => undefined), conversations.catch(() => undefined)]);
}
