// Charges and refunds outside of calls, on periods of budgets.
import { changeOnce, type ChangeOutcome } from './change-once.ts';
import type { LedgerRequest } from './ledger.ts';

interface BudgetChange extends Pick<LedgerRequest, 'id' | 'ref' | 'kind'> {
  /** Quota; negative for a charge, which may exceed what is left. */
  amount: number;
}

/** Applies the change once per reference. `refused`: the period does not exist any more. @throws {DatabaseUnavailable} */
export async function changeBudget(
  context: Parameters<typeof changeOnce>[0],
  { amount, ...request }: BudgetChange,
): Promise<ChangeOutcome['state']> {
  const change = { ...request, account: 'budget' as const, actorId: 0, amount, unused: amount, isBounded: false };
  return (await changeOnce(context, change)).state;
}
