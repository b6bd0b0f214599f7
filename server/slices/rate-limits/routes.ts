import { AppError } from '#shared/errors.ts';
import { fieldRules, invalidField } from '#shared/field-rules.ts';
import { rateLimitApi } from '#shared/rate-limit-states.ts';
import { mayActOn, Role } from '#shared/roles.ts';
import type { AppContext } from '#server/context.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { signedIn } from '#server/http/call.ts';
import { mount, type RouteHost } from '#server/http/mount.ts';

export function mountRateLimits(host: RouteHost): void {
  mount(host, rateLimitApi.state, async (call) => {
    const { context, query } = call;
    const actor = signedIn(call).user;
    const { token, user } = await limitedBy(context, actor, query);
    const { rateLimits } = context;
    const group = token === null || token.group === '' ? user.group : token.group;
    const limits = rateLimits.allOf({ token, user, group }, actor.role >= Role.admin);
    // Without a token, limits that count each token say nothing.
    const counted = limits.counted.filter(({ limit }) => token !== null || !('counted' in limit) || limit.counted !== 'token');
    return rateLimits.states({ ...limits, counted });
  });
}

/** @throws {AppError} `not_found`, `user_read_denied`, `invalid_field` */
async function limitedBy(
  { db }: AppContext,
  actor: UserRecord,
  { token_id: tokenId, user_id: userId }: { token_id?: string | undefined; user_id?: string | undefined },
): Promise<{ token: TokenRecord | null; user: UserRecord }> {
  if (tokenId !== undefined && tokenId !== '') {
    const token = await db.collection('tokens').get(idIn('token_id', tokenId));
    if (token === null || token.DeletedAt !== null) throw new AppError('not_found');
    return { token, user: await readable(db, actor, token.user_id) };
  }
  if (userId === undefined || userId === '') return { token: null, user: actor };
  return { token: null, user: await readable(db, actor, idIn('user_id', userId)) };
}

/** Returns the user if the caller may see its records. What others have is not found by those who are no administrators. */
async function readable(db: AppContext['db'], actor: UserRecord, id: number): Promise<UserRecord> {
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
