// Submits a task: reserves its price, has a channel accept it, and settles the charge before the caller is answered.
// `docs/work.md` lists the effect of a crash between any two writes.
import { ownerFields, ownerIn } from '#server/tokens/object-owner.ts';
import { AppError, reasonOf } from '#shared/errors.ts';
import { priceAt } from '#shared/price-at.ts';
import type { PricedUsage } from '#shared/pricing.ts';
import type { AppContext } from '#server/context.ts';
import { UniqueConflict } from '#server/db/collection.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import { storableText } from '#server/db/storable.ts';
import type { QuotedPrice } from '#server/money/quote.ts';
import type { Reservation } from '#server/money/leases/reservation.ts';
import type { Admission } from '#server/call/admission/admission.ts';
import type { CallContent } from '#server/call/admission/call-content.ts';
import type { SubmissionPermit } from '#server/rate-limits/enter-submission.ts';
import { reserveQuota } from '#server/call/admission/reserve-call.ts';
import type { RelayServices } from '#server/call/services.ts';
import type { TaskAnswer } from '#server/call/tasks/answer-tasks.ts';
import { checkAfter } from './check-tasks.ts';
import { knownReason, saidByProvider } from '#server/tasks/fail-reason.ts';
import { failLost, failUntaken, pollEvery } from './follow-task.ts';
import { refundTask } from './refund-task.ts';
import { noteEnded, noteStarted } from './note-task.ts';
import { settleCharge } from '#server/work/pay.ts';
import { taskChargeRow } from './charge-row.ts';
import type { Submission, Verdict } from './submission.ts';
import { runAttempts, type TaskAttempts } from './run-attempts.ts';

/** Maximum running tasks of a user. */
export const mostRunning = 200;
const longestStoredPrompt = 8_000;
const longestStoredState = 2_000;

export interface TaskCall {
  services: RelayServices;
  admission: Admission;
  submission: Submission;
  /** Body of the request. */
  content: Pick<CallContent, 'use'>;
  requestId: string;
  pass: SubmissionPermit;
  /** Monotonic milliseconds. */
  startedAt: number;
}

/** @throws {AppError} for the balance or the bounds; `TaskFailure` if no channel accepted it */
export async function submitTask(call: TaskCall): Promise<TaskAnswer> {
  const { services, admission, submission } = call;
  const { context } = services;
  const quoted = priceOf(context, admission, submission);
  const usage = usageOf(submission);
  const quota = context.quotes.charge(quoted, usage);
  const reservation = await reserveQuota(services, admission, { model: submission.model, amount: quota, least: quota });
  try {
    const task = await openTask(context, call);
    const outcome = await runAttempts(call, task).catch(async (fault: unknown) => {
      // No channel was called: the provider's format cannot express the request.
      if (fault instanceof AppError) await failUntaken(context, task, knownReason(reasonOf(fault)));
      throw fault;
    });
    if (outcome.verdict?.kind !== 'accepted') return await refused(context, task, outcome);
    const accepted = await acceptTask(context, task, { outcome, verdict: outcome.verdict, quota, reservation, submission });
    const { body } = outcome.verdict;
    const answer = (record: TaskRecord | null) => ({
      status: 200,
      body: (record === null ? undefined : submission.answer?.(record)) ?? body,
    });
    if (!accepted.isNew) return answer(accepted.task);
    await charge(call, { task: accepted.task, outcome, quoted: { ...quoted, price: priceAt(quoted.price, usage) }, quota, reservation });
    return answer(accepted.task);
  } finally {
    submission.release?.();
    // Has no effect after settlement.
    context.ledger.release(reservation);
  }
}

/** A task is priced without tokens; one is needed for a cost above zero. */
function usageOf({ units }: Submission): PricedUsage {
  return { promptTokens: 1, completionTokens: 0, units };
}

/** @throws {AppError} `model_price_error` if a video has no price, `model_makes_no_videos` */
function priceOf({ quotes }: AppContext, { group, user }: Admission, { model, isFree, units }: Submission): QuotedPrice {
  const quoted = units?.kind === 'second' ? quotes.priceOfVideo(model, group, user) : quotes.priceOfTask(model, group, user);
  return isFree ? { ...quoted, price: freePrice } : quoted;
}

const freePrice = { kind: 'call', modelPrice: 0 } as const;

/** Inserts the record before any upstream is called, so no response is lost. @throws {AppError} `tasks_in_progress` */
async function openTask(context: AppContext, { admission, submission, requestId }: TaskCall): Promise<TaskRecord> {
  const { user, token } = admission;
  const { platform, model, action } = submission;
  const tasks = context.db.collection('tasks');
  const now = context.now();
  const task: TaskRecord = {
    id: await context.db.nextId('tasks'),
    platform: platform.name,
    listed: platform.name,
    ...ownerFields(ownerIn(admission)),
    username: user.username,
    token_id: token?.id ?? 0,
    request_id: requestId,
    channel_id: 0,
    model,
    action,
    created_at: Math.floor(now / 1000),
    updated_at: Math.floor(now / 1000),
    code: 0,
    status: platform.name === 'midjourney' ? '' : 'NOT_START',
    progress: '0%',
    fail_reason: '',
    prompt: storableText(submission.prompt, longestStoredPrompt),
    prompt_en: '',
    description: '',
    state: storableText(submission.state, longestStoredState),
    submit_time: now,
    start_time: 0,
    finish_time: 0,
    image_url: '',
    buttons: '',
    properties: submission.record?.properties ?? '',
    data: '',
    quota: 0,
    token_quota: 0,
    refunded_quota: 0,
    charge: 'none',
    process: context.ledger.processId,
    check_at: now + checkAfter,
    running_user_id: user.id,
  };
  await tasks.insert(task);
  // Counts include the new task, so concurrent submissions cannot exceed the limit.
  if ((await tasks.count({ running_user_id: user.id }, mostRunning + 1)) > mostRunning) {
    await tasks.remove({ id: task.id });
    throw new AppError('tasks_in_progress', { most: mostRunning }, { retryAfter: pollEvery / 1000 });
  }
  noteStarted(context, task);
  return task;
}

