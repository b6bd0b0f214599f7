// `npm run restore -- FILE`: replaces the configured database by a backup. Exits 1 if its books do not balance, 2 if it was refused.
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { readEnv } from '#server/env.ts';
import { auditSummary, findingLine } from '#server/transfer/audit-books.ts';
import { createProgressLine, grouped } from '#server/transfer/progress.ts';
import { InterruptedReplacement } from '#server/transfer/refusal.ts';
import { readSealedKey, restoreDatabase, type RestoreResult } from '#server/transfer/restore-database.ts';

const usage = `npm run restore -- FILE [--check] [--passphrase-file FILE] [--print-key]

Reads the whole backup, restores it next to the database that DATABASE_URL names, audits its books, and replaces the
database by it; the replaced one is retained under another name. Stop all servers first. Backups of both engines are
restored to both.

--check             reads and verifies only; changes nothing
--passphrase-file   file whose first line opens the master key in the backup
--print-key         prints that key, for SESSION_SECRET, and does nothing else
`;

const progress = createProgressLine(process.stdout);
try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      check: { type: 'boolean' },
      'passphrase-file': { type: 'string' },
      'print-key': { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  const [file] = positionals;
  const passphrase = values['passphrase-file'] === undefined ? undefined : await firstLine(values['passphrase-file']);
  if (values.help === true || file === undefined || positionals.length > 1) {
    process.stdout.write(usage);
    process.exitCode = values.help === true ? 0 : 2;
  } else if (values['print-key'] === true) {
    process.stdout.write(`${await readSealedKey(file, passphrase ?? '')}\n`);
  } else {
    const { DATABASE_URL: to, SESSION_SECRET: sessionSecret } = readEnv();
    const result = await restoreDatabase({
      file,
      to,
      sessionSecret,
      passphrase,
      isCheck: values.check === true,
      onProgress: progress.report,
    });
    progress.end();
    report(result);
  }
} catch (failure) {
  progress.end();
  const message = failure instanceof Error ? failure.message : String(failure);
  process.stderr.write(failure instanceof InterruptedReplacement ? `${message}\n` : `Nothing was replaced. ${message}\n`);
  process.exitCode = 2;
}

function report({ header, skipped, audit, rebuilt, replaced, keyFile }: RestoreResult): void {
  const rows = Object.values(header.counts).reduce((sum, count) => sum + count, 0);
  process.stdout.write(`Backup of ${header.made_at}, Tidegate ${header.program}, ${header.engine}: about ${grouped(rows)} rows\n`);
  for (const { name, rows: lost } of skipped)
    process.stdout.write(`Not restored: ${grouped(lost)} records of ${name}, which this version of Tidegate does not have.\n`);
  if (audit === undefined) {
    process.stdout.write('It is whole, and its master key is at hand. Nothing was changed.\n');
    return;
  }
  for (const finding of audit.findings) process.stdout.write(`${findingLine(finding)}\n`);
  process.stdout.write(`${auditSummary(audit)}\n`);
  if (rebuilt !== undefined && rebuilt > 0) process.stdout.write(`${grouped(rebuilt)} balances were computed from the books.\n`);
  if (audit.findings.length > 0) {
    process.stdout.write('The database was not replaced.\n');
    process.exitCode = 1;
    return;
  }
  if (keyFile !== undefined) process.stdout.write(`The master key was written to ${keyFile.file}.\n`);
  process.stdout.write(replaced == null ? 'Restored.\n' : `Restored. The replaced database is ${replaced}; delete it once all is well.\n`);
}

async function firstLine(file: string): Promise<string> {
  return (await readFile(file, 'utf8')).split(/\r?\n/)[0] ?? '';
}
