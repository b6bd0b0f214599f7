// `npm run audit`: proves the books of the configured database. Exits 1 when one does not balance, 2 when it could not look.
import { pino } from 'pino';
import { openDatabase } from '#server/db/open.ts';
import { readEnv } from '#server/env.ts';
import { audit } from '#server/money/audit.ts';
import { createFailureDetector } from '#server/money/recovery/failure-detector.ts';
import { recoverCrashed } from '#server/money/recovery/crash-recovery.ts';
import { finishOrphanEntries, removeOrphanRows, returnOrphanLeases } from '#server/money/recovery/orphans.ts';

try {
  const env = readEnv();
  const db = await openDatabase(env.DATABASE_URL);
  try {
    const log = pino({ level: 'silent' });
    await recoverCrashed({ db, log, now: Date.now, detector: createFailureDetector() });
    const orphans = { db, log, now: Date.now };
    await finishOrphanEntries(orphans);
    await removeOrphanRows(orphans);
    await returnOrphanLeases(orphans);
    const report = await audit(db);
    for (const finding of report.findings) {
      process.stdout.write(
        `${finding.account} ${finding.id}: credits ${finding.credits} − spends ${finding.spends} ≠ balance ${finding.balance}` +
          ` (difference ${finding.difference}, used quota off by ${finding.usedDifference}, held by processes that are gone ${finding.orphaned})\n`,
      );
    }
    process.stdout.write(
      `${report.users} users, ${report.tokens} tokens: ${report.findings.length === 0 ? 'every book balances' : `${report.findings.length} books do not balance`}\n`,
    );
    process.exitCode = report.findings.length === 0 ? 0 : 1;
  } finally {
    await db.close();
  }
} catch (failure) {
  process.stderr.write(`The audit could not be made: ${failure instanceof Error ? failure.message : String(failure)}\n`);
  process.exitCode = 2;
}
