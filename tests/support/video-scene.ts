// A running server with channels to providers of videos, and paid keys.
import OpenAI from 'openai';
import { expect } from 'vitest';
import type { TaskRecord } from '#server/db/records/task.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { balanceOf } from '#server/money/account.ts';
import { audit } from '#server/money/audit.ts';
import { pollTasks } from '#server/work/tasks/poll-tasks.ts';
import { buildChannel, type ChannelFields } from '#tests/support/build-channel.ts';
import { createToken, type TokenFields } from '#tests/support/build-token.ts';
import type { Engine } from '#tests/support/engines.ts';
import { setOption } from '#tests/support/relay-scene.ts';
import { addCountedBudget, checkCountedBudget } from './counted-budget.ts';
import { createTestApp, type TestApp, type TestAppOptions } from '#tests/support/test-app.ts';

export interface VideoCustomer {
  user: UserRecord;
  key: string;
  sdk: OpenAI;
  call(method: string, path: string, body?: unknown): Promise<{ status: number; body: VideoAnswer }>;
  balance(): Promise<number>;
}

// The tests say what they expect of it.
// oxlint-disable-next-line typescript/no-explicit-any
type VideoAnswer = any;

export interface VideoScene extends AsyncDisposable {
  app: TestApp;
  addChannel(fields: ChannelFields): Promise<number>;
  customer(fields?: { quota?: number; token?: TokenFields }): Promise<VideoCustomer>;
  set(key: string, value: string): Promise<void>;
  task(customer: VideoCustomer): Promise<TaskRecord>;
  /** Advances the clock by some seconds and runs the job that polls tasks. */
  poll(seconds?: number): Promise<void>;
  checkBooks(): Promise<void>;
}

export async function createVideoScene(engine: Engine, options: TestAppOptions = {}): Promise<VideoScene> {
  const app = await createTestApp(engine, options);
  const { context } = app;
  await addCountedBudget(context);
  return {
    app,
    async addChannel(fields) {
      const id = await context.db.nextId('channels');
      await context.db.collection('channels').insert(buildChannel({ key: 'sk-channel', ...fields, id }, context.secrets));
      await context.changes.announce('channel', id);
      await context.channels.reload();
      return id;
    },
    async customer({ quota = 10_000_000, token = {} } = {}) {
      const user = await app.createUser({ quota });
      const { key } = await createToken(context, user.id, token);
      return {
        user,
        key,
        sdk: new OpenAI({ apiKey: key, baseURL: `${app.origin}/v1`, maxRetries: 0 }),
        async call(method, path, body) {
          const response = await fetch(app.origin + path, {
            method,
            headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          });
          const text = await response.text();
          return { status: response.status, body: text === '' ? null : JSON.parse(text) };
        },
        async balance() {
          const found = await context.db.collection('users').get(user.id);
          return found === null ? 0 : balanceOf(found);
        },
      };
    },
    set: (key, value) => setOption(app, key, value),
    async task({ user }) {
      const found = await context.db.collection('tasks').first({ user_id: user.id }, { sort: [['id', -1]] });
      if (found === null) throw new Error('There is no task');
      return found;
    },
    async poll(seconds = 16) {
      app.clock.advance(seconds * 1000);
      await pollTasks(context);
    },
    async checkBooks() {
      expect((await audit(context.db)).findings).toEqual([]);
      await checkCountedBudget(context);
    },
    async [Symbol.asyncDispose]() {
      await app.close();
    },
  };
}
