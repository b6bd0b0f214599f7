// Refunds the unused part of a prepayment exactly once, or charges usage beyond it. Retries are harmless: ledger entries
// have references derived from the work.
import type { AccountKind } from './account.ts';
import { changeOnce, type ChangeOutcome } from './change-once.ts';

export interface PaidAhead {
  user_id: number;
  token_id: number;
  /** Part of the prepayment that a limited token paid too; 0 for others. */
  token_reserved: number;
}

/**
 * Returns false if the account does not exist, is at its maximum, or cannot pay for the excess; null if the outcome is
 * unknown.
 * @param rest negative for usage beyond the prepayment
 * @param refOf reference of the account's ledger entry
 */
export async function refundUnused(
  context: Parameters<typeof changeOnce>[0],
  paid: PaidAhead,
  { rest, kind, refOf }: { rest: number; kind: string; refOf(account: AccountKind): string },
): Promise<boolean | null> {
  const change = async (account: AccountKind, id: number, amount: number): Promise<ChangeOutcome['state']> =>
    (await changeOnce(context, { account, id, amount, unused: rest, ref: refOf(account), kind, actorId: 0 })).state;
  const ofUser = await change('user', paid.user_id, rest);
  if (ofUser !== 'done') return ofUser === 'open' ? null : false;
  if (paid.token_id === 0) return true;
  // A deleted or exhausted token does not block the change of the user's balance.
  const isLimited = paid.token_reserved > 0;
  const ofToken = await change('token', paid.token_id, rest > 0 ? Math.min(rest, paid.token_reserved) : isLimited ? rest : 0);
  return ofToken === 'open' ? null : true;
}
