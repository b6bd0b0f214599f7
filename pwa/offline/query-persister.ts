// Stores answers that are marked `meta.offline` in IndexedDB, per user and account, and restores them at the next start with the time at which they were true.
// They are deleted at sign-out and when the session is over.
import type { Query, QueryClient } from '@tanstack/react-query';
import { databaseName } from './database-name.ts';

const writeDelay = 400;

/** Loaded when there is something to store: the sign-in of a new device does not need it. */
const storedAnswers = () => import('./stored-answers.ts');
const database = () => import('./database.ts');

async function isAnythingStored(): Promise<boolean> {
  try {
    return (await indexedDB.databases()).some(({ name }) => name === databaseName);
  } catch {
    // Some browsers do not report it.
    return true;
  }
}

/** Whose answers: of a user (0: signed out), for an organisation (0: for the user's account). */
export interface AnswersOwner {
  userId: number;
  organisationId: number;
}

/** Puts an account's stored answers into the client. Never fails: without a database there is nothing to restore. */
export async function restoreAnswers(client: QueryClient, owner: AnswersOwner): Promise<void> {
  if (await isAnythingStored()) await (await storedAnswers()).restoreStored(client, owner);
}

/** Writes marked answers as they arrive. `ownerNow` is read at each write. Returns a function that stops it. */
export function persistAnswers(client: QueryClient, ownerNow: () => AnswersOwner): () => void {
  // With the owner of the request: an answer that arrives during a sign-out must not go to the next user, nor to another account.
  const due = new Map<string, { query: Query; owner: AnswersOwner }>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function flush(): Promise<void> {
    timer = undefined;
    // Loaded first: between the look at who is signed in and the write nothing may be waited for.
    const { dropOlder, storeAnswer } = await storedAnswers();
    const waiting = [...due.values()];
    due.clear();
    for (const { query, owner } of waiting) {
      if (query.state.data === undefined || !isSame(owner, ownerNow())) continue;
      await storeAnswer(query, owner);
    }
    await dropOlder(ownerNow()).catch(() => undefined);
  }

  const unsubscribe = client.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated' || event.action.type !== 'success' || event.action.manual === true) return;
    // A query that was removed in flight still emits its end.
    const query = client.getQueryCache().get(event.query.queryHash);
    if (query === undefined || query !== event.query || query.meta?.offline === undefined) return;
    due.set(query.queryHash, { query, owner: ownerNow() });
    timer ??= setTimeout(() => void flush(), writeDelay);
  });
  return () => {
    unsubscribe();
    clearTimeout(timer);
    due.clear();
  };
}

/** Forgets everything of a user: in memory and on the disk. Public answers are read again. */
export async function forgetAnswers(client: QueryClient, userId: number): Promise<void> {
  dropAnswers(client);
  await wipeStored(userId);
}

/** Forgets what is in memory; the answers stay on the disk until the account is shown again. */
export function dropAnswers(client: QueryClient): void {
  // Requests in flight have no reader any more; they are not waited for.
  void client.cancelQueries();
  client.getMutationCache().clear();
  // Facts of the installation belong to no user.
  client.removeQueries({ predicate: (query) => query.queryKey[0] !== 'status' });
}

function isSame(one: AnswersOwner, other: AnswersOwner): boolean {
  return one.userId === other.userId && one.organisationId === other.organisationId;
}

/** Forgets what the disk holds of a user. */
export async function wipeStored(userId: number): Promise<void> {
  await database()
    .then(({ wipeAnswers }) => wipeAnswers(userId))
    .catch(() => undefined);
}
