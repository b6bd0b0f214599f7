// Stores answers marked `meta.offline` on the disk: read at a start, written as they arrive, with a limit per kind. Loaded when there is something to
// store: the sign-in of a new device does not need it.
import { hashKey, type Query, type QueryClient } from '@tanstack/react-query';
import { readAnswers, removeAnswers, type StoredAnswer, writeAnswer } from './database.ts';
import type { AnswersOwner } from './query-persister.ts';

const longestAge = 30 * 24 * 60 * 60 * 1000;
/** Number of latest answers of one kind (first part of the key) that are stored; home alone has nine. */
const storedPerKind = 12;

/** Puts them into the client, and forgets what is too old. */
export async function restoreStored(client: QueryClient, owner: AnswersOwner): Promise<void> {
  const answers = await answersOf(owner).catch((): StoredAnswer[] => []);
  const tooOld: string[] = [];
  for (const answer of answers) {
    if (Date.now() - answer.updatedAt > longestAge) tooOld.push(answer.hash);
    // An answer of this visit is newer.
    else if ((client.getQueryState(answer.queryKey)?.dataUpdatedAt ?? 0) < answer.updatedAt)
      client.setQueryData(answer.queryKey, answer.data, { updatedAt: answer.updatedAt });
  }
  // However recent they are: a reloaded page refetches.
  await client.invalidateQueries({ refetchType: 'none' });
  if (tooOld.length > 0) await removeAnswers(owner.userId, tooOld).catch(() => undefined);
}

/** Never fails: an answer that cannot be written is fetched again. */
export async function storeAnswer(query: Query, owner: AnswersOwner): Promise<void> {
  await writeAnswer(stored(query, owner)).catch(() => undefined);
}

/** Of each kind only the latest stay. */
export async function dropOlder(owner: AnswersOwner): Promise<void> {
  const byKind = new Map<string, StoredAnswer[]>();
  for (const answer of await answersOf(owner)) {
    const kind = String(answer.queryKey[0]);
    byKind.set(kind, [...(byKind.get(kind) ?? []), answer]);
  }
  const surplus = [...byKind.values()].flatMap((answers) =>
    answers.sort((one, other) => other.updatedAt - one.updatedAt).slice(storedPerKind),
  );
  if (surplus.length > 0) {
    await removeAnswers(
      owner.userId,
      surplus.map((answer) => answer.hash),
    );
  }
}

async function answersOf({ userId, organisationId }: AnswersOwner): Promise<StoredAnswer[]> {
  return (await readAnswers(userId)).filter((answer) => (answer.organisationId ?? 0) === organisationId);
}

function stored(query: Query, { userId, organisationId }: AnswersOwner): StoredAnswer {
  const mark = query.meta?.offline;
  const data = mark === true || mark === undefined ? query.state.data : mark.strip(query.state.data);
  const answer = { userId, queryKey: query.queryKey, data, updatedAt: query.state.dataUpdatedAt };
  const hash = hashKey(query.queryKey);
  return organisationId === 0 ? { ...answer, hash } : { ...answer, hash: `org-${organisationId} ${hash}`, organisationId };
}
