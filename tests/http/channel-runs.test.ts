import { describe, expect, it } from 'vitest';
import type { ChannelRun } from '#shared/channel-runs.ts';
import { tendRuns } from '#server/features/channels/channel-runs.ts';
import { buildChannel } from '#tests/support/build-channel.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { type FakeUpstream, startFakeUpstream } from '#tests/support/fake-upstream.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { setOption } from '#tests/support/relay-scene.ts';
import { createTestApp, type TestApp, type TestAppOptions } from '#tests/support/test-app.ts';

describe.each(oneEngine)('runs over all channels on $kind', (engine) => {
  interface Scene extends AsyncDisposable {
    app: TestApp;
    root: TestClient;
    upstream: FakeUpstream;
    add(fields?: object): Promise<number>;
    status(id: number): Promise<number | undefined>;
  }
  async function scene(options: TestAppOptions = {}): Promise<Scene> {
    const app = await createTestApp(engine, options);
    const root = await app.setup();
    const upstream = await startFakeUpstream();
    return {
      app,
      root,
      upstream,
      async add(fields = {}) {
        const answer = await root.post('/api/channel/', { name: 'one', key: 'sk-1', models: 'gpt-4o', base_url: upstream.url, ...fields });
        return answer.data[0];
      },
      status: async (id) => (await app.context.db.collection('channels').get(id))?.status,
      async [Symbol.asyncDispose]() {
        await app.close();
        await upstream.close();
      },
    };
  }
  const testsIn = async (client: TestClient): Promise<ChannelRun | null> => (await client.get('/api/channel/runs')).data.tests;
  const ended = (client: TestClient, state = 'done') =>
    expect.poll(async () => (await testsIn(client))?.state, { timeout: 60_000, interval: 20 }).toBe(state);

  it('test every channel whatever its status, and say how they did', async () => {
    await using the = await scene();
    const good = await the.add();
    const off = await the.add({ key: 'sk-2', status: 2 });
    const bad = await the.add({ key: 'sk-bad' });
    the.upstream.behave({ status: 500 }, { key: 'sk-bad' });
    expect(await testsIn(the.root)).toBeNull();
    expect(await the.root.get('/api/channel/test')).toMatchObject({ status: 200, success: true });
    await ended(the.root);
    expect(await testsIn(the.root)).toMatchObject({
      started_by: 'root',
      total: 3,
      done: 3,
      failed: 1,
      disabled: 0,
      enabled: 0,
      current: [],
    });
    const reported = await the.app.context.db.collection('notifications').find({});
    expect(reported.map(({ event }) => event)).toEqual([{ code: 'channel_test' }]);
    const channels = the.app.context.db.collection('channels');
    for (const id of [good, off]) expect(await channels.get(id)).toMatchObject({ test_error: '', test_time: expect.any(Number) });
    expect((await channels.get(bad))?.test_reason).toMatchObject({ facts: { message: expect.stringContaining('status code 500') } });
    expect(await the.status(off)).toBe(2);
  });

  it('a channel whose test breaks in an unforeseen way counts as failed, and its neighbours are tested once', async () => {
    await using the = await scene();
    const ids: number[] = [];
    for (let index = 0; index < 4; index += 1) ids.push(await the.add({ key: `sk-${index}` }));
    const channels = the.app.context.db.collection('channels');
    // No text, as a hand in the database may leave it.
    await channels.patch({ id: ids[1] ?? 0 }, { set: { test_model: JSON.parse('7') } });
    await the.root.get('/api/channel/test');
    await ended(the.root);
    expect(await testsIn(the.root)).toMatchObject({ state: 'done', total: 4, done: 4, failed: 1 });
    expect(the.upstream.requests).toHaveLength(3);
  });

  it('a second start is refused in every process, which see the progress too; a stop ends it', async () => {
    await using the = await scene();
    await using other = await createTestApp(engine, { database: the.app.database, clock: the.app.clock });
    for (let index = 0; index < 6; index += 1) await the.add({ key: `sk-${index}` });
    the.upstream.behave({ firstByteDelay: Number.POSITIVE_INFINITY });
    const second = await other.login('root');
    await the.root.get('/api/channel/test');
    await the.upstream.request(3);
    for (const client of [the.root, second]) {
      const english = { headers: { 'accept-language': 'en' } };
      expect(await client.get('/api/channel/test')).toMatchObject({
        success: false,
        code: 'channel_tests_running',
        message: '测试已在运行中',
      });
      expect((await client.get('/api/channel/test', english)).message).toBe('A test is already running');
      const run = await testsIn(client);
      expect(run).toMatchObject({ state: 'running', total: 6, done: 0, ended_at: 0 });
      expect(run?.current).toHaveLength(4);
    }
    expect((await second.post('/api/channel/runs/stop', { kind: 'tests' })).data).toMatchObject({
      tests: { state: 'stopped', current: [] },
    });
    expect(await testsIn(the.root)).toMatchObject({ state: 'stopped' });
    // Requests in flight may still complete; no further channel is tried.
    for (const request of the.upstream.requests) request.release();
    expect(the.upstream.requests).toHaveLength(4);
    expect(await second.post('/api/channel/runs/stop', { kind: 'tests' })).toMatchObject({ success: true });
    expect(await second.post('/api/channel/runs/stop', { kind: 'nothing' })).toMatchObject({ status: 200, success: false, field: 'kind' });
    the.upstream.reset();
    expect(await second.get('/api/channel/test')).toMatchObject({ success: true });
    await ended(the.root);
    expect(await testsIn(the.root)).toMatchObject({ total: 6, done: 6, failed: 0 });
  });

  it('of a process that is gone another one goes on with, after what was done', async () => {
    await using the = await scene();
    await using other = await createTestApp(engine, { database: the.app.database, clock: the.app.clock });
    for (let index = 0; index < 6; index += 1) await the.add({ key: `sk-${index}` });
    const second = await other.login('root');
    the.upstream.queue({}, {}, {}, {});
    the.upstream.behave({ firstByteDelay: Number.POSITIVE_INFINITY });
    await the.root.get('/api/channel/test');
    await the.upstream.request(5);
    expect(await testsIn(second)).toMatchObject({ state: 'running', done: 4 });
    await tendRuns(other.context);
    expect(the.upstream.requests).toHaveLength(6);
    await the.app.stop();
    the.upstream.reset();
    await tendRuns(other.context);
    await ended(second);
    expect(await testsIn(second)).toMatchObject({ state: 'done', total: 6, done: 6, failed: 0 });
    expect(the.upstream.requests).toHaveLength(2);
  });

  it('a run whose process is frozen is taken over when its lease has ended, and its late results do not count', async () => {
    await using the = await scene();
    await using other = await createTestApp(engine, { database: the.app.database, clock: the.app.clock });
    await the.add();
    const runs = the.app.context.db.collection('channel_runs');
    the.upstream.queue({ firstByteDelay: Number.POSITIVE_INFINITY });
    await the.root.get('/api/channel/test');
    const held = await the.upstream.request(0);
    await runs.patch({ id: 'tests' }, { set: { expires_at: 0 } });
    await tendRuns(other.context);
    await ended(the.root);
    held.release();
    await held.closed;
    expect(await testsIn(the.root)).toMatchObject({ state: 'done', total: 1, done: 1 });
  });

  it('disable what is refused or too slow, and enable again what passes, only where that is switched on', async () => {
    await using the = await scene();
    const refused = await the.add({ key: 'sk-dead' });
    const spared = await the.add({ key: 'sk-dead', auto_ban: 0 });
    const back = await the.add({ key: 'sk-ok' });
    const byHand = await the.add({ key: 'sk-ok', status: 2 });
    const channels = the.app.context.db.collection('channels');
    await channels.patch({ id: back }, { set: { status: 3 } });
    the.upstream.behave({ status: 401 }, { key: 'sk-dead' });
    const run = async () => {
      await the.root.get('/api/channel/test');
      await ended(the.root);
      return testsIn(the.root);
    };
    expect(await run()).toMatchObject({ failed: 2, disabled: 0, enabled: 0 });
    expect([await the.status(refused), await the.status(back)]).toEqual([1, 3]);
    await setOption(the.app, 'AutomaticDisableChannelEnabled', 'true');
    await setOption(the.app, 'AutomaticEnableChannelEnabled', 'true');
    expect(await run()).toMatchObject({ failed: 2, disabled: 1, enabled: 1 });
    const reported = await the.app.context.db.collection('notifications').find({});
    const updates = reported.map(({ event }) => event).filter(({ code }) => code === 'channel_update');
    expect(updates).toHaveLength(2);
    expect(updates).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ channel_id: refused, status: 3 }),
        expect.objectContaining({ channel_id: back, status: 1 }),
      ]),
    );
    const statuses = await Promise.all([refused, spared, back, byHand].map(the.status));
    expect(statuses).toEqual([3, 1, 1, 2]);
    expect(JSON.parse((await channels.get(refused))?.other_info ?? '')).toMatchObject({ status_reason: expect.any(String) });
    // Every answer takes longer than this.
    await setOption(the.app, 'ChannelDisableThreshold', '0.0001');
    await channels.patch({ id: refused }, { set: { status: 1 } });
    expect(await run()).toMatchObject({ disabled: 2 });
    expect(JSON.parse((await channels.get(back))?.other_info ?? '')).toMatchObject({
      status_fact: { code: 'too_slow', facts: { taken: expect.stringMatching(/^\d+\.\d\d$/), threshold: '0.00' } },
    });
    expect(await run()).toMatchObject({ enabled: 0 });
    await setOption(the.app, 'ChannelDisableThreshold', '0');
    expect(await run()).toMatchObject({ enabled: 1 });
  });

  it('a single test that passes enables a channel that was disabled automatically', async () => {
    await using the = await scene();
    const id = await the.add();
    await the.app.context.db.collection('channels').patch({ id }, { set: { status: 3, other_info: '{"status_reason":"402"}' } });
    await the.root.get(`/api/channel/test/${id}`);
    expect(await the.status(id)).toBe(3);
    await setOption(the.app, 'AutomaticEnableChannelEnabled', 'true');
    await the.root.get(`/api/channel/test/${id}`);
    expect(await the.status(id)).toBe(1);
    await expect.poll(() => the.app.context.channels.enabledModels()).toEqual(['gpt-4o']);
  });

  it('ask for the balances of enabled channels; who does not tell is no failure', async () => {
    await using the = await scene();
    await the.add();
    await the.add({ type: 43 });
    await the.add({ type: 3 });
    await the.add({ status: 2 });
    await the.root.get('/api/channel/update_balance');
    const balances = async () => (await the.root.get('/api/channel/runs')).data.balances;
    await expect.poll(async () => (await balances())?.state, { timeout: 60_000 }).toBe('done');
    expect(await balances()).toMatchObject({ total: 3, done: 3, failed: 2, disabled: 0 });
    expect(the.upstream.requests.map(({ path }) => path).toSorted()).toEqual(['/user/balance', '/v1/dashboard/billing/subscription']);
    expect(await testsIn(the.root)).toBeNull();
  });

  describe('by the clock', () => {
    const minute = 60_000;

    it('begin after one interval, once over all processes, in the name of the super administrator', async () => {
      await using the = await scene({ env: { CHANNEL_TEST_FREQUENCY: '10' } });
      await using other = await createTestApp(engine, {
        database: the.app.database,
        clock: the.app.clock,
        env: { CHANNEL_TEST_FREQUENCY: '10' },
      });
      await the.add();
      const tend = () => Promise.all([tendRuns(the.app.context), tendRuns(other.context)].map((work) => work.catch(() => {})));
      await tend();
      the.app.clock.advance(9 * minute);
      await tend();
      expect(await testsIn(the.root)).toBeNull();
      the.app.clock.advance(2 * minute);
      await tend();
      await ended(the.root);
      await tend();
      expect(the.upstream.requests).toHaveLength(1);
      expect(await testsIn(the.root)).toMatchObject({ started_by: '', total: 1, done: 1 });
      const [log] = await the.app.context.db.collection('logs').find({ type: 6 });
      expect(log).toMatchObject({ username: 'root', content: '模型测试', quota: 0 });
      expect(await the.app.context.db.collection('notifications').count({})).toBe(0);
      the.app.clock.advance(11 * minute);
      await tend();
      await expect.poll(() => the.upstream.requests.length).toBe(2);
    });

    it('leave out channels that say so, which tests by hand still ask', async () => {
      await using the = await scene({ env: { CHANNEL_TEST_FREQUENCY: '10' } });
      await the.add({ key: 'sk-tested' });
      await the.add({ key: 'sk-spared', setting: '{"skip_automatic_tests":true}' });
      const requested = () =>
        the.upstream.requests.map(({ headers }) => String(headers['authorization'])).toSorted((a, b) => a.localeCompare(b));
      the.app.clock.advance(11 * minute);
      await tendRuns(the.app.context);
      the.app.clock.advance(11 * minute);
      await tendRuns(the.app.context);
      await ended(the.root);
      expect(requested()).toEqual(['Bearer sk-tested']);
      expect(await testsIn(the.root)).toMatchObject({ total: 2, done: 2, failed: 0 });
      await the.root.get('/api/channel/test');
      await ended(the.root);
      expect(requested()).toEqual(['Bearer sk-spared', 'Bearer sk-tested', 'Bearer sk-tested']);
    });

    it('never begin where no frequency is given', async () => {
      await using the = await scene();
      await the.add();
      await tendRuns(the.app.context);
      the.app.clock.advance(1000 * minute);
      await tendRuns(the.app.context);
      expect((await the.root.get('/api/channel/runs')).data).toEqual({ tests: null, balances: null });
    });
  });

  it('are for administrators only; starting one is no link', async () => {
    await using the = await scene();
    const user = await the.app.as(await the.app.createUser());
    for (const [method, path] of [
      ['GET', '/api/channel/test'],
      ['GET', '/api/channel/update_balance'],
      ['GET', '/api/channel/runs'],
      ['POST', '/api/channel/runs/stop'],
    ] as const) {
      expect(await the.app.anonymous().call(method, path)).toMatchObject({ status: 401 });
      expect(await user.call(method, path, method === 'POST' ? { kind: 'tests' } : undefined)).toMatchObject({ status: 403 });
    }
    the.root.setUser(null);
    expect(await the.root.get('/api/channel/test')).toMatchObject({ status: 401, code: 'user_header_missing' });
  });

  it('walk through hundreds of channels', async () => {
    await using the = await scene();
    const { secrets, db } = the.app.context;
    const many = Array.from({ length: 120 }, (_, at) =>
      buildChannel({ id: 1000 + at, models: 'gpt-4o', base_url: the.upstream.url, key: `sk-${at}` }, secrets),
    );
    await db.write(many.map((record) => ({ insert: record, into: 'channels' })));
    await the.root.get('/api/channel/test');
    await expect.poll(async () => (await testsIn(the.root))?.state, { timeout: 60_000 }).toBe('done');
    expect(await testsIn(the.root)).toMatchObject({ total: 120, done: 120, failed: 0 });
    expect(new Set(the.upstream.requests.map(({ key }) => key)).size).toBe(120);
  });
});
