// Format of a backup: one line of JSON (header), then zstd-compressed lines. A line that begins with `#` starts a
// collection, stores the counters, or ends the backup with its checksum; every other line is a record.
import { z } from 'zod';
import { SealedKey } from '#server/secrets/sealed-key.ts';

export const formatVersion = 1;
/** Maximum length of the header. */
export const headerBytes = 64 * 1024;
/** Maximum length of a record; MongoDB stores at most 16 MiB. */
export const lineBytes = 64 * 1024 * 1024;

export const BackupHeader = z.object({
  tidegate_backup: z.number(),
  /** ISO 8601. */
  made_at: z.string(),
  /** Version of the program. */
  program: z.string(),
  /** Version of the stored data. */
  schema: z.int().min(0),
  engine: z.enum(['embedded', 'mongodb']),
  /** Whether all records are of one moment; if not, balances are computed from the books by the restore. */
  snapshot: z.boolean(),
  /** Rows per collection when the backup began, for the progress. */
  counts: z.record(z.string(), z.int().min(0)),
  /** Identifies the master key of the stored secrets. */
  key_mark: z.string().nullable(),
  key: SealedKey.optional(),
});
export type BackupHeader = z.output<typeof BackupHeader>;

export const BackupEnd = z.object({
  rows: z.int().min(0),
  /** SHA-256 of the header and all lines before the end. */
  sha256: z.string().length(64),
});

export const collectionMark = '#collection ';
export const countersMark = '#counters ';
export const endMark = '#end ';

/** Unusable backup; the message is one line for the operator. */
export class BackupFileError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BackupFileError';
  }
}

/** `tidegate-20261130-150405-a1b2c3.backup` */
export function backupName(at: number, random: string): string {
  const time = new Date(at)
    .toISOString()
    .replaceAll(/[-:]|\.\d+Z/g, '')
    .replace('T', '-');
  return `tidegate-${time}-${random}.backup`;
}

/** Names that backups have: nothing else is listed, downloaded or deleted. */
export function isBackupName(name: string): boolean {
  return /^tidegate-\d{8}-\d{6}-[0-9A-Za-z]{6}\.backup$/.test(name);
}
