// Import from another gateway: what root starts and what it reports.
import { z } from 'zod/mini';

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

/** `source` = `here` + `left`. */
export const ImportMoney = z.object({ name: ImportSum, source: z.int(), here: z.int(), left: z.int() });
export type ImportMoney = z.infer<typeof ImportMoney>;

/** `left`: rows that are left out. `changed`: rows that come in otherwise than they were. `conflict`: reasons to refuse the import. */
export const ImportNote = z.object({
  effect: z.enum(['left', 'changed', 'conflict']),
  kind: z.string(),
  reason: z.string(),
  detail: z.string(),
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
