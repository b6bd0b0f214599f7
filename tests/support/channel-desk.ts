// An administrator, an upstream and an empty list of channels: what tests of the channel calls begin with.
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import type { Engine } from '#tests/support/engines.ts';
import { type FakeUpstream, startFakeUpstream } from '#tests/support/fake-upstream.ts';
import type { TestResponse, TestClient } from '#tests/support/http-client.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

export const validChannel = { name: 'one', key: 'sk-secret-one', models: 'gpt-4o' };

export interface ChannelDesk {
  readonly app: TestApp;
  readonly admin: TestClient;
  readonly upstream: FakeUpstream;
  create(fields?: Record<string, unknown>): Promise<TestResponse>;
  /** Creates one and answers its id. */
  createOne(fields?: Record<string, unknown>): Promise<number>;
  /** As the console sees it. */
  read(id: number): Promise<TestResponse['data']>;
  stored(id: number): Promise<ChannelRecord>;
  keyOf(id: number): Promise<string>;
  count(): Promise<number>;
}

/** One server for all tests around the call, without channels at the beginning of each. */
export function useChannelDesk(engine: Engine): ChannelDesk {
  let parts: { app: TestApp; admin: TestClient; upstream: FakeUpstream } | undefined;
  const the = () => {
    if (parts === undefined) throw new Error('There is no desk outside a test');
    return parts;
  };

  beforeAll(async () => {
    const app = await createTestApp(engine);
    await app.setup();
    const admin = await app.as(await app.createUser({ username: 'keeper', role: 10 }));
    parts = { app, admin, upstream: await startFakeUpstream() };
  });
  afterEach(async () => {
    await the().app.context.db.collection('channels').remove({});
    await the().app.context.channels.reload();
    the().upstream.reset();
  });
  afterAll(async () => {
    await parts?.app.close();
    await parts?.upstream.close();
  });

  const create: ChannelDesk['create'] = (fields = {}) => the().admin.post('/api/channel/', { ...validChannel, ...fields });
  const stored: ChannelDesk['stored'] = async (id) => {
    const record = await the().app.context.db.collection('channels').get(id);
    if (record === null) throw new Error(`There is no channel ${id}`);
    return record;
  };
  return {
    get app() {
      return the().app;
    },
    get admin() {
      return the().admin;
    },
    get upstream() {
      return the().upstream;
    },
    create,
    async createOne(fields) {
      const answer = await create(fields);
      expect(answer).toMatchObject({ status: 200, success: true });
      return answer.data[0];
    },
    read: async (id) => (await the().admin.get(`/api/channel/${id}`)).data,
    stored,
    keyOf: async (id) => the().app.context.secrets.decrypt((await stored(id)).key_cipher, 'channel_key'),
    count: () => the().app.context.db.collection('channels').count({}),
  };
}
