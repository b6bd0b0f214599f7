// Providers of drawings, music and videos for tests that stop or kill processes, and what all their tasks have in common.
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import { checkTasks } from '#server/work/tasks/check-tasks.ts';
import { pollTasks } from '#server/work/tasks/poll-tasks.ts';
import { finishRefunds } from '#server/work/tasks/refund-task.ts';
import { startTaskUpstream } from '#tests/support/fake-task-upstream.ts';
import { soraServing, startFakeVideos } from '#tests/support/fake-videos.ts';
import type { ProviderFront } from '#tests/support/provider-front.ts';

/** A provider of drawings, music or videos, and an order of one. */
export interface TaskProvider {
  front: ProviderFront;
  models: string;
  path: string;
  body: object;
  price: number;
  taken: readonly string[];
  /** Of `METHOD path`, of its polls. */
  polls: RegExp;
  polled(): number;
  report(id: string, isDone: boolean): void;
}

export const taskProviders: readonly { kind: string; start(): Promise<TaskProvider> }[] = [
  { kind: 'drawings', start: drawingProvider },
  { kind: 'music', start: musicProvider },
  { kind: 'videos', start: videoProvider },
];

/** All that servers do about tasks. */
export async function pollAll(context: AppContext): Promise<void> {
  await checkTasks(context);
  await pollTasks(context);
  await finishRefunds(context);
}

/** Tasks of which something is still to be done. */
export const unendedTasks: Filter<TaskRecord> = {
  or: [
    { running_user_id: { exists: true } },
    { poll_at: { exists: true } },
    { check_at: { exists: true } },
    { refund_due_at: { exists: true } },
    { charge: 'open' },
  ],
};

async function drawingProvider(): Promise<TaskProvider> {
  const upstream = await startTaskUpstream();
  return {
    front: frontOf(upstream, { type: 2, key: 'k' }),
    models: 'mj_imagine',
    path: '/mj/submit/imagine',
    body: { prompt: 'a harbour at dawn' },
    price: 50_000,
    taken: upstream.taken,
    polls: /^POST \/mj\/task\/list-by-condition/,
    polled: () => upstream.polls().length,
    report: (id, isDone) =>
      upstream.report(id, isDone ? { status: 'SUCCESS', imageUrl: 'https://img.example/1.png' } : { status: 'FAILURE', failReason: 'no' }),
  };
}

async function musicProvider(): Promise<TaskProvider> {
  const upstream = await startTaskUpstream();
  return {
    front: frontOf(upstream, { type: 36, key: 'k' }),
    models: 'suno_music',
    path: '/suno/submit/music',
    body: { prompt: '[Verse] tide', title: 'Tide' },
    price: 50_000,
    taken: upstream.taken,
    polls: /^POST \/suno\/fetch/,
    polled: () => upstream.polls().length,
    report: (id, isDone) => upstream.report(id, isDone ? { status: 'SUCCESS', data: [] } : { status: 'FAILURE', fail_reason: 'no' }),
  };
}

async function videoProvider(): Promise<TaskProvider> {
  const sora = soraServing();
  const upstream = await startFakeVideos(sora.serving);
  return {
    front: frontOf(upstream, { type: 55, key: 'sk-channel' }),
    models: 'sora-2',
    path: '/v1/videos',
    body: { model: 'sora-2', prompt: 'a harbour at dawn', seconds: '4', size: '1280x720' },
    // Four seconds of 0.1 dollars.
    price: 200_000,
    taken: sora.taken,
    polls: /^GET \/v1\/videos\//,
    polled: () => upstream.visits.filter(({ method }) => method === 'GET').length,
    report: (id, isDone) => sora.report(id, { status: isDone ? 'completed' : 'failed' }),
  };
}

function frontOf(upstream: AsyncDisposable & { url: string }, channel: ProviderFront['channel']): ProviderFront {
  return { url: upstream.url, channel, close: async () => upstream[Symbol.asyncDispose]() };
}
