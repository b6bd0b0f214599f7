import { describe, expect, test } from 'vitest';
import type { Task } from '#shared/tasks.ts';
import type { Answer } from '#pwa/offline/conversation.ts';
import { answerOf } from './follow-videos.ts';
import { videoSizes } from './video-sizes.ts';

const begun: Answer = { model: 'sora-2', state: 'running', kind: 'video', text: '', reasoning: '', tool_calls: [], startedAt: 1_000_000 };
const ordered: Answer = { ...begun, video: { id: 'video_1', size: '1280x720', seconds: 4 } };
const task: Task = {
  id: 7,
  created_at: 1000,
  updated_at: 1000,
  task_id: 'video_1',
  platform: 'video',
  user_id: 1,
  username: '',
  channel_id: 0,
  quota: 200_000,
  refunded_quota: 0,
  action: 'TEXT_TO_VIDEO',
  status: 'IN_PROGRESS',
  fail_reason: '',
  submit_time: 1000,
  start_time: 0,
  finish_time: 0,
  progress: '33%',
  properties: { input: 'a tide' },
  data: null,
  video: { model: 'sora-2', seconds: 4, size: '1280x720', url: '', poster: '' },
};

describe('what a task says of an order', () => {
  test('how far it is', () =>
    expect(answerOf(ordered, task)).toMatchObject({ state: 'running', quota: 200_000, video: { progress: 33, task: 7 } }));

  test('that it is done, and when that was', () => {
    const done = answerOf(ordered, { ...task, status: 'SUCCESS', progress: '100%', finish_time: 1090 });
    expect(done).toMatchObject({ state: 'done', ms: 90_000, video: { id: 'video_1', task: 7 } });
  });

  test('that it failed, with what came back once it has', () => {
    const failed = { ...task, status: 'FAILURE', fail_reason: 'Rejected' };
    expect(answerOf(ordered, failed)).toMatchObject({ state: 'failed', problem: 'Rejected' });
    expect(answerOf(ordered, failed).video?.refunded).toBeUndefined();
    expect(answerOf(ordered, { ...failed, refunded_quota: 200_000 }).video?.refunded).toBe(200_000);
    // What cost nothing is not waited for.
    expect(answerOf(ordered, { ...failed, quota: 0 }).video?.refunded).toBe(0);
  });

  test('an order that the page lost sight of is found by it; without one it was not taken, after a while', () => {
    expect(answerOf(begun, task).video).toMatchObject({ id: 'video_1', size: '1280x720', seconds: 4 });
    expect(answerOf(begun, undefined, begun.startedAt + 10_000)).toEqual(begun);
    expect(answerOf(begun, undefined, begun.startedAt + 100_000)).toMatchObject({ state: 'cut' });
    expect(answerOf(ordered, undefined, begun.startedAt + 10_000)).toMatchObject({ state: 'cut' });
  });
});

test('a model has the sizes that it has prices for', () => {
  const price = {
    kind: 'call',
    modelPrice: 0.1,
    videos: [
      { height: 720, price: 0.1 },
      { height: 1080, price: 0.2 },
    ],
  } as const;
  expect(videoSizes('kling-v3', price)).toEqual(['1280x720', '720x1280', '720x720', '1920x1080', '1080x1920', '1080x1080']);
  expect(videoSizes('sora-2-pro', { ...price, videos: [{ height: 1024, price: 1 }] })).toEqual(['1792x1024', '1024x1792']);
  expect(videoSizes('veo-3.1', undefined)).toEqual(['1280x720', '720x1280']);
});
