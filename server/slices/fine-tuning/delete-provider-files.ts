import type { TuningJobRecord } from '#server/db/records/tuning-job.ts';
import { deleteAtProvider } from '#server/slices/files/upstream-files.ts';
import type { Requesting } from '#server/slices/files/upstream-files.ts';

/** Deletes a job's input files at the provider, where they also expire. Returns false if some may still exist. */
export async function deleteProviderFiles(context: Requesting, job: TuningJobRecord): Promise<boolean> {
  let areGone = true;
  for (const upstream_id of [job.upstream_training, job.upstream_validation])
    if (upstream_id !== '' && (await deleteAtProvider(context, { ...job, upstream_id })) !== 'gone') areGone = false;
  return areGone;
}
