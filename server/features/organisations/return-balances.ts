// Returns what organisations were credited after their end, such as refunds of work that was running, to the owner who deleted them.
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import type { OrganisationRecord } from '#server/db/records/organisation.ts';
import { balanceOf, leasedOf } from '#server/money/account.ts';
import { transferQuota } from './transfer-quota.ts';

type Context = Pick<AppContext, 'db' | 'ledger' | 'now' | 'randomText'>;

/** Job. If the owner's account has ended, too, the balance stays where administrators of the site see it. */
export async function returnEndedBalances(context: Context): Promise<number> {
  let count = 0;
  for await (const organisation of context.db.collection('organisations').each({ DeletedAt: { gt: '' } }))
    if (await returnBalance(context, organisation)) count += 1;
  return count;
}

async function returnBalance(context: Context, { id, ended_by: endedBy, founded_by: founder }: OrganisationRecord): Promise<boolean> {
  const { db } = context;
  const account = await db.collection('users').get(id);
  // What a lease holds returns to the balance first. A process that has returned all of it still has a lease, of nothing.
  const amount = account === null || leasedOf(account) > 0 ? 0 : balanceOf(account);
  if (amount <= 0) return false;
  const owner = await db.collection('users').get(endedBy ?? founder);
  if (owner === null || owner.DeletedAt !== null) return false;
  try {
    // An attempt that was cut short is finished by the job for transfers; until then, another one is refused for want of balance.
    await transferQuota(context, { from: id, to: owner.id, amount, actorId: 0, ref: `ended-${id}-${context.randomText(12)}` });
    return true;
  } catch (failure) {
    if (failure instanceof AppError && failure.status < 500) return false;
    throw failure;
  }
}
