// Reports to an operator about channels that fail.
import { describe, expect, test } from 'vitest';
import type { FailingChannel } from '#shared/channels.ts';
import { LogType } from '#shared/logs.ts';
import { engines } from '#tests/support/engines.ts';
import { storeTestResult } from '#server/features/channels/test-channel.ts';
import { createChannelSlots } from '#server/exchange/channel-slots.ts';
import { createScene, type RelayScene, testModel } from '#tests/support/relay-scene.ts';

const minute = 60_000;

async function failing(scene: RelayScene): Promise<FailingChannel[]> {
  const admin = await scene.app.as(await scene.app.createUser({ role: 10 }));
  const { data } = await admin.get('/api/channel/failing');
  const todo = await admin.get('/api/data/desk');
  expect(todo.data.failing).toEqual(data.slice(0, 5));
  return data;
}

async function calls(scene: RelayScene, count: number): Promise<void> {
  for (let made = 0; made < count; made += 1) await (await scene.chat()).text();
}

describe.each(engines)('failing channels on $kind', (engine) => {
  test('below nine of ten in a quarter of an hour, with the status and since when', async () => {
    await using scene = await createScene(engine, {
      settings: { RetryTimes: '0', AutomaticDisableChannelEnabled: 'false' },
      channels: [{ name: 'east' }, { name: 'west', status: 2, models: `${testModel},only-west` }],
    });
    await calls(scene, 20);
    expect(await failing(scene)).toEqual([]);
    // Two minutes after a slot began.
    scene.app.clock.advance(20 * minute + 120_000 - (scene.app.clock.now() % 300_000));
    const before = Math.floor(scene.app.clock.now() / 1000);
    scene.upstream.behave({ status: 401 });
    await calls(scene, 10);
    const reported = await failing(scene);
    const began = reported[0]?.since ?? 0;
    expect(began).toBeGreaterThanOrEqual(before);
    expect(began).toBeLessThan(before + 30);
    expect(reported).toEqual([
      {
        id: scene.channelIds[0],
        name: 'east',
        by: 'calls',
        status: 401,
        problem: '',
        since: began,
        calls: 10,
        failures: 10,
        sole_models: 1,
      },
    ]);
    // What another process counted, or this one before, is stored.
    await scene.app.context.figures.flush();
    expect(await failing(scene)).toMatchObject([{ calls: 10, failures: 10, since: began }]);
    scene.app.clock.advance(10 * minute);
    await calls(scene, 5);
    expect(await failing(scene)).toMatchObject([{ calls: 15, since: began }]);
    // Whichever time decides: the counts go back as far as the time next to them.
    scene.app.clock.advance(12 * minute);
    await calls(scene, 2);
    expect(await failing(scene)).toMatchObject([{ calls: 17, failures: 17, since: began }]);
    // Once it answers again, and what was is over.
    scene.app.clock.advance(25 * minute);
    scene.upstream.behave({});
    await calls(scene, 3);
    expect(await failing(scene)).toEqual([]);
  });

  test('few calls say something only where nobody else has the model', async () => {
    await using scene = await createScene(engine, {
      settings: { RetryTimes: '0', AutomaticDisableChannelEnabled: 'false' },
      channels: [{ name: 'first', priority: 1 }, { name: 'second' }],
    });
    scene.upstream.behave({ status: 500 });
    await calls(scene, 2);
    expect(await failing(scene)).toEqual([]);
    const { db, changes } = scene.app.context;
    await db.collection('channels').patch({ id: scene.channelIds[1] ?? 0 }, { set: { models: 'another' } });
    await changes.announce('channel', scene.channelIds[1] ?? 0);
    await expect.poll(() => failing(scene)).toMatchObject([{ name: 'first', status: 500, sole_models: 1 }]);
  });

  test.each([
    // OpenRouter, xAI, providers that cite the law, and OpenAI about a request above the limit per minute.
    [403, { message: 'your input was flagged', type: '', code: 403, metadata: { reasons: ['violence'], flagged_input: 'x' } }, 400],
    [403, { message: 'Content violates usage guidelines. Team: ab12cd34, API key ID: ef56-ab78, Model: m', type: 'permission_error' }, 400],
    [451, { message: 'Sensitive content', type: 'x' }, 400],
    [429, { message: 'Request too large for m in organization o: Limit 30000, Requested 60000', type: 'tokens' }, 429],
  ])('no channel fails or rests because of prompts that it refuses: %i %j', async (status, error, reported) => {
    await using scene = await createScene(engine, {
      settings: { AutomaticDisableChannelEnabled: 'true' },
      channels: [{ name: 'first', priority: 1, auto_ban: 1 }, { name: 'second' }],
    });
    scene.upstream.behave({ status, error }, { times: 24 });
    for (let made = 0; made < 12; made += 1) {
      const refused = await scene.chat();
      expect(refused.status).toBe(reported);
      expect(await refused.text()).not.toMatch(/ab12cd34|ef56|refused the channel/);
    }
    scene.upstream.reset();
    // The next caller has the first one again, at once.
    expect((await scene.chat()).status).toBe(200);
    expect((await scene.logs(13)).at(-1)?.channel_id).toBe(scene.channelIds[0]);
    expect(await failing(scene)).toEqual([]);
  });

  test.each([
    [{ garbage: 'html' as const }, 200],
    [{ refuse: true }, 0],
    [{ status: 503 }, 503],
  ])('the status is the one that the provider sent: %j', async (behaviour, status) => {
    await using scene = await createScene(engine, {
      settings: { RetryTimes: '0', AutomaticDisableChannelEnabled: 'false' },
      channels: [{ name: 'east' }],
    });
    scene.upstream.behave(behaviour);
    await calls(scene, 2);
    expect(await failing(scene)).toMatchObject([{ name: 'east', by: 'calls', status }]);
  });

  test('one whose settings let nothing be sent, as long as it is enabled', async () => {
    await using scene = await createScene(engine, {
      channels: [
        { name: 'east' },
        { name: 'west', models: 'only-west', base_url: 'ftp://provider.example' },
        { name: 'off', status: 2, base_url: 'ftp://provider.example' },
      ],
    });
    expect(await failing(scene)).toMatchObject([
      { name: 'west', by: 'settings', problem: '代理地址不是普通的 http 或 https 地址', calls: 0, sole_models: 1 },
    ]);
  });

  test('a failed test, until calls go well', async () => {
    await using scene = await createScene(engine, { channels: [{ name: 'east', test_error: 'no such model', test_time: 1_700_000_000 }] });
    expect(await failing(scene)).toMatchObject([{ name: 'east', by: 'test', problem: 'no such model', since: 1_700_000_000 }]);
    await calls(scene, 10);
    expect(await failing(scene)).toEqual([]);
  });

  test('a passed test ends it at once; failures after it count anew, and bring it back', async () => {
    await using scene = await createScene(engine, {
      settings: { RetryTimes: '0', AutomaticDisableChannelEnabled: 'false' },
      // Of another group: east is not the only one of its model, and has all calls.
      channels: [{ name: 'east' }, { name: 'west', group: 'vip' }],
    });
    const { app, upstream } = scene;
    const [id = 0] = scene.channelIds;
    const root = await app.as(await app.createUser({ role: 100 }));
    upstream.behave({ status: 401 });
    await calls(scene, 12);
    const east = async () => (await failing(scene)).filter((one) => one.id === id);
    expect(await east()).toMatchObject([{ by: 'calls', status: 401, failures: expect.any(Number) }]);
    const failed = (await east())[0]?.failures ?? 0;
    expect(failed).toBeGreaterThanOrEqual(10);
    // A failed test ends nothing, and is reported when the calls are over.
    expect(await root.get(`/api/channel/test/${id}`)).toMatchObject({ success: false });
    expect(await east()).toMatchObject([{ by: 'calls', failures: failed }]);
    upstream.reset();
    expect(await root.get(`/api/channel/test/${id}`)).toMatchObject({ success: true });
    expect(await east()).toEqual([]);
    await app.context.figures.flush();
    expect(await east()).toEqual([]);
    // Nine are too few, of whatever was before.
    const { figures } = app.context;
    app.clock.advance(2_000);
    const again = Math.floor(app.clock.now() / 1000);
    const fail = () => (figures.called(id, undefined), figures.failed(id, 403));
    for (let made = 0; made < 9; made += 1) fail();
    expect(await east()).toEqual([]);
    fail();
    const [reported] = await east();
    expect(reported).toMatchObject({ by: 'calls', status: 403, calls: 10, failures: 10 });
    expect(reported?.since).toBeGreaterThanOrEqual(again);
    // A failed test after it does not bring back what was before the passed one.
    upstream.behave({ status: 500 });
    expect(await root.get(`/api/channel/test/${id}`)).toMatchObject({ success: false });
    expect(await east()).toMatchObject([{ by: 'calls', calls: 10 }]);
    // One test among all, as by itself.
    upstream.reset();
    await root.get('/api/channel/test');
    await expect.poll(east).toEqual([]);
  });

  test('what earlier versions counted has no first failure, and is told from its five minutes on', async () => {
    await using scene = await createScene(engine, { channels: [{ name: 'east' }] });
    const id = scene.channelIds[0] ?? 0;
    const slot = Math.floor(scene.app.clock.now() / 300_000) * 300 - 300;
    await scene.app.context.db
      .collection('channel_slots')
      .insert({ id: `${id}:${slot}`, channel_id: id, slot, calls: 10, failures: 10, status: 401 });
    expect(await failing(scene)).toMatchObject([{ since: slot, failures: 10, status: 401 }]);
    // What the schedule's tests find ends nothing: they are of one model, and may come often.
    const result = { test_time: slot + 299, response_time: 1, test_error: '', test_reason: null, tested_model: 'm' };
    await storeTestResult(scene.app.context, id, result, { isByHand: false });
    expect(await failing(scene)).toMatchObject([{ failures: 10 }]);
    await storeTestResult(scene.app.context, id, result, { isByHand: true });
    expect(await failing(scene)).toEqual([]);
  });

  test('of several processes the earliest failure counts, and each hears of a passed test', async () => {
    await using scene = await createScene(engine, { channels: [{ name: 'east' }] });
    const { db, log } = scene.app.context;
    const id = scene.channelIds[0] ?? 0;
    const at = { now: Math.floor(scene.app.clock.now() / 300_000) * 300_000 + 60_000 };
    const [one, other] = [0, 1].map(() => createChannelSlots({ db, log, now: () => at.now }));
    const fail = (slots: typeof one) => (slots?.called(id), slots?.failed(id, 500));
    const firsts = async () =>
      (await one?.read(0, id))?.toSorted((a, b) => a.begins - b.begins).map(({ firstAt, failures }) => [firstAt, failures]);
    fail(one);
    at.now += 40_000;
    fail(other);
    fail(one);
    await other?.flush();
    await one?.flush();
    const first = Math.floor(at.now / 1000) - 40;
    expect(await firsts()).toEqual([[first, 3]]);
    fail(other);
    await other?.flush();
    expect(await firsts()).toEqual([[first, 4]]);
    for (const slots of [one, other]) slots?.passed(id, at.now + 500);
    at.now += 10_000;
    fail(one);
    fail(other);
    for (const slots of [one, other]) await slots?.flush();
    expect(await firsts()).toEqual([
      [first, 4],
      [first + 50, 2],
    ]);
    // Announced: the second cache of the same figures gets the update of the first.
    await storeTestResult(
      scene.app.context,
      id,
      { test_time: 1, response_time: 1, test_error: '', test_reason: null, tested_model: 'm' },
      { isByHand: true },
    );
    expect((await db.collection('changes').find({ kind: 'passed_test' })).map(({ key }) => key)).toEqual([
      expect.stringMatching(new RegExp(`^${id}:\\d+$`)),
    ]);
  });

  test('refused calls are told by cause and token, with their counts', async () => {
    await using scene = await createScene(engine);
    for (let made = 0; made < 3; made += 1) await (await scene.chat({ model: 'nothing-of-that-name' })).text();
    const admin = await scene.app.as(await scene.app.createUser({ role: 10 }));
    const groups = async () => (await admin.get('/api/data/desk')).data.refusals;
    await expect
      .poll(groups, { timeout: 60_000 })
      .toMatchObject([{ code: 'model_not_found', username: scene.user.username, token_name: scene.token.name, count: 3 }]);
    // Whatever the models: one line, of the last of them.
    for (const model of ['a', 'b', 'c', 'd', 'e', 'last']) {
      scene.app.clock.advance(1_000);
      await (await scene.chat({ model: `nothing-${model}` })).text();
    }
    scene.app.clock.advance(minute);
    await expect.poll(groups, { timeout: 60_000 }).toMatchObject([{ count: 9 }]);
    const [line, ...more] = await groups();
    expect(more).toEqual([]);
    expect(line.reason.en).toContain('nothing-last');
    // However many rows there are.
    const rows = await scene.app.context.db.collection('logs').find({ type: LogType.refusal }, { limit: 1 });
    const [row] = rows;
    if (row === undefined) throw new Error('There is no row');
    const at = Math.floor(scene.app.clock.now() / 1000);
    for (let made = 0; made < 600; made += 1) {
      const refusal = { code: 'token_exhausted', status: 403, reason: { zh: '', en: '' }, count: 1, last_at: at, request_ids: [] };
      await scene.app.context.db
        .collection('logs')
        .insert({ ...row, id: 9_000_000 + made, created_at: at, refusal_key: `made ${made}`, other: { refusal } });
    }
    expect(await groups()).toMatchObject([
      { code: 'token_exhausted', count: 600 },
      { code: 'model_not_found', count: 9 },
    ]);
  });
});
