// Stores answers marked `meta.offline` on the disk: read at a start, written as they arrive, with a limit per kind. Loaded when there is something to
// store: the sign-in of a new device does not need it.
import { hashKey, type Query, type QueryClient } from '@tanstack/react-query';
import { readAnswers, removeAnswers, type StoredAnswer, writeAnswer } from './database.ts';

const longestAge = 30 * 24 * 60 * 60 * 1000;
/** Number of latest answers of one kind (first part of the key) that are stored; home alone has nine. */
const storedPerKind = 12;

/** Puts them into the client, and forgets what is too old. */
export async function restoreStored(client: QueryClient, userId: number): Promise<void> {
  const answers = await readAnswers(userId).catch((): StoredAnswer[] => []);
  const tooOld: string[] = [];
  for (const answer of answers) {
    if (Date.now() - answer.updatedAt > longestAge) tooOld.push(answer.hash);
    else client.setQueryData(answer.queryKey, answer.data, { updatedAt: answer.updatedAt });
  }
  // However recent they are: a reloaded page refetches.
  await client.invalidateQueries({ refetchType: 'none' });
  if (tooOld.length > 0) await removeAnswers(userId, tooOld).catch(() => undefined);
}

/** Never fails: an answer that cannot be written is fetched again. */
export async function storeAnswer(query: Query, userId: number): Promise<void> {
  await writeAnswer(stored(query, userId)).catch(() => undefined);
}

/** Of each kind only the latest stay. */
export async function dropOlder(userId: number): Promise<void> {
  const byKind = new Map<string, StoredAnswer[]>();
  for (const answer of await readAnswers(userId)) {
    const kind = String(answer.queryKey[0]);
    byKind.set(kind, [...(byKind.get(kind) ?? []), answer]);
  }
  const surplus = [...byKind.values()].flatMap((answers) =>
    answers.sort((one, other) => other.updatedAt - one.updatedAt).slice(storedPerKind),
  );
  if (surplus.length > 0) {
    await removeAnswers(
      userId,
      surplus.map((answer) => answer.hash),
    );
  }
}

function stored(query: Query, userId: number): StoredAnswer {
  const mark = query.meta?.offline;
  const data = mark === true || mark === undefined ? query.state.data : mark.strip(query.state.data);
  return { userId, hash: hashKey(query.queryKey), queryKey: query.queryKey, data, updatedAt: query.state.dataUpdatedAt };
}
