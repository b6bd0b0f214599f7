// Polls providers for fine-tuning jobs, and resolves jobs whose process died.
import type { AppContext } from '#server/context.ts';
import type { TuningJobRecord } from '#server/db/records/tuning-job.ts';
import { pollInTurn, turnBounds } from '#server/slices/files/poll-in-turn.ts';
import type { TurnBounds } from '#server/slices/files/poll-in-turn.ts';
import { channelOf } from '#server/slices/files/upstream-files.ts';
import type { Requesting } from '#server/slices/files/upstream-files.ts';
import { chargeOf } from '#server/tasks/task-charge.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { creationMs } from './job-store.ts';
import { deleteProviderFiles } from './delete-provider-files.ts';
import { concludeJob, costOf, finishJob, retentionMs, resolveJobCharge, returnLateCharge } from './settle-job.ts';
import { trainedShare } from './trained-share.ts';
import { countIn, findThere, idIn, isNever, listThere, readThere } from './upstream-jobs.ts';

const atOnce = 50;
/** Time for which no other process looks at the job. */
const claimMs = 30 * 60_000;
/** Polling interval in milliseconds: a twentieth of the job's age. */
const pollMs = { least: 15_000, most: 10 * 60_000 };
const retryMs = 60_000;
/** Maximum milliseconds of checking while the process lives. */
const longestChecking = 2 * 3600 * 1000;
/** Seconds of silence after which a job is given up. */
const givenUpAfter = 3 * 24 * 3600;
/** Seconds after which a request without a response has either been executed or never will be. */
const longestUnanswered = 3600;
const mostCheckpoints = 100;

/** Job. */
export async function pollTunings(context: AppContext, bounds: Partial<TurnBounds> = {}): Promise<void> {
  const jobs = context.db.collection('tuning_jobs');
  const due = await jobs.find({ poll_at: { lte: context.now() } }, { sort: [['poll_at', 1]], limit: atOnce });
  await pollInTurn(due, {
    context,
    bounds: { ...turnBounds, ...bounds },
    claim: ({ id, poll_at: at }) => jobs.patch({ id, poll_at: at }, { set: { poll_at: context.now() + claimMs } }),
    look,
    again: (job) => again(context, job, retryMs),
  });
}

/** @param context with the deadline of the provider's responses */
async function look(job: TuningJobRecord, context: AppContext & Requesting): Promise<void> {
  if (job.state === 'checking') return lookAtChecking(context, job);
  if (job.state === 'creating') return lookAtCreating(context, job);
  if (job.state === 'running') return lookAtRunning(context, job);
  if (job.state === 'ended') {
    if (job.lacks_checkpoints === true) return lookForCheckpoints(context, job);
    return lookAtEnded(context, job);
  }
  if (!(await finishJob(context, job))) await again(context, job, retryMs);
}

/** A process declared dead may have charged the job later and ended before refunding it. */
async function lookAtEnded(context: AppContext, job: TuningJobRecord): Promise<void> {
  const jobs = context.db.collection('tuning_jobs');
  const until = job.finished_at * 1000 + retentionMs;
  if (job.charge === 'none') {
    const { paid, isCertain } = await chargeOf(context.db, job);
    if (paid !== null) return isCertain ? returnLateCharge(context, job, paid) : again(context, job, retryMs);
    if (context.now() < until) return void (await jobs.patch({ id: job.id, state: 'ended' }, { set: { poll_at: until } }));
  }
  await jobs.remove({ id: job.id, state: 'ended', charge: job.charge });
}

/** If the state has changed meanwhile, the next look is scheduled already. */
async function again({ db, now }: AppContext, { id, state }: TuningJobRecord, after: number): Promise<void> {
  await db.collection('tuning_jobs').patch({ id, state }, { set: { poll_at: now() + after } });
}

/** Nothing has been charged for it. */
async function lookAtChecking(context: AppContext, job: TuningJobRecord): Promise<void> {
  const owner = await context.db.collection('processes').get(job.process);
  // Its age by the clock of the process that reads it.
  if (owner?.state === 'alive' && owner.heartbeat_at - job.created_at * 1000 < longestChecking) return again(context, job, creationMs);
  await context.db.collection('tuning_jobs').remove({ id: job.id, state: 'checking' });
}

