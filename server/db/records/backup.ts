/** A backup: made, being made or failed; see `server/transfer/backups.ts`. Not part of backups. */
export interface BackupRecord {
  id: number;
  /** File name. */
  name: string;
  state: 'running' | 'done' | 'failed';
  /** Set while it runs, by a unique index: there is one at a time. */
  running?: 1;
  trigger: 'schedule' | 'console' | 'command' | 'upgrade' | 'import';
  /** User that requested it in the console; 0 for none. */
  user_id: number;
  place: 'folder' | 's3';
  /** Folder, or bucket and prefix, in which it is stored. */
  where: string;
  /** Times in milliseconds since the epoch. */
  started_at: number;
  ended_at?: number;
  /** While it runs its process prolongs this time. */
  alive_until: number;
  step: 'rows' | 'upload';
  /** Rows written, or bytes uploaded, and all of them. */
  progress: number;
  progress_all: number;
  bytes?: number;
  rows?: number;
  sha256?: string;
  /** Whether all records are of one moment. */
  is_snapshot?: boolean;
  /** Whether the master key is in the backup, sealed by the passphrase. */
  has_key: boolean;
  /** Set by the console: its process stops it. */
  is_stopped?: boolean;
  error?: { code: BackupFailure; text: string };
  /** Time at which the retention removed the file. */
  removed_at?: number;
}

export type BackupFailure = 'stopped' | 'interrupted' | 'disk_full' | 'folder' | 's3_refused' | 's3_unreachable' | 'database' | 'other';
