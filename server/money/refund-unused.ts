// What was taken ahead for work at a provider and not used goes back, once; what was used beyond is taken. Trying again is harmless: the
// ledger's entries have names that the work gives them.
import type { AccountKind } from './account.ts';
import { changeOnce } from './change-once.ts';
import type { ChangeOutcome } from './change-once.ts';

export interface PaidAhead {
  user_id: number;
  token_id: number;
  /** How much of it was taken from the token, too. */
  token_reserved: number;
}

/**
 * False: the account is gone, holds all that it can, or cannot pay for what was used beyond. Null: that is not known.
 * @param rest negative: what was used beyond
 * @param refOf the name of the entry of that account
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
  // A token that is gone, or has no more, keeps nobody from the money.
  const isLimited = paid.token_reserved > 0;
  const ofToken = await change('token', paid.token_id, rest > 0 ? Math.min(rest, paid.token_reserved) : isLimited ? rest : 0);
  return ofToken === 'open' ? null : true;
}
