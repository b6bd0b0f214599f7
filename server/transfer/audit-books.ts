// Audits a database that no server uses: settles the books of processes that have ended, then proves every account.
import { type Logger, pino } from 'pino';
import type { Database } from '#server/db/database.ts';
import { openDatabase } from '#server/db/open.ts';
import { audit, type AuditFinding, type AuditReport } from '#server/money/audit.ts';
import { recoverCrashed } from '#server/money/recovery/crash-recovery.ts';
import { createFailureDetector } from '#server/money/recovery/failure-detector.ts';
import { finishOrphanEntries, removeOrphanRows, returnOrphanLeases } from '#server/money/recovery/orphans.ts';

/** @param url as DATABASE_URL */
export async function auditBooks(url: string): Promise<AuditReport> {
  const db = await openDatabase(url);
  try {
    return await settleAndAudit(db);
  } finally {
    await db.close();
  }
}

export async function settleAndAudit(db: Database, log: Logger = pino({ level: 'silent' })): Promise<AuditReport> {
  await recoverCrashed({ db, log, now: Date.now, detector: createFailureDetector() });
  const orphans = { db, log, now: Date.now };
  await finishOrphanEntries(orphans);
  await removeOrphanRows(orphans);
  await returnOrphanLeases(orphans);
  return audit(db);
}

export function findingLine(finding: AuditFinding): string {
  return (
    `${finding.account} ${finding.id}: credits ${finding.credits} − spends ${finding.spends} ≠ balance ${finding.balance}` +
    ` (difference ${finding.difference}, used quota off by ${finding.usedDifference}, held by processes that are gone ${finding.orphaned})`
  );
}

export function auditSummary(report: AuditReport): string {
  const books = report.findings.length === 0 ? 'every book balances' : `${report.findings.length} books do not balance`;
  return `${report.users} users, ${report.tokens} tokens: ${books}`;
}
