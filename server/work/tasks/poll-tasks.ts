// Polls upstreams for running tasks, channel by channel, up to some hundred tasks per query.
import type { AppContext } from '#server/context.ts';
import { DatabaseUnavailable } from '#server/db/collection.ts';
import { eachDue } from '#server/db/each-due.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import { inParallel } from '#server/queues/in-parallel.ts';
import { isGoneForGood } from '#server/exchange/deleted-channels.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { requestUpstream, type UpstreamAnswer } from '#server/tasks/request-upstream.ts';
import type { FailReason } from '#server/tasks/fail-reason.ts';
import { failTask, followTask, lostChannelReason, pollEvery, timeoutReason } from './follow-task.ts';
import type { TaskPlatform } from '#server/tasks/platforms/platform.ts';
import { taskPlatforms } from '#server/tasks/platforms/registry.ts';
import { withKey } from '#server/exchange/keys/channel-keys.ts';

/** Tasks read at a time, and tasks per query. */
const batchSize = 500;
/** Concurrent single-task queries per channel. */
const questionsAtOnce = 4;
/** Channels polled at a time, so that a silent one delays few others. */
const channelsAtOnce = 8;

export interface PollBounds {
  /** Time after which a run starts nothing more; the rest comes first in the next run. */
  runMs: number;
  questionMs: number;
}

/** Both together are much shorter than the job's lock: two processes never poll at once. */
export const pollBounds: PollBounds = { runMs: 60_000, questionMs: 15_000 };

interface PollRun {
  context: AppContext;
  questionMs: number;
  isOver(): boolean;
}

/** Returns the number of due tasks that were reached. */
export async function pollTasks(context: AppContext, { runMs, questionMs }: PollBounds = pollBounds): Promise<number> {
  const begin = performance.now();
  const run: PollRun = { context, questionMs, isOver: () => performance.now() - begin > runMs };
  // The job runs at the polling interval: includes tasks due before the middle of its next interval.
  const until = context.now() + pollEvery / 2;
  let count = 0;
  for (;;) {
    const due = await context.db.collection('tasks').find({ poll_at: { lte: until } }, { sort: [['poll_at', 1]], limit: batchSize });
    count += due.length;
    await inParallel(byChannel(due), channelsAtOnce, (tasks) => pollChannel(run, tasks));
    if (due.length < batchSize || run.isOver()) return count;
  }
}

async function pollChannel(run: PollRun, tasks: readonly TaskRecord[]): Promise<void> {
  const { context } = run;
  const [first] = tasks;
  if (first === undefined || run.isOver()) return;
  const platform = taskPlatforms[first.platform];
  const channel = withKey(context.channels.get(first.channel_id), first.channel_key_id);
  // This process may not know a new channel yet, and a recent deletion may be undone.
  if (channel === undefined && (await isGoneForGood(context.db, first.channel_id))) {
    const reason = lostChannelReason(first.channel_id);
    await failEach(run, tasks, reason);
    return;
  }
  let isAnswering = channel !== undefined;
  const ask = async (requested: readonly TaskRecord[]): Promise<void> => {
    if (run.isOver()) return;
    const answered = channel === undefined || !isAnswering ? null : await pollSome(run, { platform, channel, tasks: requested });
    // Skips a channel after a timeout.
    if (answered === null) isAnswering = false;
    await postpone(run, { platform, tasks: requested.filter(({ id }) => answered?.has(id) !== true) });
  };
  await inParallel(portions(tasks, platform.requestedAtOnce), platform.requestedAtOnce === 1 ? questionsAtOnce : 1, ask);
}

function portions(tasks: readonly TaskRecord[], size: number): TaskRecord[][] {
  return Array.from({ length: Math.ceil(tasks.length / size) }, (_none, index) => tasks.slice(index * size, (index + 1) * size));
}

interface Question {
  platform: TaskPlatform;
  channel: PreparedChannel;
  tasks: readonly TaskRecord[];
}

/** Ids of tasks that the upstream reported and that were updated; null without a response. */
async function pollSome(run: PollRun, { platform, channel, tasks }: Question): Promise<Set<number> | null> {
  const { context, questionMs } = run;
  const byUpstreamId = Map.groupBy(tasks, (task) => task.upstream_id ?? '');
  const question = platform.question(channel, tasks);
  if (question === null) return new Set();
  const answer = await requestUpstream(context, channel, { ...question, milliseconds: questionMs });
  const reports = answer.kind === 'answered' ? platform.readAnswer(answer.value, channel, tasks) : null;
  if (reports === null) {
    const reason = answer.kind === 'failed' ? answer.failure.message : 'not an answer';
    context.log.warn({ channel: channel.id, tasks: tasks.length, reason }, 'an upstream did not say what became of its tasks');
    // An error about one task does not concern the others.
    return platform.requestedAtOnce === 1 && hasSpoken(answer) ? new Set() : null;
  }
  const answered = new Set<number>();
  for (const report of reports) {
    for (const task of byUpstreamId.get(report.upstreamId) ?? []) {
      if (run.isOver() || (report.outcome === 'running' && isLate(context, platform, task))) continue;
      try {
        await followTask(context, task, report);
        answered.add(task.id);
      } catch (failure) {
        if (failure instanceof DatabaseUnavailable) throw failure;
        // Polled again until it times out; other tasks of the channel are unaffected.
        context.log.error({ task: task.id, err: failure }, 'what an upstream said of a task could not be stored');
      }
    }
  }
  return answered;
}

/** Reports whether the upstream responded at all. */
function hasSpoken(answer: UpstreamAnswer): boolean {
  return answer.kind === 'answered' || answer.failure.upstreamStatus > 0;
}

/** Postpones tasks without a report, or fails those that have timed out. */
async function postpone(run: PollRun, { platform, tasks }: { platform: TaskPlatform; tasks: readonly TaskRecord[] }): Promise<void> {
  const { context } = run;
  const late = new Set(tasks.filter((task) => isLate(context, platform, task)));
  const ids = tasks.filter((task) => !late.has(task)).map(({ id }) => id);
  // One write, also after the run's end: the channel then comes after the others next time.
  const again = { set: { poll_at: context.now() + pollEvery } };
  if (ids.length > 0) await context.db.collection('tasks').patchAll({ id: { in: ids }, poll_at: { exists: true } }, again);
  await failEach(run, late, timeoutReason(platform.timeout));
}

async function failEach(run: PollRun, tasks: Iterable<TaskRecord>, reason: FailReason): Promise<void> {
  const work = async (task: TaskRecord) => run.isOver() || failTask(run.context, task, reason);
  await eachDue({ items: tasks, work });
}

function isLate({ now }: AppContext, { timeout }: TaskPlatform, { submit_time: since }: TaskRecord): boolean {
  return now() - since > timeout;
}

/** Groups by channel and platform. */
function byChannel(tasks: readonly TaskRecord[]): TaskRecord[][] {
  return [...Map.groupBy(tasks, ({ channel_id, channel_key_id: key, platform }) => `${channel_id} ${key} ${platform}`).values()];
}