/** Resolves first whether it was charged, then whether the provider has it. */
async function lookAtCreating(context: AppContext & Requesting, open: TuningJobRecord): Promise<void> {
  const job = await resolveJobCharge(context, open);
  if (job.charge === 'open') return again(context, job, retryMs);
  const now = Math.floor(context.now() / 1000);
  const failed = { cost: 0, set: { status: 'failed', finished_at: now } };
  if (job.charge === 'none') return concludeJob(context, job, failed);
  const channel = channelOf(context, job);
  const found = channel === null ? undefined : await findThere(context, channel, job);
  if (found === undefined) {
    // It is unknown whether it runs. Its files are deleted, and results are ignored.
    return now > job.created_at + givenUpAfter ? concludeJob(context, job, failed) : again(context, job, retryMs);
  }
  if (found !== null) {
    const running = { ...found.set, upstream_id: found.id, state: 'running' as const, told_at: now, poll_at: context.now() };
    await context.db.collection('tuning_jobs').patch({ id: job.id, state: 'creating' }, { set: running });
    return;
  }
  // After the files are deleted, no job can start; one that started before is listed by now.
  const areGone = await deleteProviderFiles(context, job);
  const late = channel === null ? null : await findThere(context, channel, job);
  const isCertain = late === null && (areGone || now > job.created_at + longestUnanswered);
  if (!isCertain && now <= job.created_at + givenUpAfter) return again(context, job, late == null ? retryMs : 0);
  await concludeJob(context, job, failed);
}

const endings: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled']);
/** States in which steps may have been trained. */
const training: ReadonlySet<string> = new Set(['running', 'paused']);

async function lookAtRunning(context: AppContext & Requesting, job: TuningJobRecord): Promise<void> {
  const channel = channelOf(context, job);
  const answer = channel === null ? null : await readThere(context, channel, job.upstream_id);
  if (channel === null || answer === null || 'failure' in answer) return unmappedFields(context, job);
  const { set } = answer.reported;
  const reported = { ...job, ...set };
  if (reported.status === 'succeeded' && reported.upstream_model === '') {
    const name = await nameBefore(context, channel, job);
    if (name === '') return unmappedFields(context, job);
    set.upstream_model = name;
  }
  const now = context.now();
  if (!endings.has(reported.status)) {
    const poll = now + Math.min(pollMs.most, Math.max(pollMs.least, (now - job.created_at * 1000) / 20));
    const share = training.has(reported.status) ? await trainedShare(context, channel, job) : null;
    const known = share === null ? {} : { trained_share: Math.max(share, job.trained_share ?? 0) };
    const received = { ...set, ...known, told_at: Math.floor(now / 1000), poll_at: Math.round(poll) };
    await context.db.collection('tuning_jobs').patch({ id: job.id, state: 'running' }, { set: received });
    return;
  }
  const checkpoints = reported.status === 'succeeded' ? await checkpointsOf(context, channel, job) : [];
  if (reported.status === 'cancelled' && reported.trained_tokens < 0) {
    const share = await trainedShare(context, channel, job);
    if (share === null && !isGivenUp(context, job)) return again(context, job, pollMs.most);
    // At least the share seen before.
    set.trained_by_steps = true;
    set.trained_tokens = Math.ceil(job.tokens * job.epochs * Math.max(share ?? 0, job.trained_share ?? 0));
  }
  const finished = reported.finished_at === 0 ? Math.floor(now / 1000) : reported.finished_at;
  const cost = costOf(context, { ...reported, ...set });
  // Settlement does not wait for checkpoints.
  const known = checkpoints === null ? { lacks_checkpoints: true as const } : { checkpoints };
  await concludeJob(context, reported, { cost, set: { ...set, ...known, told_at: Math.floor(now / 1000), finished_at: finished } });
}

/** Looks for checkpoints of a settled job. If they are not reported for days, they stay unavailable. */
async function lookForCheckpoints(context: AppContext & Requesting, job: TuningJobRecord): Promise<void> {
  const channel = channelOf(context, job);
  const found = channel === null ? null : await checkpointsOf(context, channel, job);
  const now = context.now();
  if (found === null && now / 1000 < job.told_at + givenUpAfter) return again(context, job, pollMs.most);
  const checkpoints = found ?? [];
  await context.db.collection('tuned_models').patch({ id: job.tuned_model, job_id: job.id, state: 'ready' }, { set: { checkpoints } });
  await context.db
    .collection('tuning_jobs')
    .patch({ id: job.id, state: 'ended' }, { set: { checkpoints, poll_at: now + retentionMs }, unset: ['lacks_checkpoints'] });
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
async function unmappedFields(context: AppContext, job: TuningJobRecord): Promise<void> {
  const now = Math.floor(context.now() / 1000);
  if (!isGivenUp(context, job)) return again(context, job, pollMs.most);
  context.log.error({ job: job.id, quota: job.reserved }, 'nothing has been heard of a training for days: what was taken for it goes back');
  await concludeJob(context, job, { cost: 0, set: { status: 'failed', finished_at: now, upstream_results: [] } });
}
