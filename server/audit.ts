// `npm run audit`: proves the books of the configured database. Exits 1 when one does not balance, 2 when it could not look.
import { readEnv } from '#server/env.ts';
import { auditBooks, auditSummary, findingLine } from '#server/transfer/audit-books.ts';

try {
  const report = await auditBooks(readEnv().DATABASE_URL);
  for (const finding of report.findings) process.stdout.write(`${findingLine(finding)}\n`);
  process.stdout.write(`${auditSummary(report)}\n`);
  process.exitCode = report.findings.length === 0 ? 0 : 1;
} catch (failure) {
  process.stderr.write(`The audit could not be made: ${failure instanceof Error ? failure.message : String(failure)}\n`);
  process.exitCode = 2;
}
