// Hands over what a member's keys have stored in an organisation, when the member leaves: who gets the keys continues with their responses and files.
import type { Database } from '#server/db/database.ts';

const collections = [
  'responses',
  'conversations',
  'files',
  'batches',
  'vector_stores',
  'tuning_jobs',
  'tuned_models',
  'context_caches',
  'tasks',
] as const;

/** @param to user id of a member; 0 for service accounts. Repeatable. */
export async function handObjects(
  db: Database,
  { organisationId, from, to }: { organisationId: number; from: number; to: number },
): Promise<void> {
  const of = { user_id: organisationId, member_id: from };
  for (const name of collections) await db.collection(name).patchAll(of, to === 0 ? { unset: ['member_id'] } : { set: { member_id: to } });
}
