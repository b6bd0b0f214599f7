// Refusals of drawings and music that are ours: switched off, or too many at a time.
import { expect } from 'vitest';
import type { TaskRecord } from '#server/db/records/task.ts';
import { mostRunning } from '#server/work/tasks/submit-task.ts';
import { buildTask } from '#tests/support/build-task.ts';
import { type Refusal, type RefusalRows, type Reported, reportedByRelay } from './refusal.ts';
import type { RelayDesk } from './relay-refusals.ts';

const proxy = { channels: [{ type: 2, models: 'mj_imagine' }] };

/** A submission on a site with those settings, when so many of its caller's tasks run. */
const submit =
  (path: string, settings: Record<string, string>, running = 0) =>
  (desk: RelayDesk): Promise<Reported> =>
    desk.scene({ ...proxy, settings }, async (scene) => {
      const { db } = scene.app.context;
      for (let id = 1001; id <= 1000 + running; id += 1) {
        await db.collection('tasks').insert(buildTask({ id, user_id: scene.user.id, running_user_id: scene.user.id }));
      }
      const response = await scene.post(path, { prompt: 'a harbour' }, { 'accept-language': desk.language });
      return reportedByRelay(response.status, await response.json());
    });

const aVideo = { platform: 'video', channel_id: 1, public_id: 'video_1', properties: '{"seconds":4,"size":"720x1280"}' } as const;

/** A call about the caller's only video, with these fields. */
const ofVideo =
  (method: string, path: string, fields: Partial<TaskRecord> = {}) =>
  async (desk: RelayDesk): Promise<Refusal> => {
    const reported = await desk.scene({ channels: [{ type: 55, models: 'sora-2' }] }, async (scene) => {
      await scene.app.context.db.collection('tasks').insert(buildTask({ id: 1001, user_id: scene.user.id, ...aVideo, ...fields }));
      const headers = { authorization: `Bearer ${scene.key}`, 'accept-language': desk.language };
      const response = await fetch(`${scene.app.origin}/v1/videos/${path}`, { method, headers });
      return reportedByRelay(response.status, await response.json());
    });
    return { reported, details: { id: path.split(/[/?]/)[0] ?? '' } };
  };

export const taskRefusals = {
  video_not_found: ofVideo('GET', 'video_2'),
  video_not_ready: ofVideo('GET', 'video_1/content', { status: 'IN_PROGRESS' }),
  video_running: ofVideo('DELETE', 'video_1', { status: 'IN_PROGRESS' }),
  video_content_missing: ofVideo('GET', 'video_1/content?variant=smell'),
  model_makes_no_videos: async (desk): Promise<Refusal> => {
    const reported = await desk.scene({ channels: [{ type: 1, models: 'gpt-4o-mini' }] }, async (scene) => {
      const response = await scene.post('/v1/videos', { model: 'gpt-4o-mini', prompt: 'a tide' }, { 'accept-language': desk.language });
      return reportedByRelay(response.status, await response.json());
    });
    return { reported, details: { model: 'gpt-4o-mini' } };
  },
  drawing_disabled: submit('/mj/submit/imagine', { DrawingEnabled: 'false' }),
  /** Behind the words of the upstream, under the number that drawing clients know. */
  drawing_saturated: (desk) =>
    desk.scene(proxy, async (scene) => {
      scene.upstream.behave({ status: 429, error: { message: 'busy', type: 'x' } });
      const response = await scene.post('/mj/submit/imagine', { prompt: 'a harbour' }, { 'accept-language': desk.language });
      const { description, code } = await response.json();
      expect([code, description]).toEqual([30, expect.stringMatching(/^upstream_saturated /)]);
      return { status: response.status, code: 'drawing_saturated', message: description.slice('upstream_saturated '.length) };
    }),
  tasks_disabled: submit('/suno/submit/music', { TaskEnabled: 'false' }),
  tasks_in_progress: async (desk): Promise<Refusal> => ({
    reported: await submit('/mj/submit/imagine', {}, mostRunning)(desk),
    details: { most: mostRunning },
  }),
} satisfies RefusalRows<RelayDesk>;
