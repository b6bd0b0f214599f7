// Polls orders of videos until they end, through the list of tasks, which has the orders of every page. Loaded with the first order.
import { type Task, taskApi } from '#shared/tasks.ts';
import { call } from '#pwa/api/call.ts';
import { translate } from '#pwa/i18n/setup.ts';
import type { Answer, Conversation } from '#pwa/offline/conversation.ts';
import { changeAnswer, storeOpen, playground } from './conversations-state.ts';

/** Milliseconds between requests about one order. The server polls the provider every fifteen seconds. */
const every = 5_000;
/** Time after which an order without a record counts as refused. */
const lostAfter = 90_000;
/** For which what came back of a failed one is waited: an account that is gone gets nothing. */
const refundAfter = 600_000;
/** By which clocks of devices are wrong without anybody minding. Seconds. */
const clockSlack = 600;

export interface AwaitedVideo {
  id: string;
  index: number;
  column: number;
  prompt: string;
  answer: Answer;
}

let isFollowing = false;

/**
 * @param isOrdering whether this page is still placing the order there
 * @param onCharged called after a finished or refunded order: the balance has changed
 */
export function follow(isOrdering: (key: string) => boolean, onCharged: () => void): void {
  if (isFollowing) return;
  isFollowing = true;
  const round = async (): Promise<void> => {
    const orders = awaitedVideos().filter(({ id, index, column }) => !isOrdering(`${id}/${index}/${column}`));
    if (navigator.onLine) for (const order of orders) await poll(order, onCharged);
    const left = awaitedVideos().length;
    isFollowing = left > 0;
    // The number of requests does not grow with the number of orders.
    if (isFollowing) setTimeout(() => void round(), every * Math.max(1, Math.min(left, 12) / 2));
  };
  void round();
}

/** Of all conversations. */
export function awaitedVideos(): AwaitedVideo[] {
  return conversations().flatMap(({ id, turns }) =>
    turns.flatMap(({ text, answers }, index) =>
      answers.flatMap((answer, column) => (isAwaited(answer) ? [{ id, index, column, prompt: text, answer }] : [])),
    ),
  );
}

function isAwaited(answer: Answer | null): answer is Answer {
  if (answer?.kind !== 'video') return false;
  const { state, video, quota = 0, startedAt, ms = 0 } = answer;
  if (state === 'running') return true;
  // What failed is given back a moment later.
  const isDue = state === 'failed' && video !== undefined && quota > 0 && video.refunded === undefined;
  return isDue && Date.now() - startedAt - ms < refundAfter;
}

async function poll(order: AwaitedVideo, onCharged: () => void): Promise<void> {
  const { answer } = order;
  const task = await (answer.video === undefined ? lostTask(order) : taskOf(answer.video.id)).catch(() => 'unheard' as const);
  // Without a connection polling resumes as soon as there is one.
  if (task === 'unheard') return;
  const updated = answerOf(answer, task);
  const refunded = updated.video?.refunded ?? 0;
  if (!isSame(answer, updated)) {
    // Another answer may have taken its place meanwhile.
    changeAnswer(order, (now) => (now?.startedAt === answer.startedAt ? updated : (now ?? updated)));
    await storeOpen(order.id, { isLast: false });
  }
  if (refunded > 0 || updated.state === 'done') onCharged();
}

async function taskOf(id: string): Promise<Task | undefined> {
  const [task] = await call(taskApi.listSelf, { query: { platform: 'video', task_id: id } });
  return task;
}

/** Order without a response to its submission: the oldest one of that model and text that no other answer has. */
async function lostTask({ answer, prompt }: AwaitedVideo): Promise<Task | undefined> {
  const start_timestamp = Math.floor(answer.startedAt / 1000) - clockSlack;
  const tasks = await call(taskApi.listSelf, { query: { platform: 'video', start_timestamp, page_size: 100 } });
  const known = new Set(conversations().flatMap(({ turns }) => turns.flatMap(({ answers }) => answers.map((one) => one?.video?.id))));
  return tasks.findLast(
    ({ task_id: id, video, properties }) => id !== '' && !known.has(id) && video?.model === answer.model && properties.input === prompt,
  );
}

/** Answer by the state of its video's task; undefined: there is no such task. */
export function answerOf(answer: Answer, task: Task | undefined, now: number = Date.now()): Answer {
  if (task === undefined) {
    const ms = now - answer.startedAt;
    if (answer.video === undefined && ms < lostAfter) return answer;
    // Deleted by another program, or never taken.
    return { ...answer, state: 'cut', ms };
  }
  const { id, task_id, video: { size = '', seconds = 0 } = {}, quota, refunded_quota, status, fail_reason } = task;
  const video = { id: task_id, size, seconds, task: id, progress: Number.parseInt(task.progress, 10) || 0 };
  const ended = task.finish_time > 0 ? { ms: Math.max(0, (task.finish_time - task.created_at) * 1000) } : {};
  if (status === 'SUCCESS') return { ...answer, ...ended, quota, state: 'done', video };
  if (status !== 'FAILURE') return { ...answer, quota, video };
  const refunded = quota > 0 && refunded_quota === 0 ? {} : { refunded: refunded_quota };
  const problem = fail_reason === '' ? translate('playground.video.failed') : fail_reason;
  return { ...answer, ...ended, quota, state: 'failed', problem, video: { ...video, ...refunded } };
}

function isSame(one: Answer, other: Answer): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function conversations(): Conversation[] {
  const { open, stored } = playground.get();
  return [open, ...stored.filter(({ id }) => id !== open.id)];
}
