// A running server with upstreams that work on tasks, channels to them, and paid keys: what tests of drawings and music begin with.
import { expect } from 'vitest';
import type { TaskRecord } from '#server/db/records/task.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { balanceOf } from '#server/money/account.ts';
import { audit } from '#server/money/audit.ts';
import { buildChannel, type ChannelFields } from '#tests/support/build-channel.ts';
import { createToken, type TokenFields } from '#tests/support/build-token.ts';
import type { Engine } from '#tests/support/engines.ts';
import { type FakeTaskUpstream, startTaskUpstream } from '#tests/support/fake-task-upstream.ts';
import { setOption } from '#tests/support/relay-scene.ts';
import { addCountedBudget, checkCountedBudget } from './counted-budget.ts';
import { createTestApp, type TestApp, type TestAppOptions } from '#tests/support/test-app.ts';

const drawingModels =
  'mj_imagine,mj_upscale,mj_variation,mj_reroll,mj_describe,mj_blend,mj_shorten,mj_modal,mj_inpaint,mj_upload,swap_face';
const musicModels = 'suno_music,suno_lyrics';

/** 0.1 dollars. */
export const price = 50_000;

export interface Customer {
  user: UserRecord;
  tokenId: number;
  key: string;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  get(path: string): Promise<Answer>;
  imagine(fields?: Record<string, unknown>): Promise<Answer>;
  music(fields?: Record<string, unknown>): Promise<Answer>;
  balance(): Promise<number>;
}

interface Answer {
  status: number;
  headers: Headers;
  // The tests say what they expect of it.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
}

export interface TaskScene extends AsyncDisposable {
  app: TestApp;
  upstream: FakeTaskUpstream;
  addChannel(fields?: ChannelFields): Promise<number>;
  customer(fields?: { quota?: number; token?: TokenFields }): Promise<Customer>;
  set(key: string, value: string): Promise<void>;
  /** The newest task of that user. */
  task(customer: Customer): Promise<TaskRecord>;
  /** Some seconds pass. */
  later(seconds: number): void;
  checkBooks(): Promise<void>;
}

export async function createTaskScene(engine: Engine, options: TestAppOptions = {}): Promise<TaskScene> {
  const upstream = await startTaskUpstream();
  const app = await createTestApp(engine, options);
  const { context } = app;
  await addCountedBudget(context);

  const addChannel: TaskScene['addChannel'] = async (fields = {}) => {
    const id = await context.db.nextId('channels');
    const models = fields.type === 36 ? musicModels : drawingModels;
    await context.db
      .collection('channels')
      .insert(buildChannel({ type: 2, models, base_url: upstream.url, key: 'channel-key', ...fields, id }, context.secrets));
    await context.changes.announce('channel', id);
    await context.channels.reload();
    return id;
  };

  return {
    app,
    upstream,
    addChannel,
    async customer({ quota = 10_000_000, token = {} } = {}) {
      const user = await app.createUser({ quota });
      const { token: record, key } = await createToken(context, user.id, token);
      const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> => {
        const response = await fetch(app.origin + path, {
          method,
          headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
          ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        });
        const text = await response.text();
        return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
      };
      const post: Customer['post'] = (path, body, headers) => call('POST', path, body, headers);
      return {
        user,
        tokenId: record.id,
        key,
        post,
        get: (path) => call('GET', path),
        imagine: (fields = {}) => post('/mj/submit/imagine', { prompt: 'a harbour at dawn', ...fields }),
        music: (fields = {}) => post('/suno/submit/music', { prompt: '[Verse] tide', title: 'Tide', ...fields }),
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
    later: (seconds) => app.clock.advance(seconds * 1000),
    async checkBooks() {
      expect((await audit(context.db)).findings).toEqual([]);
      await checkCountedBudget(context);
    },
    async [Symbol.asyncDispose]() {
      await app.close();
      await upstream[Symbol.asyncDispose]();
    },
  };
}
