// Refunds the unused part of a prepayment exactly once, or charges usage beyond it. Retries are harmless: ledger entries
// have references derived from the work.
import { idsIn } from './account.ts';
import { changeBudget } from './change-budget.ts';
import { changeOnce, type ChangeOutcome } from './change-once.ts';

export interface PaidAhead {
  user_id: number;
  token_id: number;
  /** Part of the prepayment that a limited token paid too; 0 for others. */
  token_reserved: number;
  /** Budget periods that it was charged to, as in a log row; undefined or empty for none. */
  budgets?: string;
}

interface Refund {
  /** Negative for usage beyond the prepayment. */
  rest: number;
  kind: string;
  /** Reference of the account's ledger entry. */
  refOf(account: 'user' | 'token' | `budget:${number}`): string;
}

/**
 * Returns false if the account does not exist, is at its maximum, or cannot pay for the excess; null if the outcome is
 * unknown.
 */
export async function refundUnused(
  context: Parameters<typeof changeOnce>[0],
  paid: PaidAhead,
  { rest, kind, refOf }: Refund,
): Promise<boolean | null> {
  const change = async (account: 'user' | 'token', id: number, amount: number): Promise<ChangeOutcome['state']> =>
    (await changeOnce(context, { account, id, amount, unused: rest, ref: refOf(account), kind, actorId: 0 })).state;
  const ofUser = await change('user', paid.user_id, rest);
  if (ofUser !== 'done') return ofUser === 'open' ? null : false;
  for (const id of idsIn(paid.budgets)) {
    if ((await changeBudget(context, { id, amount: rest, ref: refOf(`budget:${id}`), kind })) === 'open') return null;
  }
  if (paid.token_id === 0) return true;
  // A deleted or exhausted token does not block the change of the user's balance.
  const isLimited = paid.token_reserved > 0;
  const ofToken = await change('token', paid.token_id, rest > 0 ? Math.min(rest, paid.token_reserved) : isLimited ? rest : 0);
  return ofToken === 'open' ? null : true;
}
