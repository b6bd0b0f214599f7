// Refusals of drawings and music that are ours: switched off, or too many at a time.
import { expect } from 'vitest';
import { mostRunning } from '#server/relay/tasks/submit-task.ts';
import { buildTask } from '#tests/support/build-task.ts';
import { toldByRelay } from './refusal.ts';
import type { Refusal, RefusalRows, Told } from './refusal.ts';
import type { RelayDesk } from './relay-refusals.ts';

const proxy = { channels: [{ type: 2, models: 'mj_imagine' }] };

/** A submission on a site with those settings, when so many of its caller's tasks run. */
const submit =
  (path: string, settings: Record<string, string>, running = 0) =>
  (desk: RelayDesk): Promise<Told> =>
    desk.scene({ ...proxy, settings }, async (scene) => {
      const { db } = scene.app.context;
      for (let id = 1001; id <= 1000 + running; id += 1) {
        await db.collection('tasks').insert(buildTask({ id, user_id: scene.user.id, running_user_id: scene.user.id }));
      }
      const response = await scene.post(path, { prompt: 'a harbour' }, { 'accept-language': desk.language });
      return toldByRelay(response.status, await response.json());
    });

export const taskRefusals = {
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
    told: await submit('/mj/submit/imagine', {}, mostRunning)(desk),
    details: { most: mostRunning },
  }),
} satisfies RefusalRows<RelayDesk>;
