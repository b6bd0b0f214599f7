import type { TuningJobRecord } from '#server/db/records/tuning-job.ts';
import { deleteAtProvider } from '#server/slices/files/upstream-files.ts';
import type { Requesting } from '#server/slices/files/upstream-files.ts';

/** What a provider was given for a training goes; it has been told to let it go by itself, too. False: some of it may still be there. */
export async function deleteProviderFiles(context: Requesting, job: TuningJobRecord): Promise<boolean> {
  let areGone = true;
  for (const upstream_id of [job.upstream_training, job.upstream_validation])
    if (upstream_id !== '' && (await deleteAtProvider(context, { ...job, upstream_id })) !== 'gone') areGone = false;
  return areGone;
}
