// Asks upstreams what became of the tasks that run, a channel at a time, some hundred tasks in a question.
import type { AppContext } from '#server/context.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import { inParallel } from '#server/in-parallel.ts';
import { isGoneForGood } from '#server/upstream/deleted-channels.ts';
import type { PreparedChannel } from '#server/upstream/prepared-channel.ts';
import { askUpstream } from './ask-upstream.ts';
import { failTask, followTask, lostChannelReason, pollEvery, timeoutReason } from './follow-task.ts';
import type { TaskPlatform } from './platforms/platform.ts';
import { taskPlatforms } from './platforms/registry.ts';

/** Tasks that are read at once, and that one question is about. */
const batchSize = 500;
const askedAtOnce = 100;
/** Channels that are asked at the same time: one that does not answer holds up few others. */
const channelsAtOnce = 8;
const questionMs = 15_000;
/** A run ends after so long, long before its lock does. */
const runMs = 60_000;

export async function pollTasks(context: AppContext): Promise<number> {
  const begin = performance.now();
  let count = 0;
  for (;;) {
    const now = context.now();
    const due = await context.db.collection('tasks').find({ poll_at: { lte: now } }, { sort: [['poll_at', 1]], limit: batchSize });
    count += due.length;
    await inParallel(byChannel(due), channelsAtOnce, (tasks) => pollChannel(context, tasks));
    if (due.length < batchSize || performance.now() - begin > runMs) return count;
  }
}

async function pollChannel(context: AppContext, tasks: readonly TaskRecord[]): Promise<void> {
  const [first] = tasks;
  if (first === undefined) return;
  const platform = taskPlatforms[first.platform];
  const channel = context.channels.get(first.channel_id);
  // Of a new one this process may not have heard yet; a deletion just made may be taken back.
  if (channel === undefined && (await isGoneForGood(context.db, first.channel_id))) {
    const reason = lostChannelReason(first.channel_id);
    for (const task of tasks) await failTask(context, task, { fail_reason: reason });
    return;
  }
  let isAnswering = channel !== undefined;
  for (let start = 0; start < tasks.length; start += askedAtOnce) {
    const asked = tasks.slice(start, start + askedAtOnce);
    const answered = channel === undefined || !isAnswering ? null : await pollSome(context, { platform, channel, tasks: asked });
    // One that does not answer is not waited for again.
    isAnswering = answered !== null;
    for (const task of asked) if (answered?.has(task.id) !== true) await postpone(context, platform, task);
  }
}

interface Question {
  platform: TaskPlatform;
  channel: PreparedChannel;
  tasks: readonly TaskRecord[];
}

/** Ids of those that the upstream spoke of; null: it did not answer. */
async function pollSome(context: AppContext, { platform, channel, tasks }: Question): Promise<Set<number> | null> {
  const byUpstreamId = Map.groupBy(tasks, (task) => task.upstream_id ?? '');
  const ids = [...byUpstreamId.keys()];
  const answer = await askUpstream(context, channel, { ...platform.question(ids), milliseconds: questionMs });
  const reports = answer.kind === 'answered' ? platform.readAnswer(answer.value) : null;
  if (reports === null) {
    const reason = answer.kind === 'failed' ? answer.failure.message : 'not an answer';
    context.log.warn({ channel: channel.id, tasks: tasks.length, reason }, 'an upstream did not say what became of its tasks');
    return null;
  }
  const answered = new Set<number>();
  for (const report of reports) {
    for (const task of byUpstreamId.get(report.upstreamId) ?? []) {
      if (report.outcome === 'running' && isLate(context, platform, task)) continue;
      answered.add(task.id);
      await followTask(context, task, report);
    }
  }
  return answered;
}

/** Nobody knows anything of it: it is asked about again, unless it has had its time. */
async function postpone(context: AppContext, platform: TaskPlatform, task: TaskRecord): Promise<void> {
  if (isLate(context, platform, task)) {
    await failTask(context, task, { fail_reason: timeoutReason });
    return;
  }
  await context.db.collection('tasks').patch({ id: task.id, poll_at: { exists: true } }, { set: { poll_at: context.now() + pollEvery } });
}

function isLate({ now }: AppContext, { timeout }: TaskPlatform, { submit_time: since }: TaskRecord): boolean {
  return now() - since > timeout;
}

/** One platform of one channel each. */
function byChannel(tasks: readonly TaskRecord[]): TaskRecord[][] {
  return [...Map.groupBy(tasks, ({ channel_id, platform }) => `${channel_id} ${platform}`).values()];
}