/** A task that no channel accepted stays listed with the reason, free of charge. */
async function refused(context: AppContext, task: TaskRecord, { verdict, failure, mayBeTaken }: TaskAttempts): Promise<TaskAnswer> {
  const said = verdict?.kind === 'refused' ? verdict.reason : (failure?.reason ?? '');
  const reason = verdict?.kind !== 'refused' && said === failure?.error.code ? knownReason(reasonOf(failure.error)) : saidByProvider(said);
  const code = verdict?.kind === 'refused' ? verdict.code : 0;
  if (mayBeTaken) await failLost(context, task, reason);
  else await failUntaken(context, task, { code, ...reason });
  if (verdict?.kind === 'refused') return { status: verdict.status, body: verdict.body };
  throw failure ?? new AppError('internal_error');
}

interface Accepted {
  outcome: TaskAttempts;
  verdict: Extract<Verdict, { kind: 'accepted' }>;
  quota: number;
  reservation: Reservation;
  submission: Submission;
}

/**
 * Stores the upstream's id, and that a charge is pending. Not new: the id is that of a task that its owner has paid for.
 * @throws {AppError} `upstream_timeout` if the task was given up meanwhile
 */
async function acceptTask(
  context: AppContext,
  task: TaskRecord,
  { outcome, verdict, quota, reservation, submission }: Accepted,
): Promise<{ task: TaskRecord | null; isNew: false } | { task: TaskRecord; isNew: true }> {
  const tasks = context.db.collection('tasks');
  const now = context.now();
  const { upstreamId, code, done } = verdict;
  const channelId = outcome.channelId;
  const named: Pick<TaskRecord, 'upstream_id' | 'accepted_key'> =
    upstreamId === undefined ? {} : { upstream_id: upstreamId, accepted_key: acceptedKey(task, channelId, upstreamId) };
  const ended = done === undefined ? { poll_at: now + pollEvery } : { ...done, progress: '100%', finish_time: done.finish_time || now };
  try {
    const accepted = await tasks.patch(
      { id: task.id, running_user_id: { exists: true } },
      {
        set: {
          ...named,
          ...ended,
          ...submission.record,
          code,
          channel_id: channelId,
          ...(outcome.keyId === 0 ? {} : { channel_key_id: outcome.keyId }),
          quota,
          token_quota: reservation.isTokenLimited ? quota : 0,
          charge: 'open',
          process: context.ledger.processId,
        },
        unset: ['asked_channel_id', ...(done === undefined ? [] : (['running_user_id'] as const))],
      },
    );
    if (accepted === null) throw new AppError('upstream_timeout');
    if (done !== undefined) noteEnded(context, accepted, 'finished');
    return { task: accepted, isNew: true };
  } catch (failure) {
    if (!(failure instanceof UniqueConflict)) throw failure;
    const { accepted_key } = named;
    const known = accepted_key === undefined ? null : await tasks.first({ accepted_key });
    // A failed task was refunded: its id belongs to the new one.
    if (known?.status === 'FAILURE' && (await tasks.patch({ id: known.id, accepted_key }, { unset: ['accepted_key'] })) !== null)
      return acceptTask(context, task, { outcome, verdict, quota, reservation, submission });
    await tasks.remove({ id: task.id });
    noteEnded(context, task, 'finished');
    return { task: known, isNew: false };
  }
}

/** A drawing that waits for more input continues under its id, at its own price. */
function acceptedKey({ user_id, action }: TaskRecord, channelId: number, upstreamId: string): string {
  return `${user_id}:${channelId}:${upstreamId}${action === 'MODAL' ? ':modal' : ''}`;
}

interface Charge {
  task: TaskRecord;
  outcome: TaskAttempts;
  quoted: QuotedPrice;
  quota: number;
  reservation: Reservation;
}

/** Resolves once the charge is durable: an unsettled submission is not answered. */
async function charge(call: TaskCall, { task, outcome, quoted, quota, reservation }: Charge): Promise<void> {
  const { services, pass } = call;
  const { context } = services;
  const tasks = context.db.collection('tasks');
  const paid = await settleCharge(services, reservation, taskChargeRow(call, { task, attempts: outcome.attempts, quoted, quota }));
  const noted = await tasks.patch({ id: task.id, charge: 'open' }, { set: paid, unset: ['check_at'] });
  if (noted === null) await noteLateCharge(context, task, paid);
  if (quota > 0) context.lowBalance.spent(task.user_id);
  await pass.succeeded();
}

/** This process was declared dead and its charge written off, but the charge appeared later: a failed task is refunded now. */
async function noteLateCharge(context: AppContext, { id }: TaskRecord, paid: Partial<TaskRecord>): Promise<void> {
  const tasks = context.db.collection('tasks');
  const judged = await tasks.patch({ id, charge: 'none' }, { set: paid });
  if (judged === null || judged.status !== 'FAILURE') return;
  const due = await tasks.patch(
    { id, refund_due_at: { exists: false } },
    { set: { refund_due_at: context.now(), refund_log_id: await context.db.nextId('logs') } },
  );
  if (due !== null) await refundTask(context, due);
}
