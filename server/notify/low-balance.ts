// Warns users that their balance has fallen below the mark that they set. A charge only notes its account; a moment later the account is read once,
// however many charges there were. The account's state alone decides about a warning, so a note that is lost with its process comes again with the
// next charge.
import { mayInOrganisation, organisationRoles } from '#shared/organisation-roles.ts';
import { userSettingOf } from '#shared/user-setting.ts';
import type { Database } from '#server/db/database.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { balanceOf } from '#server/money/account.ts';
import { queueNotification } from '#server/notify/notifications.ts';
import type { Settings } from '#server/settings/settings.ts';

export interface LowBalance {
  /** This user was charged: to be looked at soon. Costs nothing. */
  spent(userId: number): void;
  /** Looks at everybody who was charged since the last time. */
  check(): Promise<void>;
}

export interface LowBalanceDependencies {
  db: Database;
  settings: Settings;
  now(): number;
}

/** Members of an organisation who are warned. */
const mostPayers = 100;
/** Between two warnings of one user. */
const quietMs = 2 * 3600 * 1000;

export function createLowBalance(parts: LowBalanceDependencies): LowBalance {
  let noted = new Set<number>();
  return {
    spent: (userId) => void noted.add(userId),
    async check() {
      const users = noted;
      noted = new Set();
      try {
        for (const id of users) {
          await warn(parts, id);
          users.delete(id);
        }
      } catch (failure) {
        for (const id of users) noted.add(id);
        throw failure;
      }
    },
  };
}

async function warn(parts: LowBalanceDependencies, userId: number): Promise<void> {
  const { db, settings, now } = parts;
  const user = await db.collection('users').get(userId);
  if (user === null || user.DeletedAt !== null) return;
  const mark = userSettingOf(user).quota_warning_threshold ?? settings.get('QuotaRemindThreshold');
  const balance = balanceOf(user);
  if (mark <= 0 || balance >= mark || user.full_mark < mark || !isNewCrossing(user, balance)) return;
  const time = now();
  if (user.warned_at !== undefined && time - user.warned_at < quietMs) return;
  // Until the next credit or edit the sum stays the same, whatever is spent: it names the crossing, for every process alike.
  const sum = balance + user.used_quota;
  const key = `quota:${userId}:${sum}:${user.full_mark}:${user.warned_at ?? 0}`;
  if (user.kind === 'organisation') {
    const event = { code: 'quota_exceed' as const, balance, organisation: user.display_name };
    for (const reader of await payersOf(db, userId)) await queueNotification(parts, { key: `${key}:${reader}`, userId: reader, event });
  } else await queueNotification(parts, { key, userId, event: { code: 'quota_exceed', balance } });
  await db.collection('users').patch({ id: userId }, { set: { warned_at: time, warned_sum: sum, warned_full: user.full_mark } });
}

/** An organisation has no mailbox: its members who can pay are notified. */
async function payersOf(db: LowBalanceDependencies['db'], organisationId: number): Promise<number[]> {
  const paying = organisationRoles.filter((role) => mayInOrganisation(role, 'billing'));
  const filter = { organisation_id: organisationId, role: { in: paying }, suspended: { exists: false } } as const;
  const members = await db.collection('organisation_members').find(filter, { limit: mostPayers });
  return members.map((member) => member.user_id);
}

/** Since the last warning there was a credit: it is what has lifted the balance above the mark. */
function isNewCrossing(user: UserRecord, balance: number): boolean {
  const { warned_sum: sum, warned_full: full } = user;
  if (sum === undefined) return true;
  return balance + user.used_quota > sum || user.full_mark !== full;
}
