import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { backupApi } from '#shared/backups.ts';
import { call } from '#pwa/api/call.ts';

/** Interval of requests while a backup is being made, and otherwise. */
const followMs = 2_000;
const idleMs = 60_000;

export const backupsQuery = queryOptions({
  queryKey: ['backups'],
  queryFn: ({ signal }) => call(backupApi.read, { signal }),
  meta: { offline: true },
  refetchInterval: ({ state }) => (state.data?.backups.some((backup) => backup.state === 'running') === true ? followMs : idleMs),
});

export function useStartBackup() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call(backupApi.start, {}),
    onSettled: () => void client.invalidateQueries({ queryKey: ['backups'] }),
  });
}

export function useStopBackup() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => call(backupApi.stop, { params: { id: String(id) } }),
    onSettled: () => void client.invalidateQueries({ queryKey: ['backups'] }),
  });
}

/** Address of the file. */
export function backupAddress(id: number): string {
  return backupApi.file.path.replace(':id', String(id));
}
