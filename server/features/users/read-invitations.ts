import type { Page } from '#shared/paging.ts';
import type { Invited } from '#shared/users.ts';
import type { AppContext } from '#server/context.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { exactTotal, isBehind, pageBounds, pageResponse } from '#server/http/paging.ts';

/** Inviters of inviters that are followed. */
const mostInviters = 20;

interface Invitations {
  page: Page<Invited>;
  /** Nearest first. */
  inviters: Invited[];
}

export async function readInvitations(
  { db }: AppContext,
  user: UserRecord,
  query: { p?: number | undefined; page_size?: number | undefined },
): Promise<Invitations> {
  const bounds = pageBounds(query);
  const users = db.collection('users');
  const filter = { inviter_id: user.id };
  const total = await users.count(filter, exactTotal + 1);
  const found = isBehind(bounds.skip, total) ? [] : await users.find(filter, { sort: [['id', -1]], skip: bounds.skip, limit: bounds.size });
  const inviters: Invited[] = [];
  const seen = new Set([user.id]);
  for (let id = user.inviter_id; id !== 0 && !seen.has(id) && inviters.length < mostInviters;) {
    seen.add(id);
    const inviter = await users.get(id);
    if (inviter === null) break;
    inviters.push(invited(inviter));
    id = inviter.inviter_id;
  }
  return { page: pageResponse(found.map(invited), bounds, total), inviters };
}

/** What anybody with the list of users sees of them anyway. */
function invited({ id, username, status, DeletedAt, created_time, used_quota, aff_count }: UserRecord): Invited {
  return { id, username, status, is_deleted: DeletedAt !== null, created_time, used_quota, aff_count };
}
