// What is kept on the disk of the answers that are marked `meta.offline`: read at a start, written as they come, and never many of a
// kind. Loaded when something is kept: the sign-in of a new device goes without.
import { hashKey, type Query, type QueryClient } from '@tanstack/react-query';
import { readAnswers, removeAnswers, type StoredAnswer, writeAnswer } from './database.ts';

const longestAge = 30 * 24 * 60 * 60 * 1000;
/** How many answers of one kind (first part of the key) are kept, the latest; home alone has nine. */
const keptPerKind = 12;

/** Puts them into the client, and forgets what is too old. */
export async function restoreKept(client: QueryClient, userId: number): Promise<void> {
  const answers = await readAnswers(userId).catch((): StoredAnswer[] => []);
  const tooOld: string[] = [];
  for (const answer of answers) {
    if (Date.now() - answer.updatedAt > longestAge) tooOld.push(answer.hash);
    else client.setQueryData(answer.queryKey, answer.data, { updatedAt: answer.updatedAt });
  }
  // However young they are: a page that is loaded again asks again.
  await client.invalidateQueries({ refetchType: 'none' });
  if (tooOld.length > 0) await removeAnswers(userId, tooOld).catch(() => undefined);
}

/** Never fails: what cannot be written is asked again. */
export async function keepAnswer(query: Query, userId: number): Promise<void> {
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
    answers.sort((one, other) => other.updatedAt - one.updatedAt).slice(keptPerKind),
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
