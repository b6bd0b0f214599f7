// Balances that people set or grant leave an entry in the audit log. Charges, top-ups and bonuses are in the books alone.
import type { AuditChange } from '#server/db/records/audit-entry.ts';
import { type AuditContext, recordingAudit } from '#server/audit-log/entries.ts';
import type { BalanceTarget, Ledger, LedgerChange, LedgerRequest, LedgerResult } from '#server/money/ledger.ts';

/** Kinds of ledger entries by which a person decides about a balance. */
const recordedKinds: ReadonlySet<string> = new Set(['edit', 'token_edit', 'opening']);

/** Makes the ledger record such changes; everything else of it stays as it is, so that relayed calls pay nothing. */
export function recordBalances(ledger: Ledger, context: AuditContext): void {
  const { change, setBalance } = ledger;
  ledger.change = (request) => recording(context, request, { amount: request.amount }, () => change(request));
  ledger.setBalance = (request) => recording(context, request, { balance: request.balance }, () => setBalance(request));
}

/** The intended amount or balance stands until the result is known. */
async function recording(
  context: AuditContext,
  { account, id, kind, ref, reason }: LedgerRequest,
  intended: Pick<LedgerChange, 'amount'> | Pick<BalanceTarget, 'balance'>,
  work: () => Promise<LedgerResult>,
): Promise<LedgerResult> {
  if (!recordedKinds.has(kind) || account === 'budget') return work();
  const { name, rank } = await accountOf(context, account, id);
  const changes: AuditChange[] = [
    'amount' in intended ? { field: 'quota_change', after: intended.amount } : { field: 'quota', after: intended.balance },
  ];
  return recordingAudit(
    context,
    {
      input: { kind: account, action: 'balance_changed', id, name, rank, reason, changes },
      target: { ledger_ref: ref },
      finish: ({ isNew, amount, balance }) =>
        isNew && amount !== 0 ? { changes: [{ field: 'quota', before: balance - amount, after: balance }] } : null,
    },
    work,
  );
}

async function accountOf({ db }: AuditContext, account: 'user' | 'token', id: number): Promise<{ name: string; rank: number }> {
  if (account === 'token') return { name: (await db.collection('tokens').get(id))?.name ?? '', rank: 0 };
  const user = await db.collection('users').get(id);
  return { name: user?.username ?? '', rank: user?.role ?? 0 };
}
