// Token or user whose limits and budgets a request concerns: the caller's, or those of others for administrators.
import { AppError } from '#shared/errors.ts';
import { fieldRules, invalidField } from '#shared/field-rules.ts';
import { mayActOn, Role } from '#shared/roles.ts';
import type { AppContext } from '#server/context.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';

/** @throws {AppError} `not_found`, `user_read_denied`, `invalid_field` */
export async function limitedAccount(
  { db }: Pick<AppContext, 'db'>,
  actor: UserRecord,
  { token_id: tokenId, user_id: userId }: { token_id?: string | undefined; user_id?: string | undefined },
): Promise<{ token: TokenRecord | null; user: UserRecord }> {
  if (tokenId !== undefined && tokenId !== '') {
    const token = await db.collection('tokens').get(idIn('token_id', tokenId));
    if (token === null || token.DeletedAt !== null) throw new AppError('not_found');
    return { token, user: await readableUser(db, actor, token.user_id) };
  }
  if (userId === undefined || userId === '') return { token: null, user: actor };
  return { token: null, user: await readableUser(db, actor, idIn('user_id', userId)) };
}

/** Returns the user if the caller may see its records. What others have is not found by those who are no administrators. */
export async function readableUser(db: AppContext['db'], actor: UserRecord, id: number): Promise<UserRecord> {
  if (id === actor.id) return actor;
  const user = actor.role >= Role.admin ? await db.collection('users').get(id) : null;
  if (user === null || user.DeletedAt !== null) throw new AppError('not_found');
  if (!mayActOn(actor.role, user.role)) throw new AppError('user_read_denied');
  return user;
}

function idIn(field: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw invalidField(field, fieldRules.integer);
  return Number(text);
}
