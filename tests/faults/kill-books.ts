// Compares responses before and between kills with the bills.
import type { RunningContext } from '#server/create-context.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import { leasedOf } from '#server/money/account.ts';
import type { AnsweredCall, KillLoad } from '#tests/faults/kill-load.ts';

export interface SeenRun {
  answers: readonly AnsweredCall[];
  loads: readonly KillLoad[];
  /** Quota edits that were confirmed. */
  edits: number;
}

/** Adds discrepancies to `problems`. @returns rows that were charged and whose response was lost */
export async function reconcile(context: RunningContext, { answers, loads, edits }: SeenRun, problems: string[]): Promise<number> {
  const { db } = context;
  const rows = new Map<string, LogRecord[]>();
  for await (const row of db.collection('logs').each({ process: { exists: true } })) {
    const known = rows.get(row.request_id ?? '');
    if (known === undefined) rows.set(row.request_id ?? '', [row]);
    else known.push(row);
  }
  for (const [requestId, { length }] of rows) if (length > 1) problems.push(`the call ${requestId} has ${length} rows`);
  for (const load of loads) await load.check(context, rows);
  for (const call of answers) {
    const problem = judge(call, rows.get(call.requestId) ?? []);
    if (problem !== null) problems.push(problem);
    rows.delete(call.requestId);
  }
  for (const kind of ['users', 'tokens'] as const) {
    for await (const record of db.collection(kind).each({})) {
      if (leasedOf(record) !== 0) problems.push(`${kind} ${record.id} still has leases: ${JSON.stringify(record.leases)}`);
    }
  }
  const confirmed = await db.collection('ledger').count({ kind: 'edit', state: 'done' });
  if (confirmed < edits) problems.push(`${edits} quota edits were confirmed and ${confirmed} are in the books`);
  const open = await db.collection('ledger').count({ state: 'open' });
  if (open > 0) problems.push(`${open} ledger entries are still open`);
  return [...rows.values()].flat().filter((row) => row.quota > 0).length;
}

function judge({ requestId, reported }: AnsweredCall, billed: readonly LogRecord[]): string | null {
  const [row] = billed;
  if (row === undefined || billed.length !== 1) return `the answered call ${requestId} has ${billed.length} rows`;
  const isAsReported =
    reported === undefined || (row.prompt_tokens === reported.promptTokens && row.completion_tokens === reported.completionTokens);
  if (isAsReported && row.quota > 0) return null;
  const used = reported === undefined ? 'something' : `${reported.promptTokens} + ${reported.completionTokens}`;
  return `the call ${requestId} used ${used} and was billed ${row.prompt_tokens} + ${row.completion_tokens} for ${row.quota}`;
}
