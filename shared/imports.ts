// Import from another gateway: what root starts and what it reports.
import { z } from 'zod/mini';
import { endpoint } from '#shared/contract.ts';

export const importPrograms = ['one-api', 'new-api', 'litellm'] as const;

/** Kinds of rows, in the order of their import. */
export const importKinds = ['setting', 'user', 'token', 'channel', 'code', 'order', 'task', 'log'] as const;
export const ImportKind = z.enum(importKinds);
export type ImportKind = z.infer<typeof ImportKind>;

/** Sums that must be equal afterwards, in quota. */
export const importSums = [
  'user_balance',
  'user_used',
  'token_balance',
  'token_used',
  'channel_used',
  'code_unused',
  'log_charged',
] as const;
export const ImportSum = z.enum(importSums);
export type ImportSum = z.infer<typeof ImportSum>;

/**
 * Treatment of accounts, keys and codes that belong to something else here. `refuse`: nothing is imported. `leave`: they are left out.
 * `rename`: users get another name; keys and codes are left out.
 */
export const importConflictChoices = ['refuse', 'leave', 'rename'] as const;
export const ImportConflicts = z.enum(importConflictChoices);

export const ImportOptions = z.object({
  conflicts: z._default(ImportConflicts, 'refuse'),
  /** Rows of the log that are at most so many days old; 0 for none. */
  log_days: z._default(z.int().check(z.minimum(0), z.maximum(36_500)), 0),
  /** Replaces settings that have another value here. */
  replaces_settings: z._default(z.boolean(), false),
  /** Leaves settings, prices and groups as they are. */
  without_settings: z._default(z.boolean(), false),
  /** Writes without a backup of what is here, which is the way back. */
  without_backup: z._default(z.boolean(), false),
});
export type ImportOptions = z.infer<typeof ImportOptions>;

/** Of the rows in the source, `added`, `joined`, `same` and `left` add up to `source`. */
export const ImportCount = z.object({
  kind: ImportKind,
  source: z.int(),
  /** New records. */
  added: z.int(),
  /** Records here that are changed. */
  changed: z.int(),
  /** Rows that are here already. */
  same: z.int(),
  left: z.int(),
});
export type ImportCount = z.infer<typeof ImportCount>;

/** `source` = `here` + `left`, of rows that are not marked as deleted in the source; `deleted` is of those, which are left out. */
export const ImportMoney = z.object({ name: ImportSum, source: z.int(), here: z.int(), left: z.int(), deleted: z.int() });
export type ImportMoney = z.infer<typeof ImportMoney>;

/** `left`: rows that are left out. `changed`: rows that come in otherwise than they were. `conflict`: reasons to refuse the import. */
export const ImportNote = z.object({
  effect: z.enum(['left', 'changed', 'conflict']),
  kind: z.string(),
  reason: z.string(),
  detail: z.string(),
  /** The detail by language, if it is more than a name or a value. */
  detail_texts: z.optional(z.object({ zh: z.string(), en: z.string() })),
  rows: z.int(),
  quota: z.int(),
  /** The first rows by name. */
  names: z.array(z.string()),
});
export type ImportNote = z.infer<typeof ImportNote>;

export const ImportReport = z.object({
  label: z.string(),
  program: z.enum(importPrograms),
  counts: z.array(ImportCount),
  money: z.array(ImportMoney),
  notes: z.array(ImportNote),
  /** Further kinds of notes that are not listed. */
  more_notes: z.int(),
});
export type ImportReport = z.infer<typeof ImportReport>;

export const ImportProgress = z.object({
  done: z.int(),
  total: z.int(),
  /** Rows a second, lately. */
  rate: z.number(),
  kinds: z.array(z.object({ kind: ImportKind, done: z.int(), total: z.int() })),
});
export type ImportProgress = z.infer<typeof ImportProgress>;

const Compared = z.object({ name: z.string(), source: z.int(), here: z.int(), left: z.int(), is_equal: z.boolean() });

