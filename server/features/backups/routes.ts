import { backupApi } from '#shared/backups.ts';
import { AppError } from '#shared/errors.ts';
import { signedIn } from '#server/http/call.ts';
import { mount, type RouteHost } from '#server/http/mount.ts';
import { startBackup, stopBackups } from '#server/transfer/tend-backups.ts';
import { openBackupFile } from './open-backup-file.ts';
import { presentBackup, readOverview } from './present-backup.ts';

export function mountBackups(host: RouteHost): void {
  const { context } = host;
  host.draining.addEventListener('abort', () => void stopBackups(context));
  context.onClose(() => stopBackups(context));
  mount(host, backupApi.read, () => readOverview(context));
  mount(host, backupApi.start, async (call) =>
    presentBackup(context, await startBackup(context, { trigger: 'console', userId: signedIn(call).user.id })),
  );
  mount(host, backupApi.stop, async (call) => {
    const stopped = await context.db.collection('backups').patch({ id: Number(call.params.id), running: 1 }, { set: { is_stopped: true } });
    if (stopped === null) throw new AppError('not_found');
    return undefined;
  });
  mount(host, backupApi.file, (call) => openBackupFile(context, Number(call.params.id)));
}
