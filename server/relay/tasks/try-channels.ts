// Which channel a submission goes to, and what it says. Another channel is asked only when it is certain that the one before has not
// taken the task: a task that two channels work on is paid for twice.
import { AppError } from '#shared/errors.ts';
import type { Attempt } from '#shared/logs.ts';
import { ChannelStatus } from '#shared/channels.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import { nameOf, isRetryable } from '#server/upstream/failure-consequences.ts';
import { disableChannel, reasonToDisable } from '#server/upstream/auto-disable.ts';
import { offersModel } from '#server/upstream/channel-index.ts';
import type { PreparedChannel } from '#server/upstream/prepared-channel.ts';
import type { UpstreamFailure } from '#server/upstream/upstream-error.ts';
import type { Admission } from '#server/relay/admission/admission.ts';
import type { RelayServices } from '#server/relay/services.ts';
import { askUpstream } from '#server/tasks/ask-upstream.ts';
import type { UpstreamAnswer } from '#server/tasks/ask-upstream.ts';
import { submissionMs } from '#server/tasks/check-tasks.ts';
import type { Submission, Verdict } from './submission.ts';
import type { TaskCall } from './submit-task.ts';
import { TaskFailure } from './task-failure.ts';

export interface TaskTries {
  verdict: Verdict | null;
  /** Where there is no verdict. */
  failure: TaskFailure | null;
  /** The one that spoke last. */
  channelId: number;
  attempts: Attempt[];
}

const tryMs = 60_000;

/** Before anything is written. @throws {AppError} `model_not_found`, `no_channel`, `channel_pin_invalid`, `channel_disabled` */
export function checkChannels({ channels }: RelayServices, { pinnedChannel, group }: Admission, { model, platform }: Submission): void {
  const serves = (channel: PreparedChannel) => channel.provider?.tasks === platform.name;
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

export async function tryChannels(call: TaskCall, task: TaskRecord): Promise<TaskTries> {
  const { services, submission } = call;
  const tries: TaskTries = { verdict: null, failure: null, channelId: 0, attempts: [] };
  const tried = new Set<number>();
  const only = onlyChannel(call);
  const mostTries = only === undefined ? services.context.settings.get('RetryTimes') + 1 : 1;
  while (tries.attempts.length < mostTries && performance.now() - call.startedAt < submissionMs - tryMs) {
    const channel = only === undefined ? pick(call, tried) : only;
    if (channel === null) break;
    tried.add(channel.id);
    tries.channelId = channel.id;
    const attempt = begin(call, channel);
    tries.attempts.push(attempt);
    const isOver = await tryOne(call, { task, channel, attempt, tries, isPicked: only === undefined });
    attempt.end_ms = elapsed(call);
    if (isOver) return tries;
  }
  if (tries.verdict === null && tries.failure === null) {
    const error = new AppError('no_channel', { group: call.admission.group, model: submission.model }, { retryAfter: 5 });
    tries.failure = new TaskFailure(error, 'no channel');
  }
  return tries;
}

/** Undefined: there is a choice. Null: it is gone. */
function onlyChannel({ services, admission, submission }: TaskCall): PreparedChannel | null | undefined {
  const id = submission.origin?.channel_id ?? admission.pinnedChannel;
  return id === undefined ? undefined : (services.channels.get(id) ?? null);
}

function pick({ services, admission, submission }: TaskCall, tried: Set<number>): PreparedChannel | null {
  const { picker, health } = services;
  const { model, platform } = submission;
  for (;;) {
    const channel = picker.pick({ group: admission.group, model, tried });
    if (channel === null || channel.provider?.tasks === platform.name) return channel;
    // It lists the model, but is of another kind.
    health.released(channel.id, model);
    tried.add(channel.id);
  }
}

interface Try {
  task: TaskRecord;
  channel: PreparedChannel;
  attempt: Attempt;
  tries: TaskTries;
  isPicked: boolean;
}

/** True: nobody else is asked. */
async function tryOne(call: TaskCall, { task, channel, attempt, tries, isPicked }: Try): Promise<boolean> {
  const { services, submission } = call;
  const { context, health } = services;
  const { model } = submission;
  const answer = await ask(call, channel, task.id).catch((fault: unknown) => {
    if (isPicked) health.released(channel.id, model);
    throw fault;
  });
  if (answer.kind === 'failed') {
    noteFailed(call, { channel, attempt, isPicked, failure: answer.failure });
    tries.verdict = null;
    tries.failure = TaskFailure.ofUpstream(answer.failure, context.settings.get('AutomaticDisableKeywords'));
    return answer.mayBeDone || !isRetryable(answer.failure, channel.provider);
  }
  attempt.status = 200;
  attempt.first_byte_ms = elapsed(call);
  context.figures.called(channel.id, attempt.first_byte_ms - attempt.start_ms);
  const verdict = submission.read(answer.value);
  if (isPicked) {
    if (verdict?.kind === 'accepted') health.succeeded(channel.id, model);
    else health.released(channel.id, model);
  }
  if (verdict === null) {
    attempt.error = 'invalid_upstream_response';
    tries.failure = new TaskFailure(new AppError('invalid_upstream_response'), 'unmarshal_response_body_failed');
    return true;
  }
  tries.verdict = verdict;
  tries.failure = null;
  if (verdict.kind === 'accepted') return true;
  attempt.error = String(verdict.code);
  if (verdict.disables !== undefined && channel.isAutoBan && context.settings.get('AutomaticDisableChannelEnabled'))
    context.waitUntil(disableChannel(context, channel.id, verdict.disables));
  return !verdict.isElsewhere;
}

/** A body with pictures takes long to write, so that each half of that is done in its turn. */
async function ask({ services, submission, content }: TaskCall, channel: PreparedChannel, id: number): Promise<UpstreamAnswer> {
  const { path, body } = submission.request(channel, id);
  const text = await content.use(() => JSON.stringify(body));
  const bytes = await content.use(() => Buffer.from(text));
  return askUpstream(services.context, channel, { path, body: bytes, milliseconds: tryMs });
}

function noteFailed(
  { services, submission }: TaskCall,
  { channel, attempt, isPicked, failure }: { channel: PreparedChannel; attempt: Attempt; isPicked: boolean; failure: UpstreamFailure },
): void {
  const { context, health } = services;
  attempt.status = failure.upstreamStatus;
  attempt.error = nameOf(failure, context.settings.get('AutomaticDisableKeywords'));
  context.figures.called(channel.id, undefined);
  if (isPicked) {
    if (isRetryable(failure, channel.provider) || failure.status >= 500) health.failed(channel.id, submission.model, failure);
    else health.released(channel.id, submission.model);
  }
  // What a caller wrote may be quoted, so no keyword counts.
  const reason = reasonToDisable(context, channel, failure, () => null);
  if (reason !== null) context.waitUntil(disableChannel(context, channel.id, reason));
}

function begin(call: TaskCall, channel: PreparedChannel): Attempt {
  return { channel: channel.id, channel_name: channel.name, status: 0, start_ms: elapsed(call), end_ms: 0 };
}

function elapsed({ startedAt }: TaskCall): number {
  return Math.round((performance.now() - startedAt) * 1000) / 1000;
}
