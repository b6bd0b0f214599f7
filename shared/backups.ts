import { z } from 'zod/mini';
import { endpoint } from '#shared/contract.ts';

export const BackupState = z.enum(['running', 'done', 'failed']);
export const BackupTrigger = z.enum(['schedule', 'console', 'command', 'upgrade', 'import']);
export const BackupPlace = z.enum(['folder', 's3']);
/** `interrupted`: its process ended. `stopped`: by an administrator, or with its server. */
export const BackupFailure = z.enum(['stopped', 'interrupted', 'disk_full', 'folder', 's3_refused', 's3_unreachable', 'database', 'other']);
export type BackupFailure = z.infer<typeof BackupFailure>;

/** A backup. Times are unix seconds. */
export const Backup = z.object({
  id: z.int(),
  name: z.string(),
  state: BackupState,
  trigger: BackupTrigger,
  place: BackupPlace,
  /** Folder of the server, or bucket and prefix. */
  where: z.string(),
  started_at: z.int(),
  ended_at: z.optional(z.int()),
  /** Rows written or bytes uploaded, and all of them. */
  step: z.enum(['rows', 'upload']),
  progress: z.int(),
  progress_all: z.int(),
  bytes: z.optional(z.int()),
  rows: z.optional(z.int()),
  /** SHA-256 of the content. */
  sha256: z.optional(z.string()),
  /** False if balances are computed from the books by a restore, because the database has no snapshots. */
  is_snapshot: z.optional(z.boolean()),
  /** Whether the master key is in it, sealed by the passphrase. */
  has_key: z.boolean(),
  error: z.optional(z.object({ code: BackupFailure, text: z.string() })),
  /** Whether the server can send the file. */
  can_download: z.boolean(),
  /** The retention has removed the file. */
  removed_at: z.optional(z.int()),
});
export type Backup = z.infer<typeof Backup>;

/** `failed`: the last one has. `old`: the last good one is older than two intervals. `never`: there is none. */
export const BackupNotice = z.enum(['failed', 'old', 'never']);
export type BackupNotice = z.infer<typeof BackupNotice>;

export const BackupOverview = z.object({
  /** Newest first. */
  backups: z.array(Backup),
  notice: z.optional(BackupNotice),
  /** End of the last good backup. */
  last_done_at: z.optional(z.int()),
  /** Hours; 0: there is no schedule. */
  interval_hours: z.int(),
  /** When the next one is due. */
  next_at: z.optional(z.int()),
  keep: z.int(),
  place: BackupPlace,
  /** Folder of the server, or bucket and prefix. */
  where: z.string(),
  /** Whether a passphrase seals the master key into backups. */
  has_passphrase: z.boolean(),
  /** Of the server, unix seconds. */
  at: z.int(),
});
export type BackupOverview = z.infer<typeof BackupOverview>;

const IdParam = z.object({ id: z.string().check(z.regex(/^\d{1,15}$/)) });

export const backupApi = {
  read: endpoint('GET', '/api/backup/', { access: 'root', reply: BackupOverview, summary: 'Last backups, and when the next one is due' }),
  start: endpoint('POST', '/api/backup/', {
    access: 'root',
    audit: { kind: 'backup', action: 'started', by: 'call' },
    reply: Backup,
    summary: 'Make a backup now',
  }),
  stop: endpoint('POST', '/api/backup/:id/stop', {
    access: 'root',
    audit: { kind: 'backup', action: 'stopped', by: 'call', object: 'id' },
    params: IdParam,
    summary: 'Stop a backup that is being made',
  }),
  file: endpoint('GET', '/api/backup/:id/file', {
    access: 'root',
    audit: { kind: 'backup', action: 'downloaded', by: 'call', object: 'id' },
    params: IdParam,
    summary: 'Download a backup',
  }),
};
