// `npm run backup`: makes a backup of the configured database, also while servers run.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { createChangeFeed } from '#server/db/change-feed.ts';
import { openDatabase } from '#server/db/open.ts';
import { readSchemaVersion } from '#server/db/schema-version.ts';
import { readEnv } from '#server/env.ts';
import { checkMasterKey, findMasterKey } from '#server/secrets/master-key.ts';
import { createRandomText } from '#server/secrets/random-text.ts';
import { createSecrets } from '#server/secrets/secrets.ts';
import { createSettings } from '#server/settings/settings.ts';
import { createProgressLine, grouped } from '#server/transfer/progress.ts';
import { TransferRefusal } from '#server/transfer/refusal.ts';
import { runBackup } from '#server/transfer/run-backup.ts';

const usage = `npm run backup -- [--to FOLDER] [--passphrase-file FILE]

Writes all records of the database that DATABASE_URL names into one compressed file, while servers run. Without --to the
place is that of the settings (Backups in the console): BACKUP_DIR, or an S3 bucket. The file contains the master key only
sealed by a passphrase: that of the first line of FILE, or of the settings.
`;

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
process.once('SIGTERM', () => stop.abort());
const progress = createProgressLine(process.stdout);
try {
  const { values } = parseArgs({ options: { to: { type: 'string' }, 'passphrase-file': { type: 'string' }, help: { type: 'boolean' } } });
  if (values.help === true) process.stdout.write(usage);
  else await back(values.to, values['passphrase-file']);
} catch (failure) {
  progress.end();
  process.stderr.write(`There is no backup. ${failure instanceof Error ? failure.message : String(failure)}\n`);
  process.exitCode = 2;
}

async function back(folder: string | undefined, passphraseFile: string | undefined): Promise<void> {
  const env = readEnv();
  const passphrase = passphraseFile === undefined ? undefined : await readPassphrase(passphraseFile);
  const masterKey = await findMasterKey(env);
  if (masterKey === null) throw new TransferRefusal('The database has no key file and SESSION_SECRET is not set');
  const log = pino({ level: 'silent' });
  const db = await openDatabase(env.DATABASE_URL, { hasSchema: true });
  try {
    await readSchemaVersion(db);
    await checkMasterKey(db, masterKey);
    const secrets = createSecrets(masterKey);
    const settings = createSettings({ db, changes: createChangeFeed({ db }), secrets, log });
    await settings.reload();
    const context = { db, env, settings, secrets, log, now: Date.now, randomText: createRandomText() };
    const names = { rows: 'Writing rows', upload: 'Uploading bytes' };
    const { ended } = await runBackup(context, {
      trigger: 'command',
      userId: 0,
      ...(folder === undefined ? {} : { folder: path.resolve(folder) }),
      ...(passphrase === undefined ? {} : { passphrase }),
      onProgress: (step, done, all) => progress.report({ step: names[step], done, all }),
      signal: stop.signal,
    });
    const record = await ended;
    progress.end();
    if (record.state !== 'done') throw new TransferRefusal(`${record.error?.code ?? 'other'}: ${record.error?.text ?? ''}`);
    process.stdout.write(
      `${record.where}/${record.name}: ${grouped(record.rows ?? 0)} rows, ${grouped(record.bytes ?? 0)} bytes\n` +
        `${record.has_key ? 'The master key is in it, sealed by the passphrase.' : 'The master key is not in it: store the key file or SESSION_SECRET apart.'}\n`,
    );
    if (record.is_snapshot === false)
      process.stdout.write('This MongoDB has no snapshots: a restore computes the balances from the books.\n');
  } finally {
    await db.close();
  }
}

async function readPassphrase(file: string): Promise<string> {
  const [line = ''] = (await readFile(file, 'utf8')).split(/\r?\n/);
  if (line.length < 8) throw new TransferRefusal('A passphrase has at least 8 characters');
  return line;
}
