// Cancels, pauses or resumes a fine-tuning job.
import { AppError } from '#shared/errors.ts';
import type { TuningJobRecord } from '#server/db/records/tuning-job.ts';
import { channelOf, errorOf } from '#server/objects/upstream-files.ts';
import type { RelayServices } from '#server/call/services.ts';
import { findJob } from './job-store.ts';
import { changeThere, type Verb } from './upstream-jobs.ts';

const over: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled']);

/**
 * Training until then is billed.
 * @throws {AppError} `tuning_not_possible`, `tuning_out_of_reach`, and the provider's
 */
export async function changeJob({ context }: RelayServices, job: TuningJobRecord, verb: Verb): Promise<TuningJobRecord> {
  const { id, state, status } = job;
  if (state !== 'running' || over.has(status)) throw new AppError('tuning_not_possible', { id, status });
  const channel = channelOf(context, job);
  if (channel === null) throw new AppError('tuning_out_of_reach', { id });
  const answer = await changeThere(context, channel, job.upstream_id, verb);
  if ('failure' in answer) throw errorOf(context, answer.failure);
  // The cost is read, and the job ended, by the polling job.
  const { status: reported = status } = answer.reported.set;
  const changed = await context.db
    .collection('tuning_jobs')
    .patch({ id, state: 'running' }, { set: { status: reported, poll_at: context.now() } });
  return changed ?? findJob(context, { userId: job.user_id }, id);
}
