// Selects channels for a submission. Another channel is tried only if the previous one certainly did not accept the task: a
// task that two channels accept is billed twice.
import { saidReason } from '#shared/failure-reasons.ts';
import { AppError } from '#shared/errors.ts';
import type { Attempt } from '#shared/logs.ts';
import { ChannelStatus } from '#shared/channels.ts';
import type { AppContext } from '#server/context.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import { nameOf, isRetryable } from '#server/exchange/failure-consequences.ts';
import { reasonToDisable } from '#server/exchange/auto-disable.ts';
import { disableRefused } from '#server/exchange/keys/disable-key.ts';
import { offersModel } from '#server/exchange/channel-index.ts';
import { withKey } from '#server/exchange/keys/channel-keys.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import type { UpstreamFailure } from '#server/exchange/upstream-error.ts';
import type { Admission } from '#server/call/admission/admission.ts';
import { attempts, channelOnly } from '#server/call/routing/attempts.ts';
import type { ChannelAttempt } from '#server/call/call-attempt.ts';
import { concernsKey, concernsOnlyKey, reportFailure, reportRelease, reportSuccess } from '#server/call/routing/report-outcome.ts';
import type { RelayServices } from '#server/call/services.ts';
import { requestUpstream, type UpstreamAnswer } from '#server/tasks/request-upstream.ts';
import { submissionMs } from './check-tasks.ts';
import type { TaskPlatform } from '#server/tasks/platforms/platform.ts';
import type { Submission, Verdict } from './submission.ts';
import type { TaskCall } from './submit-task.ts';
import { TaskFailure } from '#server/call/tasks/task-failure.ts';

export interface TaskAttempts {
  verdict: Verdict | null;
  /** If there is no verdict. */
  failure: TaskFailure | null;
  /** Channel called last, and its key if it has several. */
  channelId: number;
  keyId: number;
  /** The channel may have accepted it without a response. */
  mayBeTaken: boolean;
  attempts: Attempt[];
}

const attemptMs = 60_000;

/** Checks that a channel can take it, before anything is written. @throws {AppError} `model_not_found`, `no_channel`, `channel_pin_invalid`, `channel_disabled` */
export function checkChannels(
  { channels }: RelayServices,
  { pinnedChannel, group }: Admission,
  { model, platform, isFor }: Submission,
): void {
  const serves = servesTasks(platform, isFor);
  if (pinnedChannel !== undefined) {
    const pinned = channels.get(pinnedChannel);
    if (pinned === undefined || !serves(pinned)) throw new AppError('channel_pin_invalid');
    if (pinned.status !== ChannelStatus.enabled || pinned.problem !== null) throw new AppError('channel_disabled');
    return;
  }
  if (channels.tiers(group, model).some((tier) => tier.channels.some(serves))) return;
  for (const channel of channels.all()) {
    if (serves(channel) && offersModel(channel, model)) throw new AppError('no_channel', { group, model }, { retryAfter: 5 });
  }
  throw new AppError('model_not_found', { model }, { field: 'model' });
}

/** Channels of other providers may list the model. */
export function servesTasks({ serves }: TaskPlatform, isFor?: Submission['isFor']): (channel: PreparedChannel) => boolean {
  return (channel) => channel.provider !== null && serves(channel.provider) && isFor?.(channel) !== false;
}

export async function runAttempts(call: TaskCall, task: TaskRecord): Promise<TaskAttempts> {
  const { services, admission, submission } = call;
  const outcome: TaskAttempts = { verdict: null, failure: null, channelId: 0, keyId: 0, mayBeTaken: false, attempts: [] };
  const { origin } = submission;
  const channelId = origin?.channel_id ?? admission.pinnedChannel;
  const only = channelOnly(services, channelId);
  const isServed = servesTasks(submission.platform, submission.isFor);
  const next = attempts({
    services,
    group: admission.group,
    model: submission.model,
    caller: admission.user.id,
    only: origin === null || only === null ? only : withKey(only, origin.channel_key_id),
    routeTo: (channel) => (isServed(channel) ? submission.platform : null),
    records: outcome.attempts,
    elapsed: () => elapsed(call),
    isOver: () => elapsed(call) >= submissionMs - attemptMs,
  });
  for (let attempt = next(); attempt !== null; attempt = next()) {
    const { channel, record, keyUse } = attempt;
    outcome.channelId = channel.id;
    outcome.keyId = channel.keyId;
    let isOver: boolean;
    try {
      await noteRequested(services.context, task, channel.id);
      isOver = await runAttempt(call, { task, attempt, outcome, isPicked: only === undefined });
    } finally {
      keyUse?.ended('unsent');
    }
    record.end_ms = elapsed(call);
    if (isOver) return outcome;
  }
  if (outcome.verdict === null && outcome.failure === null) {
    const error = new AppError('no_channel', { group: call.admission.group, model: submission.model }, { retryAfter: 5 });
    outcome.failure = new TaskFailure(error, 'no channel');
  }
  return outcome;
}

