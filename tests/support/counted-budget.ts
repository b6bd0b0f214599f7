// A budget of the site that counts all calls of a test: it must count what users used, whatever was refunded.
import type { AppContext } from '#server/context.ts';

const counted = { id: 'counted', amount: 1, period: 'once', starts: 'calendar', at_end: 'warn', counted: 'all' };

export async function addCountedBudget({ db, changes, settings }: AppContext): Promise<void> {
  const value = JSON.stringify([counted]);
  await db.collection('options').insert({ id: 'SiteBudgets', value, revision: 1, updated_at: 0, updated_by: 0 });
  await changes.announce('option', 'SiteBudgets');
  await settings.reload();
}

export async function checkCountedBudget({ db }: AppContext): Promise<void> {
  const [users] = await db.collection('users').group({ by: [], sum: { used: 'used_quota' } });
  const period = await db.collection('budget_periods').first({ key: `site:${counted.id}:all` });
  const [used, ofBudget] = [Number(users?.['used'] ?? 0), period?.used_quota ?? 0];
  if (used !== ofBudget) throw new Error(`Users used ${used}, and the budget counted ${ofBudget}`);
}