/** Comparison with the source after the import. `source` = `here` + `left` where it is equal. */
export const ImportProof = z.object({
  counts: z.array(Compared),
  sums: z.array(Compared),
  /** Accounts that were audited, and those whose books do not balance. */
  accounts: z.int(),
  unbalanced: z.int(),
  /** Imported accounts with an opening entry in the ledger, and without one. */
  openings: z.int(),
  without_opening: z.int(),
  /** Records that the source's rows point at, and those that are missing. */
  records: z.int(),
  missing: z.int(),
  is_complete: z.boolean(),
  /** Unix seconds. */
  checked_at: z.int(),
  /** SHA-256 of the report and of this comparison. */
  checksum: z.string(),
});
export type ImportProof = z.infer<typeof ImportProof>;

/**
 * `draft`: the source is given, its file may still be arriving. `planning`: the dry run. `planned`: the dry run has ended, nothing is written. `running`:
 * rows are written. `paused`: it continues where it stopped. `done`, `failed`: it has ended, and its source is forgotten.
 */
export const ImportState = z.enum(['draft', 'planning', 'planned', 'running', 'paused', 'done', 'failed']);
export type ImportState = z.infer<typeof ImportState>;

/** Part of a run: a backup, the rows, the comparison with the source. */
export const ImportStep = z.enum(['backup', 'rows', 'proof']);
export type ImportStep = z.infer<typeof ImportStep>;

/**
 * `unreachable`, `unreadable`: the database. `unknown`: of no program that can be imported from. `unsupported`: of one-hub or done-hub. `conflicts`: rows
 * belong to something else here. `backup`: the backup before it. `file_lost`: the uploaded file. `starter_gone`: who started it is no
 * super administrator any more. `crashed`: its process ended again and again. `stopped`:
 * by an administrator.
 */
export const importFailures = [
  'unreachable',
  'unreadable',
  'unknown',
  'unsupported',
  'conflicts',
  'backup',
  'file_lost',
  'starter_gone',
  'crashed',
  'stopped',
  'other',
] as const;
export const ImportFailure = z.enum(importFailures);
export type ImportFailure = z.infer<typeof ImportFailure>;

export const importSourceKinds = ['file', 'address', 'config', 'command'] as const;
export const ImportSourceKind = z.enum(importSourceKinds);
export type ImportSourceKind = z.infer<typeof ImportSourceKind>;

/** An import. Times are unix seconds. */
export const ImportRun = z.object({
  id: z.int(),
  state: ImportState,
  source_kind: ImportSourceKind,
  /** Name of the file, or host and database. */
  source: z.string(),
  /** Program, version and engine; empty before the dry run. */
  label: z.string(),
  /** Name of the user who began it; empty for the command line. */
  by: z.string(),
  created_at: z.int(),
  /** Begin and end of the last dry run or import. */
  started_at: z.int(),
  ended_at: z.int(),
  /** Size of the file, and bytes of it that have arrived. */
  bytes: z.int(),
  received: z.int(),
  options: ImportOptions,
  step: ImportStep,
  progress: z.optional(ImportProgress),
  /** No process works on it: one begins within some seconds, if there is one that has its file. */
  is_waiting: z.boolean(),
  /** It has been paused, and its process finishes the page. */
  is_stopping: z.boolean(),
  error: z.optional(z.object({ code: ImportFailure, text: z.string() })),
  /** Rows may be here: it was started. */
  has_written: z.boolean(),
  /** Backup that was made before. */
  backup_id: z.optional(z.int()),
  /** Records added and changed, and whether the proof is complete. */
  added: z.int(),
  changed: z.int(),
  is_proved: z.optional(z.boolean()),
});
export type ImportRun = z.infer<typeof ImportRun>;

/** An import with its report, which is that of the dry run until it is done. */
export const ImportDetails = z.extend(ImportRun, {
  plan: z.optional(ImportReport),
  report: z.optional(ImportReport),
  proof: z.optional(ImportProof),
  /** Backup that was made before, unless its file has been removed since: its file, and the folder or bucket of it. */
  backup: z.optional(z.object({ name: z.string(), where: z.string() })),
});
export type ImportDetails = z.infer<typeof ImportDetails>;

