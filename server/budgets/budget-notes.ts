// Notifies of budgets that are used up to a mark. A charge only notes its period; a moment later the period is read once, however many charges there
// were. The notice has a key by period and mark, so that it is sent once; a period that is lost with its process is noted with its next charge.
import { usualNotes } from '#shared/budgets.ts';
import type { AppContext } from '#server/context.ts';
import type { BudgetPeriodRecord } from '#server/db/records/budget-period.ts';
import { balanceOf } from '#server/money/account.ts';
import { alertOfBudget } from '#server/notify/notifications.ts';
import { type BoundBudget, readKey, storedBudget } from './bound-budgets.ts';

type NoteContext = Pick<AppContext, 'db' | 'now'>;

export interface BudgetNotes {
  /** A call was charged to this period. */
  charged(id: number): void;
  /** Looks at the periods that were charged since the last time. */
  check(): Promise<void>;
}

/** Owners, and administrators, of an organisation who are notified. */
const mostReaders = 20;
/** Periods that are read together. */
const atOnce = 100;

export function createBudgetNotes(context: NoteContext): BudgetNotes {
  let noted = new Set<number>();
  return {
    charged: (id) => void noted.add(id),
    async check() {
      if (noted.size === 0) return;
      const ids = [...noted];
      noted = new Set();
      try {
        for (let from = 0; from < ids.length; from += atOnce) {
          const periods = await context.db.collection('budget_periods').find({ id: { in: ids.slice(from, from + atOnce) } });
          for (const period of periods) await note(context, period);
        }
      } catch (failure) {
        for (const id of ids) noted.add(id);
        throw failure;
      }
    },
  };
}

async function note({ db, now }: NoteContext, period: BudgetPeriodRecord): Promise<void> {
  const { id, used_quota: used, noted = 0 } = period;
  const amount = used + balanceOf(period);
  const percent = amount <= 0 ? 100 : (used / amount) * 100;
  // Read before the budget: most charges reach no mark.
  if (percent < 1 || Math.floor(percent) <= noted) return;
  const bound = await storedBudget({ db }, period.key);
  const reached = (bound?.budget.notes ?? usualNotes).filter((mark) => mark <= percent && mark > noted);
  if (bound !== null && reached.length > 0) {
    const mark = Math.max(...reached);
    await report({ db, now }, { bound, period, percent: mark, amount });
    await db.collection('budget_periods').patch({ id }, { max: { noted: mark } });
  }
}

async function report(
  { db, now }: NoteContext,
  { bound, period, percent, amount }: { bound: BoundBudget; period: BudgetPeriodRecord; percent: number; amount: number },
): Promise<void> {
  const { scope, budget, userId, tokenId } = bound;
  const token = tokenId === 0 ? null : await db.collection('tokens').get(tokenId);
  const user = userId === 0 ? null : await db.collection('users').get(userId);
  const subject = token?.name ?? (await nameOfPart(db, bound)) ?? user?.username ?? '';
  const { name = budget.id } = budget;
  const event = { scope, subject, name, percent, used: period.used_quota, amount, ends_at: period.ends_at };
  const toAdministrators = scope === 'site';
  const readers = user?.kind === 'organisation' ? await readersOf(db, bound) : [userId];
  for (const reader of readers) {
    await alertOfBudget({ db, now }, { key: `budget:${period.id}:${percent}`, userId: reader, toAdministrators, event });
  }
}

/** Name of the team, or of the member's account, that the budget belongs to. */
async function nameOfPart(db: NoteContext['db'], { scope, key }: BoundBudget): Promise<string | undefined> {
  const id = readKey(key)?.subject ?? 0;
  if (scope === 'team') return (await db.collection('teams').get(id))?.name;
  if (scope !== 'member') return undefined;
  const member = await db.collection('organisation_members').get(id);
  return member === null ? undefined : (await db.collection('users').get(member.user_id))?.username;
}

/** An organisation has no mailbox: those who manage it are notified, and the member whose budget it is. */
async function readersOf(db: NoteContext['db'], { scope, key, userId }: BoundBudget): Promise<number[]> {
  const readers = new Set<number>();
  for (const role of ['owner', 'administrator'] as const) {
    const found = await db
      .collection('organisation_members')
      .find({ organisation_id: userId, role, suspended: { exists: false } }, { limit: mostReaders });
    for (const { user_id: id } of found) readers.add(id);
  }
  const member = scope === 'member' ? await db.collection('organisation_members').get(readKey(key)?.subject ?? 0) : null;
  if (member !== null && member.suspended !== true) readers.add(member.user_id);
  return [...readers];
}
