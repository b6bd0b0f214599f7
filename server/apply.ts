// `npm run apply -- FILE…`, `npm run export -- FILE`: settings as code. Exits 0 if there is nothing to do or all is done, 2 if a dry run finds differences,
// 1 on an error.
import { appendFileSync, closeSync, fsyncSync, openSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { z } from 'zod';
import { DocumentProblem, longestDocument } from '#shared/as-code.ts';
import { AppError } from '#shared/errors.ts';
import { Role } from '#shared/roles.ts';
import { actingAsJob } from '#server/audit-log/actor.ts';
import { recordAudit } from '#server/audit-log/entries.ts';
import type { AppContext } from '#server/context.ts';
import { createContext } from '#server/create-context.ts';
import { readEnv } from '#server/env.ts';
import { openStore } from '#server/serve.ts';
import { applyDocument, type ApplyRequest, planDocument } from '#server/slices/as-code/apply-document.ts';
import { documentSchema } from '#server/slices/as-code/document.ts';
import { exportDocument } from '#server/slices/as-code/export-document.ts';
import { planText, problemText } from '#server/slices/as-code/print-plan.ts';
import { type DocumentFile, readDocument } from '#server/slices/as-code/read-document.ts';
import type { ReferenceSource } from '#server/slices/as-code/references.ts';
import { releaseFiles } from '#server/slices/as-code/release.ts';

const usage = `npm run apply -- FILE… [options]      apply files of settings, groups, prices, channels and tokens
npm run export -- FILE                write the current configuration to such a file; - for the standard output

FILE is YAML or JSON, or a folder with such files. DATABASE_URL names the database; servers may run meanwhile.

  --dry-run          show what would change, and write nothing; exits 2 if something would
  --prune            delete objects that these files managed before and no longer describe
  --name NAME        name of the set of files (default: name in the files, else that of the file or folder)
  --keys-out FILE    append keys generated for new tokens, as JSON lines; readable by its owner only
  --release NAME     release the objects of this set of files to the console
  --tokens USERS     export: the tokens of these users too, with commas between them
  --schema           print the JSON Schema of such files
  --json             write plan, result and errors as JSON
`;

/** Bytes of a file that a reference names. */
const longestSecret = 1_000_000;

const { values, positionals } = readArguments();
/** Of the database, where the super admin is not needed to be set up yet. */
const actor = { id: 0, role: Role.root, username: 'apply' };
const isShown = values.help || (positionals.length === 0 && values.release === undefined && !values.schema);

try {
  process.exitCode = isShown ? help() : values.schema ? printSchema() : await main();
} catch (failure) {
  report(failure);
  process.exitCode = 1;
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        'dry-run': { type: 'boolean', default: false },
        prune: { type: 'boolean', default: false },
        name: { type: 'string' },
        'keys-out': { type: 'string' },
        release: { type: 'string' },
        tokens: { type: 'string' },
        export: { type: 'boolean', default: false },
        schema: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (failure) {
    process.stderr.write(`${failure instanceof Error ? failure.message : String(failure)}\n${usage}`);
    process.exit(1);
  }
}

function help(): number {
  process.stdout.write(usage);
  return values.help ? 0 : 1;
}

function printSchema(): number {
  process.stdout.write(`${JSON.stringify(documentSchema(), null, 2)}\n`);
  return 0;
}

async function main(): Promise<number> {
  // Before the database is opened: a wrong name of a file needs none.
  const request = values.export || values.release !== undefined ? undefined : readRequest();
  const env = readEnv();
  const { db, masterKey } = await openStore(env);
  const context = await createContext({ env, db, masterKey, log: pino({ level: 'silent' }) });
  try {
    return await actingAsJob('apply', () => (request === undefined ? withoutFiles(context) : apply(context, request)));
  } finally {
    await context.close();
  }
}

async function withoutFiles(context: AppContext): Promise<number> {
  const { release: by } = values;
  if (by === undefined) return exportTo(context, positionals[0] ?? '-');
  const count = await releaseFiles(context, { by, actorId: actor.id });
  if (count > 0) await recordAudit(context, { kind: 'file', action: 'released', name: by });
  write({ released: count }, count === 0 ? `Nothing is managed by ${by}\n` : `${by}: ${count} objects released\n`);
  return count === 0 ? 1 : 0;
}

async function apply(context: AppContext, request: ApplyRequest): Promise<number> {
  if (values['dry-run']) {
    const plan = await planDocument(context, request);
    write(plan, planText(plan));
    return plan.changes.length === 0 ? 0 : 2;
  }
  const { keys, ...plan } = await applyDocument(context, request, { onKey: storeKey });
  if (plan.changes.length > 0) await recordAudit(context, { kind: 'file', action: 'applied', name: plan.name });
  const outputs = values['keys-out'] === undefined ? 'their owners see them in the console' : `written to ${values['keys-out']}`;
  // Keys are in no log of a pipeline.
  write(plan, `${planText(plan)}${keys.length === 0 ? '' : `${keys.length} keys were generated: ${outputs}\n`}Applied.\n`);
  return 0;
}

async function exportTo(context: AppContext, file: string): Promise<number> {
  const { text, references } = await exportDocument(context, { tokensOf: values.tokens?.split(',').map((name) => name.trim()) ?? [] });
  if (file === '-') process.stdout.write(text);
  else writeFileSync(file, text, { mode: 0o600 });
  process.stderr.write(`${references.length} references: ${references.join(' ')}\n`);
  return 0;
}

async function storeKey(key: { user: string; name: string; key: string }): Promise<void> {
  const file = values['keys-out'];
  if (file === undefined) return;
  const handle = openSync(file, 'a', 0o600);
  try {
    appendFileSync(handle, `${JSON.stringify(key)}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function readRequest(): ApplyRequest {
  const files = positionals.flatMap(readFiles);
  const folders = new Map(files.map((file) => [file.name, file.folder]));
  const source: ReferenceSource = {
    value: (reference) => process.env[reference],
    file: (reference, document) => readSecret(path.resolve(folders.get(document) ?? '.', reference)),
  };
  const [only, second] = positionals.map((given) => path.basename(path.resolve(given)));
  return {
    actor,
    language: 'en',
    files,
    read: (given) => readDocument(given, source),
    name: values.name,
    usualName: second === undefined ? only : undefined,
    prunes: values.prune,
  };
}

interface ReadFile extends DocumentFile {
  /** Against which references to files are resolved. */
  folder: string;
}

function readFiles(given: string): ReadFile[] {
  if (!statSync(given).isDirectory()) return [readOne(given, path.basename(given))];
  const names = readdirSync(given, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ya?ml|json)$/i.test(name) && !name.split(path.sep).some((part) => part.startsWith('.')))
    .toSorted();
  if (names.length === 0) throw new Error(`${given}: there is no file of YAML or JSON`);
  const base = path.basename(path.resolve(given));
  return names.map((name) => readOne(path.join(given, name), [base, ...name.split(path.sep)].join('/')));
}

function readOne(file: string, name: string): ReadFile {
  const { size } = statSync(file);
  if (size > longestDocument * 4) throw new Error(`${file} is too large`);
  return { name, text: readFileSync(file, 'utf8').replace(/^\uFEFF/, ''), folder: path.dirname(realpathSync(file)) };
}

function readSecret(file: string): string {
  if (!statSync(file).isFile() || statSync(file).size > longestSecret) throw new Error('no secret');
  return readFileSync(file, 'utf8');
}

function write(value: unknown, text: string): void {
  process.stdout.write(values.json ? `${JSON.stringify(value, null, 2)}\n` : text);
}

function report(failure: unknown): void {
  const message = failure instanceof Error ? failure.message : String(failure);
  const problems = failure instanceof AppError ? problemsOf(failure.data) : [];
  if (values.json) {
    process.stdout.write(
      `${JSON.stringify({ error: failure instanceof AppError ? failure.code : 'failed', message, problems }, null, 2)}\n`,
    );
    return;
  }
  for (const problem of problems) process.stderr.write(`${problemText(problem)}\n`);
  process.stderr.write(problems.length > 0 ? 'Nothing was changed.\n' : `${message}\n`);
}

function problemsOf(data: unknown): DocumentProblem[] {
  const found = typeof data === 'object' && data !== null && 'problems' in data ? data.problems : [];
  const parsed = z.array(DocumentProblem).safeParse(found);
  return parsed.success ? parsed.data : [];
}