export const ImportOverview = z.object({
  /** Newest first. */
  imports: z.array(ImportRun),
  /** Size limit of an uploaded file, bytes. */
  most_bytes: z.int(),
  /** Bytes of a part of it. */
  part_bytes: z.int(),
  /** Of the server, unix seconds. */
  at: z.int(),
});
export type ImportOverview = z.infer<typeof ImportOverview>;

const longestAddress = 2_000;
const longestConfig = 500_000;

/** Where rows come from. Values of `config` and `environment` are stored encrypted until the import ends. */
export const ImportSourceInput = z.object({
  /** An uploaded file. */
  file: z.optional(z.object({ name: z.string().check(z.minLength(1), z.maxLength(200)), bytes: z.int().check(z.minimum(1)) })),
  /** `mysql://…`, `postgres://…`, or the text of SQL_DSN. */
  address: z.optional(z.string().check(z.maxLength(longestAddress))),
  /** Text of LiteLLM's config.yaml. */
  config: z.optional(z.string().check(z.maxLength(longestConfig))),
  /** Lines `NAME=value` of LiteLLM's environment. */
  environment: z.optional(z.string().check(z.maxLength(longestConfig))),
  options: ImportOptions,
});
export type ImportSourceInput = z.infer<typeof ImportSourceInput>;

const IdParam = z.object({ id: z.string().check(z.regex(/^\d{1,15}$/)) });

/** Bytes of a part of an uploaded file: small enough for proxies that buffer bodies, large enough for the limit of requests. */
export const importPartBytes = 16 * 1024 * 1024;

export const importApi = {
  list: endpoint('GET', '/api/import/', { access: 'root', reply: ImportOverview, summary: 'Imports from other gateways' }),
  create: endpoint('POST', '/api/import/', {
    access: 'root',
    audit: { kind: 'import', action: 'created', by: 'call' },
    body: ImportSourceInput,
    reply: ImportRun,
    maxBytes: 2 * 1024 * 1024,
    summary: 'Name a source to import from; nothing is read yet',
  }),
  read: endpoint('GET', '/api/import/:id', {
    access: 'root',
    params: IdParam,
    reply: ImportDetails,
    summary: 'An import with its report and its proof',
  }),
  part: endpoint('PUT', '/api/import/:id/part', {
    access: 'root',
    audit: { exempt: 'jobs' },
    params: IdParam,
    query: z.object({ at: z.string().check(z.regex(/^\d{1,15}$/)) }),
    takesBytes: true,
    maxBytes: importPartBytes,
    reply: ImportRun,
    summary: 'The next bytes of the file, from `at`',
  }),
  plan: endpoint('POST', '/api/import/:id/plan', {
    access: 'root',
    audit: { exempt: 'reads' },
    params: IdParam,
    body: ImportOptions,
    reply: ImportRun,
    summary: 'Start the dry run, which writes nothing',
  }),
  start: endpoint('POST', '/api/import/:id/start', {
    access: 'root',
    audit: { kind: 'import', action: 'started', by: 'call', object: 'id' },
    params: IdParam,
    reply: ImportRun,
    summary: 'Write what the dry run reported, or continue a paused import',
  }),
  pause: endpoint('POST', '/api/import/:id/pause', {
    access: 'root',
    audit: { kind: 'import', action: 'stopped', by: 'call', object: 'id' },
    params: IdParam,
    reply: ImportRun,
    summary: 'Pause an import after the rows that are being written',
  }),
  stop: endpoint('POST', '/api/import/:id/stop', {
    access: 'root',
    audit: { kind: 'import', action: 'stopped', by: 'call', object: 'id' },
    params: IdParam,
    reply: ImportRun,
    summary: 'End an import, and forget its source',
  }),
};
