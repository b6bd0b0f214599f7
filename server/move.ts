// `npm run move -- FROM TO`: moves all records between databases. Exits 1 if the result is not proven, 2 if it was refused.
import { parseArgs } from 'node:util';
import { parseDatabaseUrl } from '#server/db/database-url.ts';
import { auditSummary, findingLine } from '#server/transfer/audit-books.ts';
import { keyAdvice } from '#server/transfer/key-advice.ts';
import { moveDatabase, type MoveResult } from '#server/transfer/move-database.ts';
import { createProgressLine, grouped } from '#server/transfer/progress.ts';

const usage = `npm run move -- FROM TO [--restart]

Copies all records of one database into another, empty one, and verifies each. FROM and TO are written as DATABASE_URL:
file:./data/tidegate.db, mongodb://host/name. Stop all servers first. An interrupted move is resumed by the same command;
--restart drops its rows and begins again. The source is not changed.
`;

const stop = new AbortController();
process.once('SIGINT', () => stop.abort(new Error('Stopped; the same command resumes it')));
const progress = createProgressLine(process.stdout);
try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { restart: { type: 'boolean' }, help: { type: 'boolean' } },
  });
  const [from, to] = positionals;
  if (values.help === true || from === undefined || to === undefined || positionals.length > 2) {
    process.stdout.write(usage);
    process.exitCode = values.help === true ? 0 : 2;
  } else {
    const isRestarted = values.restart === true;
    const result = await moveDatabase({ from, to, isRestarted, onProgress: progress.report, signal: stop.signal });
    progress.end();
    report(result, { from, to });
  }
} catch (failure) {
  progress.end();
  process.stderr.write(`The move has not ended. ${failure instanceof Error ? failure.message : String(failure)}\n`);
  process.exitCode = 2;
}

function report({ comparison, audit }: MoveResult, { from, to }: { from: string; to: string }): void {
  for (const { name, digest } of comparison.digests) {
    const sums = Object.entries(digest.sums).map(([field, sum]) => `${field} ${grouped(Number(sum))}`);
    process.stdout.write(`${name.padEnd(20)} ${grouped(digest.rows).padStart(13)}  ${digest.hash.slice(0, 16)}  ${sums.join(', ')}\n`);
  }
  if (audit === undefined) {
    for (const line of comparison.differences) process.stdout.write(`${line}\n`);
    process.stdout.write(`${grouped(comparison.count)} differences: the target is not usable; run the move again with --restart\n`);
    process.exitCode = 1;
    return;
  }
  for (const finding of audit.findings) process.stdout.write(`${findingLine(finding)}\n`);
  process.stdout.write(`All rows are equal. ${auditSummary(audit)}\n${keyAdvice(parseDatabaseUrl(from), parseDatabaseUrl(to))}\n`);
  process.exitCode = audit.findings.length === 0 ? 0 : 1;
}
