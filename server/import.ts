// `npm run import -- --from …`: imports from one-api, new-api and LiteLLM. Exits 1 if the import was refused or is not proved, 2 if it could not be made.
import { readFileSync } from 'node:fs';
import { parseArgs, parseEnv } from 'node:util';
import { pino } from 'pino';
import { importConflictChoices, ImportOptions } from '#shared/imports.ts';
import { createContext } from '#server/create-context.ts';
import { readEnv } from '#server/env.ts';
import { openStore } from '#server/serve.ts';
import { openProgram } from '#server/slices/imports/open-program.ts';
import { dryRunText, progressText, proofText, reportText } from '#server/slices/imports/print-report.ts';
import { checkConflicts, ImportConflicts, runImport } from '#server/slices/imports/run-import.ts';
import { runCommand } from '#server/slices/imports/runs/run-command.ts';

const usage = `npm run import -- --from SOURCE [options]

SOURCE is an SQLite file, mysql://…, postgres://…, or the text of SQL_DSN. It is only read. From LiteLLM: its PostgreSQL address, --config, or
both. DATABASE_URL names the database that is imported into.

  --config FILE         config.yaml of LiteLLM
  --env-file FILE       environment of LiteLLM: keys of its deployments, LITELLM_SALT_KEY
  --dry-run             report what would be imported, and write nothing
  --log-days N          import the rows of the log of the last N days (default 0: none)
  --conflicts CHOICE    refuse (default), leave or rename: what becomes of names, keys and codes that are taken here
  --replace-settings    replace settings that have another value here
  --without-settings    leave settings, prices and groups as they are
  --without-backup      write without a backup of what is here, which is the way back
  --json                write report and proof as JSON
`;

let values: ReturnType<typeof readArguments>;

try {
  values = readArguments();
  process.exitCode = values.help || (values.from === undefined && values.config === undefined) ? help() : await main();
} catch (failure) {
  const text = failure instanceof Error ? failure.message : String(failure);
  process.stderr.write(`The import could not be made: ${text}\n`);
  process.exitCode = failure instanceof ImportConflicts ? 1 : 2;
}

/** @throws {TypeError} for options that do not exist */
function readArguments() {
  return parseArgs({
    options: {
      from: { type: 'string' },
      config: { type: 'string' },
      'env-file': { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
      'log-days': { type: 'string', default: '0' },
      conflicts: { type: 'string', default: 'refuse' },
      'replace-settings': { type: 'boolean', default: false },
      'without-settings': { type: 'boolean', default: false },
      'without-backup': { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  }).values;
}

function help(): number {
  process.stdout.write(usage);
  return values.help ? 0 : 2;
}

async function main(): Promise<number> {
  const options = readOptions();
  const env = readEnv();
  const { db, masterKey } = await openStore(env);
  const context = await createContext({ env, db, masterKey, log: pino({ level: 'silent' }) });
  try {
    const { program, close } = await openProgram(
      { from: values.from, config: values.config, environment: readEnvironment() },
      { now: Math.floor(context.now() / 1000), secrets: context.secrets, quotaPerUnit: context.settings.get('QuotaPerUnit') },
    );
    try {
      const plan = await runImport(context, { program, options, isDry: true });
      if (values['dry-run']) {
        write(plan, `${reportText(plan)}\n${dryRunText(plan, options)}`);
        return plan.notes.some(({ effect }) => effect === 'conflict') ? 1 : 0;
      }
      checkConflicts(plan);
      const { report, proof, backup } = await runCommand(context, { program, options, plan, onProgress: showProgress, signal: stopping() });
      if (process.stderr.isTTY) process.stderr.write('\n');
      if (backup !== undefined)
        process.stderr.write(
          `The backup from before the import: ${backup}\nTo undo it, stop the servers and run: npm run restore -- ${backup}\n`,
        );
      write({ report, proof }, `${reportText(report)}\n${proofText(proof)}`);
      return proof.is_complete ? 0 : 1;
    } finally {
      await close();
    }
  } finally {
    await context.close();
  }
}

/** Ctrl-C ends the import after the current page; the same command continues it. */
function stopping(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  return stop.signal;
}

/** The process's own environment, under that of the file. */
function readEnvironment(): Record<string, string | undefined> {
  const file = values['env-file'];
  return { ...process.env, ...(file === undefined ? {} : parseEnv(readFileSync(file, 'utf8'))) };
}

function readOptions(): ImportOptions {
  const conflicts = importConflictChoices.find((choice) => choice === values.conflicts);
  const days = Number(values['log-days']);
  if (conflicts === undefined) throw new Error(`--conflicts is one of ${importConflictChoices.join(', ')}`);
  const parsed = ImportOptions.safeParse({
    conflicts,
    log_days: days,
    replaces_settings: values['replace-settings'],
    without_settings: values['without-settings'],
    without_backup: values['without-backup'],
  });
  if (!parsed.success) throw new Error('--log-days is a whole number of days');
  return parsed.data;
}

function write(value: unknown, text: string): void {
  process.stdout.write(values.json ? `${JSON.stringify(value, null, 2)}\n` : text);
}

let shownAt = 0;

function showProgress(progress: Parameters<typeof progressText>[0]): void {
  const now = performance.now();
  if (!process.stderr.isTTY || (now - shownAt < 500 && progress.done < progress.total)) return;
  shownAt = now;
  process.stderr.write(`\r\u001B[K${progressText(progress)}`);
}
