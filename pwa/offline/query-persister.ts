// Keeps answers that are marked `meta.offline` in IndexedDB, per user, and puts them back at the next start with the time
// at which they were true. They are wiped at sign-out and when the session is over.
import type { Query, QueryClient } from '@tanstack/react-query';
import { databaseName } from './database-name.ts';

const writeDelay = 400;

/** Loaded when something is kept: the sign-in of a new device goes without. */
const keptAnswers = () => import('./kept-answers.ts');
const database = () => import('./database.ts');

async function isAnythingKept(): Promise<boolean> {
  try {
    return (await indexedDB.databases()).some(({ name }) => name === databaseName);
  } catch {
    // Some browsers do not tell.
    return true;
  }
}

/** Puts a user's kept answers into the client. Never fails: without a database there is nothing to restore. */
export async function restoreAnswers(client: QueryClient, userId: number): Promise<void> {
  if (await isAnythingKept()) await (await keptAnswers()).restoreKept(client, userId);
}

/** Writes marked answers as they come. `userId` is asked at each write. Gives the way to stop. */
export function persistAnswers(client: QueryClient, userId: () => number): () => void {
  // With the user who asked: an answer that comes in around a sign-out belongs to nobody else.
  const due = new Map<string, { query: Query; owner: number }>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function flush(): Promise<void> {
    timer = undefined;
    // Loaded first: between the look at who is signed in and the write nothing may be waited for.
    const { dropOlder, keepAnswer } = await keptAnswers();
    const waiting = [...due.values()];
    due.clear();
    for (const { query, owner } of waiting) {
      if (query.state.data === undefined || owner !== userId()) continue;
      await keepAnswer(query, owner);
    }
    await dropOlder(userId()).catch(() => undefined);
  }

  const unsubscribe = client.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated' || event.action.type !== 'success' || event.action.manual === true) return;
    // One that was forgotten while it was on its way still tells of its end.
    const query = client.getQueryCache().get(event.query.queryHash);
    if (query === undefined || query !== event.query || query.meta?.offline === undefined) return;
    due.set(query.queryHash, { query, owner: userId() });
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
  // What is on its way is for nobody; it is not waited for.
  void client.cancelQueries();
  client.getMutationCache().clear();
  // Facts of the installation are nobody's.
  client.removeQueries({ predicate: (query) => query.queryKey[0] !== 'status' });
  await wipeKept(userId);
}

/** Forgets what the disk holds of a user. */
export async function wipeKept(userId: number): Promise<void> {
  await database()
    .then(({ wipeAnswers }) => wipeAnswers(userId))
    .catch(() => undefined);
}
