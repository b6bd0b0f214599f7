// Identities removed from an account. They can be bound and registered again, but without another bonus: the owner of
// one mailbox could otherwise register, unbind and register without end.
import { Binding } from '#shared/oauth.ts';
import { subjectFields } from '#server/accounts/subject-fields.ts';
import type { AppContext } from '#server/context.ts';
import { UniqueConflict } from '#server/db/collection.ts';
import type { UserRecord } from '#server/db/records/user.ts';

/** Written before the identity is removed, so that later registrations find it; harmless if the removal fails. */
export async function markLeft(
  { db, secrets }: Pick<AppContext, 'db' | 'secrets'>,
  { binding, subject, userId }: { binding: Binding; subject: string; userId: number },
): Promise<void> {
  try {
    await db.collection('left_identities').insert({ id: markId(secrets, binding, subject), user_id: userId });
  } catch (failure) {
    if (!(failure instanceof UniqueConflict)) throw failure;
  }
}

/** Marks of the identities that a new account is bound to. */
export function markIdsOf({ secrets }: Pick<AppContext, 'secrets'>, bound: Partial<UserRecord>): string[] {
  return Binding.options.flatMap((binding) => {
    const subject = bound[subjectFields[binding]];
    return subject === undefined ? [] : [markId(secrets, binding, subject)];
  });
}

/**
 * Reports whether one of them belonged to another account. Exact only once the account is stored: until then, another
 * user may still unbind.
 */
export async function hasLeftAnother({ db }: Pick<AppContext, 'db'>, user: UserRecord, markIds: readonly string[]): Promise<boolean> {
  const marks = await Promise.all(markIds.map((id) => db.collection('left_identities').get(id)));
  return marks.some((mark) => mark !== null && mark.user_id !== user.id);
}

function markId(secrets: AppContext['secrets'], binding: Binding, subject: string): string {
  return secrets.hash(`left identity ${binding} ${subject}`);
}
