// Polls providers for fine-tuning jobs.
import type { AppContext } from '#server/context.ts';
import type { TuningJobRecord } from '#server/db/records/tuning-job.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { channelOf, type Requesting } from '#server/objects/upstream-files.ts';
import type { TurnBounds } from '#server/work/poll-in-turn.ts';
import { givenUpAfter, lookAgain, type Looking, nextPollAt, pollMs, pollWork } from '#server/work/poll-work.ts';
import { concludeWork } from '#server/work/settle-work.ts';
import { trainedShare } from './trained-share.ts';
import { costOf, tuningWork } from './tuning-work.ts';
import { countIn, findThere, idIn, isNever, listThere, readThere } from './upstream-jobs.ts';

const mostCheckpoints = 100;
const fileIdLength = 24;

/** Job. */
export async function pollTunings(context: AppContext, bounds: Partial<TurnBounds> = {}): Promise<void> {
  const polling = {
    kind: tuningWork,
    listedAfter: 0,
    longestUnanswered: 3600,
    find: ({ requesting }: Looking, channel: PreparedChannel, job: TuningJobRecord) => findThere(requesting, channel, job),
    lookAtRunning: ({ requesting }: Looking, job: TuningJobRecord) => lookAtRunning(requesting, job),
    lookAtEnded: ({ requesting }: Looking, job: TuningJobRecord) => lookForCheckpoints(requesting, job),
  };
  await pollWork(context, polling, bounds);
}

const endings: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled']);
/** States in which steps may have been trained. */
const training: ReadonlySet<string> = new Set(['running', 'paused']);

async function lookAtRunning(context: AppContext & Requesting, job: TuningJobRecord): Promise<void> {
  const channel = channelOf(context, job);
  const answer = channel === null ? null : await readThere(context, channel, job.upstream_id);
  if (channel === null || answer === null || 'failure' in answer) return handleMissingReport(context, job);
  const { set } = answer.reported;
  const reported = { ...job, ...set };
  if (reported.status === 'succeeded' && reported.upstream_model === '') {
    const name = await nameBefore(context, channel, job);
    if (name === '') return handleMissingReport(context, job);
    set.upstream_model = name;
  }
  const now = context.now();
  if (!endings.has(reported.status)) {
    const share = training.has(reported.status) ? await trainedShare(context, channel, job) : null;
    const known = share === null ? {} : { trained_share: Math.max(share, job.trained_share ?? 0) };
    const received = { ...set, ...known, told_at: Math.floor(now / 1000), poll_at: nextPollAt(now, job) };
    await context.db.collection('tuning_jobs').patch({ id: job.id, state: 'running' }, { set: received });
    return;
  }
  const checkpoints = reported.status === 'succeeded' ? await checkpointsOf(context, channel, job) : [];
  if (reported.status === 'cancelled' && reported.trained_tokens < 0) {
    const share = await trainedShare(context, channel, job);
    if (share === null && !isGivenUp(context, job)) return lookAgain(context, tuningWork, job, pollMs.most);
    // At least the share seen before.
    set.trained_by_steps = true;
    set.trained_tokens = Math.ceil(job.tokens * job.epochs * Math.max(share ?? 0, job.trained_share ?? 0));
  }
  const finished = reported.finished_at === 0 ? Math.floor(now / 1000) : reported.finished_at;
  const cost = costOf(context, { ...reported, ...set });
  // Settlement does not wait for checkpoints.
  const known = checkpoints === null ? { lacks_checkpoints: true as const } : { checkpoints };
  const results = (set.upstream_results ?? job.upstream_results).map(() => `file-${context.randomText(fileIdLength)}`);
  await concludeWork(context, tuningWork, job, {
    cost,
    set: { ...set, ...known, result_files: results, told_at: Math.floor(now / 1000), finished_at: finished },
  });
}

/** Looks for checkpoints of a settled job. If they are not reported for days, they stay unavailable. */
async function lookForCheckpoints(context: AppContext & Requesting, job: TuningJobRecord): Promise<void> {
  const channel = channelOf(context, job);
  const found = channel === null ? null : await checkpointsOf(context, channel, job);
  const now = context.now();
  if (found === null && now / 1000 < job.told_at + givenUpAfter) return lookAgain(context, tuningWork, job, pollMs.most);
  const checkpoints = found ?? [];
  await context.db.collection('tuned_models').patch({ id: job.tuned_model, job_id: job.id, state: 'ready' }, { set: { checkpoints } });
  await context.db
    .collection('tuning_jobs')
    .patch({ id: job.id, state: 'ended' }, { set: { checkpoints, poll_at: now + tuningWork.retentionMs }, unset: ['lacks_checkpoints'] });
}

/** Checkpoints that can be called as models; null if not known now. */
async function checkpointsOf(
  context: AppContext & Requesting,
  channel: PreparedChannel,
  job: TuningJobRecord,
): Promise<TuningJobRecord['checkpoints'] | null> {
  const answer = await listThere(context, channel, `/${encodeURIComponent(job.upstream_id)}/checkpoints?limit=${mostCheckpoints}`);
  if ('failure' in answer) return isNever(answer) ? [] : null;
  return answer.reported.data
    .map((one) => ({ step: countIn(one['step_number']), upstream_model: idIn(one['fine_tuned_model_checkpoint']) }))
    .filter(({ step, upstream_model: name }) => step > 0 && name !== '');
}

function isGivenUp({ now }: AppContext, job: TuningJobRecord): boolean {
  return now() / 1000 >= Math.max(job.told_at, job.created_at) + givenUpAfter;
}

/**
 * The model's name may appear a moment later. If it never does, the last checkpoint is the result; empty if none is
 * known yet.
 */
async function nameBefore(context: AppContext & Requesting, channel: PreparedChannel, job: TuningJobRecord): Promise<string> {
  const checkpoints = isGivenUp(context, job) ? await checkpointsOf(context, channel, job) : null;
  return (checkpoints ?? []).toSorted((one, other) => other.step - one.step)[0]?.upstream_model ?? '';
}

/** Handles missing reports: after days the job ends at no cost, because no model resulted. */
async function handleMissingReport(context: AppContext, job: TuningJobRecord): Promise<void> {
  const now = Math.floor(context.now() / 1000);
  if (!isGivenUp(context, job)) return lookAgain(context, tuningWork, job, pollMs.most);
  context.log.error({ job: job.id, quota: job.reserved }, 'a fine-tuning job was not reported for days and is refunded');
  await concludeWork(context, tuningWork, job, {
    cost: 0,
    set: { status: 'failed', finished_at: now, upstream_results: [] },
  });
}
