// Sums of all users' books, for a check at a bounded cost: three sums by the engine, and none of log rows. Every settlement changes a user's
// lease and used amount in one write, so calls in progress make no difference.
import type { Database } from '#server/db/database.ts';
import type { Increments } from '#server/db/collection.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { frozenKey } from '#server/money/account.ts';

/** Quota. */
export interface UserBooks {
  credits: number;
  spends: number;
  /** Leases of running processes included; those of others cannot be spent. */
  balances: number;
}

export async function sumOfUserBooks(db: Database): Promise<UserBooks> {
  const processes = await db.collection('processes').find({ state: { in: ['alive', 'recovering'] } });
  const leases = processes.flatMap(({ id }) => [id, frozenKey(id)]);
  const [entries] = await db
    .collection('ledger')
    .group({ filter: { account: 'user', state: 'done' }, by: [], sum: { credits: 'amount', used: 'used' } });
  const [users] = await db.collection('users').group({ by: [], sum: { quota: 'quota', used: 'used_quota', ...sumsOf(leases) } });
  const value = (row: Record<string, unknown> | undefined, name: string) => Number(row?.[name] ?? 0);
  const leased = leases.reduce((sum, _, index) => sum + value(users, `lease${index}`), 0);
  return {
    credits: value(entries, 'credits'),
    // Used amounts of deleted rows and of refunds are entries.
    spends: value(users, 'used') - value(entries, 'used'),
    balances: value(users, 'quota') + leased,
  };
}

function sumsOf(leases: readonly string[]): Record<string, keyof Increments<UserRecord>> {
  return Object.fromEntries(leases.map((key, index) => [`lease${index}`, `leases.${key}` as const]));
}
