import type { BackupRecord } from '#server/db/records/backup.ts';

/** A backup in a folder, not yet stored. */
export function buildBackup(fields: Partial<BackupRecord> & Pick<BackupRecord, 'id'>): BackupRecord {
  return {
    name: 'tidegate-20261130-150405-abc123.backup',
    state: 'done',
    trigger: 'console',
    user_id: 1,
    place: 'folder',
    where: '/nowhere',
    started_at: 0,
    alive_until: 0,
    step: 'rows',
    progress: 0,
    progress_all: 0,
    has_key: false,
    ...fields,
  };
}