/**
 * Records the channel before its call: names it in the log if the process dies or the provider times out.
 * @throws {AppError} if the submission was given up
 */
async function noteRequested({ db }: AppContext, { id }: TaskRecord, channelId: number): Promise<void> {
  const noted = await db.collection('tasks').patch({ id, running_user_id: { exists: true } }, { set: { asked_channel_id: channelId } });
  if (noted === null) throw new AppError('upstream_timeout');
}

interface TaskAttempt {
  task: TaskRecord;
  attempt: ChannelAttempt<TaskPlatform>;
  outcome: TaskAttempts;
  isPicked: boolean;
}

/** Returns true if no other channel is tried. */
async function runAttempt(call: TaskCall, { task, attempt, outcome, isPicked }: TaskAttempt): Promise<boolean> {
  const { services, submission } = call;
  const { channel, record, keyUse } = attempt;
  const { context } = services;
  const caller = call.admission.user.id;
  const { model } = submission;
  const answer = await ask(call, channel, task.id).catch((fault: unknown) => {
    if (isPicked) reportRelease(services, channel, { model, caller });
    throw fault;
  });
  if (answer.kind === 'failed') {
    noteFailed(call, { attempt, isPicked, failure: answer.failure });
    outcome.verdict = null;
    outcome.mayBeTaken = answer.mayBeDone;
    outcome.failure = TaskFailure.ofUpstream(answer.failure, context.settings.get('AutomaticDisableKeywords'));
    return answer.mayBeDone || !isRetryable(answer.failure, channel.provider);
  }
  record.status = 200;
  record.first_byte_ms = elapsed(call);
  context.figures.called(channel.id, record.first_byte_ms - record.start_ms);
  const verdict = submission.read(answer.value, channel);
  if (isPicked) {
    if (verdict?.kind === 'accepted') reportSuccess(services, channel, { model, caller });
    else reportRelease(services, channel, { model, caller });
  }
  keyUse?.ended('answered');
  if (verdict === null) {
    record.error = 'invalid_upstream_response';
    outcome.verdict = null;
    outcome.mayBeTaken = true;
    outcome.failure = new TaskFailure(new AppError('invalid_upstream_response'), 'unmarshal_response_body_failed');
    return true;
  }
  outcome.verdict = verdict;
  outcome.failure = null;
  if (verdict.kind === 'accepted') return true;
  record.error = String(verdict.code);
  if (verdict.disables !== undefined && channel.isAutoBan && context.settings.get('AutomaticDisableChannelEnabled'))
    context.waitUntil(disableRefused(context, channel, { reason: saidReason(verdict.disables), failure: null }));
  return !verdict.isElsewhere;
}

/** Serializes bodies with pictures, which take long, in two steps of the queue. */
async function ask({ services, submission, content }: TaskCall, channel: PreparedChannel, id: number): Promise<UpstreamAnswer> {
  const request = await submission.request(channel, id);
  if ('question' in request) return requestUpstream(services.context, channel, { ...request.question, milliseconds: attemptMs });
  const { path, body } = request;
  const text = await content.use(() => JSON.stringify(body));
  const bytes = await content.use(() => Buffer.from(text));
  return requestUpstream(services.context, channel, { path, body: bytes, milliseconds: attemptMs });
}

function noteFailed(
  { services, submission, admission }: TaskCall,
  { attempt, isPicked, failure }: { attempt: ChannelAttempt<TaskPlatform>; isPicked: boolean; failure: UpstreamFailure },
): void {
  const { context } = services;
  const { channel, record, keyUse } = attempt;
  const { model } = submission;
  record.status = failure.upstreamStatus;
  record.error = nameOf(failure, context.settings.get('AutomaticDisableKeywords'));
  context.figures.called(channel.id, undefined);
  const caller = admission.user.id;
  const isOfChannel = isRetryable(failure, channel.provider) || failure.status >= 500;
  const isConfirmed = isPicked && isOfChannel && reportFailure(services, channel, { model, caller, failure });
  if (isPicked && !isOfChannel) reportRelease(services, channel, { model, caller });
  keyUse?.ended(isOfChannel ? 'failed' : 'answered');
  if (keyUse !== undefined && isOfChannel && concernsKey(failure)) attempt.keyRefusal = concernsOnlyKey(failure) ? 'certain' : 'possible';
  // The caller's words may be quoted, so keywords are ignored.
  const reason = reasonToDisable(context, channel, failure, { callerText: () => null, isConfirmed });
  if (reason !== null) context.waitUntil(disableRefused(context, channel, { reason, failure }));
}

function elapsed({ startedAt }: TaskCall): number {
  return Math.round((performance.now() - startedAt) * 1000) / 1000;
}
