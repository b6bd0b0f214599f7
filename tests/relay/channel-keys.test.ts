// Channels with several keys: a key that its provider refuses costs no call, and heals alone.
import { describe, expect, test } from 'vitest';
import { ChannelStatus } from '#shared/channels.ts';
import type { ChannelKeyRecord } from '#server/db/records/channel-key.ts';
import { storeCooldowns } from '#server/exchange/keys/key-cooldowns.ts';
import { newKey } from '#server/exchange/keys/new-key.ts';
import { createToken } from '#tests/support/build-token.ts';
import { engines, oneEngine } from '#tests/support/engines.ts';
import { createScene, readEvents, type RelayScene, setOption, testModel, until } from '#tests/support/relay-scene.ts';
import { createTestApp } from '#tests/support/test-app.ts';

const textOf = (index: number) => `sk-key-number-${index}-of-the-channel`;

/** Gives the scene's channel this many keys. */
async function giveKeys(
  scene: RelayScene,
  count: number,
  fields: (index: number) => Partial<ChannelKeyRecord> = () => ({}),
): Promise<number[]> {
  const { context } = scene.app;
  const [channel = 0] = scene.channelIds;
  const ids: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const id = await context.db.nextId('channel_keys');
    await context.db
      .collection('channel_keys')
      .insert({ ...newKey(context, { channel_id: channel, text: textOf(index) }), ...fields(index), id });
    ids.push(id);
  }
  await context.changes.announce('channel', channel);
  return ids;
}

/** Number of calls by the key's index. */
const sentWith = (scene: RelayScene, index: number) => scene.upstream.requests.filter(({ key }) => key === textOf(index)).length;
const refuse = (scene: RelayScene, index: number, status: number, more: object = {}) =>
  scene.upstream.behave({ status, ...more }, { key: textOf(index) });

/** @param said differs between conversations */
async function call(scene: RelayScene, isStream: boolean, said = 'Say hello'): Promise<number> {
  const response = await scene.chat({ messages: [{ role: 'user', content: said }], ...(isStream ? { stream: true } : {}) });
  if (isStream && response.status === 200) expect((await readEvents(response)).at(-1)).toBe('[DONE]');
  else await response.text();
  return response.status;
}

describe.each(engines)('keys of a channel on $kind', (engine) => {
  test('of ten keys one is refused: a thousand calls, streamed and not, cost no error, and the key is disabled alone', async () => {
    await using scene = await createScene(engine, { settings: { RetryTimes: '0', AutomaticDisableChannelEnabled: 'true' } });
    const [channel = 0] = scene.channelIds;
    const ids = await giveKeys(scene, 10);
    refuse(scene, 3, 401);
    const root = await scene.app.createUser({ role: 100 });
    const { db } = scene.app.context;
    let failed = 0;
    for (let done = 0; done < 1000; done += 20) {
      const statuses = await Promise.all(Array.from({ length: 20 }, (_, at) => call(scene, at % 2 === 0, `Say ${done + at}`)));
      failed += statuses.filter((status) => status !== 200).length;
    }
    expect(failed).toBe(0);
    const refusedKey = await until(async () => {
      const record = await db.collection('channel_keys').get(ids[3] ?? 0);
      return record?.status === ChannelStatus.disabledBySystem ? record : null;
    });
    expect(refusedKey).toMatchObject({ reason_status: 401, no_balance: false });
    const notices = await until(async () => {
      const found = await db.collection('notifications').find({ user_id: root.id });
      return found.length > 0 ? found : null;
    });
    expect(notices.map(({ event }) => event)).toEqual([
      expect.objectContaining({ code: 'key_refused', channel_id: channel, ending: refusedKey.ending, remaining: 9 }),
    ]);
    expect((await db.collection('channels').get(channel))?.status).toBe(ChannelStatus.enabled);
    expect(await db.collection('channel_keys').count({ channel_id: channel, status: ChannelStatus.enabled }, 20)).toBe(9);
    // Calls in flight while it was disabled, not the thousand.
    expect(sentWith(scene, 3)).toBeLessThanOrEqual(20);
    for (const index of [0, 1, 2, 4, 5, 6, 7, 8, 9]) expect(sentWith(scene, index)).toBeGreaterThan(50);
    await scene.app.context.keyFigures.flush();
    const stored = await db.collection('channel_keys').find({ channel_id: channel });
    expect(stored.reduce((sum, { calls }) => sum + calls, 0)).toBe(scene.upstream.requests.length);
    expect(stored.reduce((sum, { failures }) => sum + failures, 0)).toBe(sentWith(scene, 3));
    expect(stored.find(({ id }) => id === ids[0])?.tokens).toBeGreaterThan(0);
    await scene.checkBooks();
  });

  test('the last key takes the channel with it, and another key brings it back', async () => {
    await using scene = await createScene(engine, { settings: { AutomaticDisableChannelEnabled: 'true' } });
    const [channel = 0] = scene.channelIds;
    await giveKeys(scene, 2);
    scene.upstream.behave({ status: 401 });
    expect(await call(scene, false)).toBe(502);
    const { db } = scene.app.context;
    const statusOf = async () => (await db.collection('channels').get(channel))?.status;
    await until(async () => ((await statusOf()) === ChannelStatus.disabledBySystem ? true : null));
    scene.upstream.behave({});
    const admin = await scene.app.as(await scene.app.createUser({ role: 10 }));
    expect(await admin.post(`/api/channel/${channel}/keys`, { keys: textOf(7) })).toMatchObject({ success: true, data: { added: 1 } });
    expect(await statusOf()).toBe(ChannelStatus.enabled);
    expect(await call(scene, false)).toBe(200);
    expect(sentWith(scene, 7)).toBe(1);
  });

  test('cool-downs that several processes store at once are all stored', async () => {
    await using scene = await createScene(engine);
    const { context } = scene.app;
    const [id = 0] = await giveKeys(scene, 2);
    const rows = context.db.collection('channel_keys');
    // Every process has read the key before the first one writes.
    const read = Promise.withResolvers<void>();
    let readers = 0;
    const reading = async (key: number) => {
      const record = await rows.get(key);
      readers += 1;
      if (readers === 3) read.resolve();
      await read.promise;
      return record;
    };
    const end = context.now() + 60_000;
    const stored = ['a', 'b', 'c'].map((model) =>
      storeCooldowns(
        { get: reading, patch: rows.patch.bind(rows) },
        { keyId: id, cooldowns: [{ model, until: end, status: 429 }], now: context.now() },
      ),
    );
    expect(await Promise.all(stored)).toEqual([true, true, true]);
    expect((await rows.get(id))?.cooldowns.map(({ model }) => model).toSorted()).toEqual(['a', 'b', 'c']);
  });

  test('a rest that a provider reports to one process is obeyed by the other', async () => {
    await using scene = await createScene(engine, { settings: { AutomaticDisableChannelEnabled: 'true' } });
    const ids = await giveKeys(scene, 2);
    await using second = await createTestApp(engine, { database: scene.app.database, clock: scene.app.clock });
    refuse(scene, 0, 429, { retryAfter: 120 });
    // Until this process was refused once.
    await until(async () => ((await call(scene, false)) === 200 && sentWith(scene, 0) > 0 ? true : null));
    const record = await until(async () => {
      const found = await scene.app.context.db.collection('channel_keys').get(ids[0] ?? 0);
      return found !== null && found.cooldowns.length > 0 ? found : null;
    });
    expect(record).toMatchObject({ status: ChannelStatus.enabled, cooldowns: [{ model: testModel, status: 429 }] });
    const before = sentWith(scene, 0);
    const there = () =>
      fetch(`${second.origin}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${scene.key}` },
        body: JSON.stringify({ model: testModel, messages: [{ role: 'user', content: 'Say hello' }] }),
      });
    // The feed is read several times a second.
    await until(async () => {
      const sent = sentWith(scene, 0);
      for (let made = 0; made < 8; made += 1) expect((await there()).status).toBe(200);
      return sentWith(scene, 0) === sent ? true : null;
    });
    expect(sentWith(scene, 0)).toBeLessThanOrEqual(before + 1);
    expect(sentWith(scene, 1)).toBeGreaterThan(8);
  });
});

describe.each(oneEngine)('keys of a channel', (engine) => {
  test('after its cool-down one call at a time tries a key, and a success heals it', async () => {
    await using scene = await createScene(engine, { settings: { AutomaticDisableChannelEnabled: 'false' } });
    await giveKeys(scene, 2);
    refuse(scene, 0, 429, { retryAfter: 60 });
    while (sentWith(scene, 0) === 0) expect(await call(scene, false)).toBe(200);
    for (let made = 0; made < 20; made += 1) expect(await call(scene, false)).toBe(200);
    expect(sentWith(scene, 0)).toBe(1);
    scene.app.clock.advance(61_000);
    // The trial is under way: the others go elsewhere.
    scene.upstream.behave({ holdAfter: 1 }, { key: textOf(0) });
    const streams: Response[] = [];
    while (sentWith(scene, 0) === 1) streams.push(await scene.chat({ stream: true }));
    for (let made = 0; made < 10; made += 1) expect(await call(scene, false)).toBe(200);
    expect(sentWith(scene, 0)).toBe(2);
    scene.upstream.behave({}, { key: textOf(0) });
    for (const request of scene.upstream.requests) request.release();
    await Promise.all(streams.map((response) => response.text()));
    for (let made = 0; made < 20; made += 1) expect(await call(scene, false)).toBe(200);
    expect(sentWith(scene, 0)).toBeGreaterThan(2);
  });

  test('an ended quota disables one key as one without balance; a key disabled by hand gets no calls', async () => {
    await using scene = await createScene(engine, { settings: { AutomaticDisableChannelEnabled: 'true' } });
    const [channel = 0] = scene.channelIds;
    const ids = await giveKeys(scene, 3, (index) => (index === 2 ? { status: ChannelStatus.disabledByHand } : {}));
    refuse(scene, 0, 429, {
      error: { message: 'You exceeded your current quota', type: 'insufficient_quota', code: 'insufficient_quota' },
    });
    while (sentWith(scene, 0) === 0) expect(await call(scene, false)).toBe(200);
    const admin = await scene.app.as(await scene.app.createUser({ role: 10 }));
    const sheet = await until(async () => {
      const { data } = await admin.get(`/api/channel/${channel}/keys`);
      return data.keys[0].state === 'no_balance' ? data : null;
    });
    expect(sheet.keys.map(({ state }: { state: string }) => state)).toEqual(['no_balance', 'healthy', 'disabled']);
    expect(sheet.keys.map(({ id }: { id: number }) => id)).toEqual(ids);
    expect(sentWith(scene, 2)).toBe(0);
    expect(JSON.stringify(sheet)).not.toContain('sk-key-number');
  });

  test('the conversation stays with its key, and continues with another one while that cools down', async () => {
    await using scene = await createScene(engine, {
      settings: { ChannelAffinityEnabled: 'true', AutomaticDisableChannelEnabled: 'false' },
    });
    await giveKeys(scene, 5);
    for (let turn = 0; turn < 10; turn += 1) expect(await call(scene, false)).toBe(200);
    const counts = () => [0, 1, 2, 3, 4].map((index) => sentWith(scene, index));
    const own = counts().indexOf(10);
    expect(own).toBeGreaterThanOrEqual(0);
    refuse(scene, own, 429, { retryAfter: 60 });
    for (let turn = 0; turn < 5; turn += 1) expect(await call(scene, false)).toBe(200);
    expect(counts().toSorted((a, b) => b - a)).toEqual([11, 5, 0, 0, 0]);
  });

  test('a key takes no more calls at once than its bound, whatever its weight', async () => {
    await using scene = await createScene(engine);
    await giveKeys(scene, 2, (index) => (index === 0 ? { most_parallel: 1, weight: 1000 } : {}));
    scene.upstream.behave({ holdAfter: 1 });
    const streams: Response[] = [];
    for (let made = 0; made < 6; made += 1) streams.push(await scene.chat({ stream: true }));
    expect([sentWith(scene, 0), sentWith(scene, 1)]).toEqual([1, 5]);
    for (const request of scene.upstream.requests) request.release();
    await Promise.all(streams.map((response) => response.text()));
    scene.upstream.behave({});
    expect(await call(scene, false)).toBe(200);
  });

  test('a key that is removed while a stream uses it lets the stream end, and gets nothing more', async () => {
    await using scene = await createScene(engine);
    const [channel = 0] = scene.channelIds;
    const ids = await giveKeys(scene, 2, (index) => (index === 0 ? { weight: 1_000_000 } : { weight: 1 }));
    scene.upstream.behave({ holdAfter: 1 });
    const stream = await scene.chat({ stream: true });
    expect(sentWith(scene, 0)).toBe(1);
    scene.upstream.behave({});
    const admin = await scene.app.as(await scene.app.createUser({ role: 10 }));
    expect(await admin.post(`/api/channel/${channel}/keys/remove`, { ids: [ids[0]] })).toMatchObject({ success: true, data: 1 });
    expect(await call(scene, false)).toBe(200);
    for (const request of scene.upstream.requests) request.release();
    expect((await readEvents(stream)).at(-1)).toBe('[DONE]');
    expect([sentWith(scene, 0), sentWith(scene, 1)]).toEqual([1, 1]);
    await scene.checkBooks();
  });

  test('a caller whose requests no key takes cools down one key for the others, and is served again', async () => {
    await using scene = await createScene(engine, { settings: { RetryTimes: '0', AutomaticDisableChannelEnabled: 'false' } });
    await giveKeys(scene, 5);
    const { key } = await createToken(scene.app.context, (await scene.app.createUser({ quota: 1_000_000 })).id);
    const large = async () => {
      const response = await scene.chat({ messages: [{ role: 'user', content: 'Say much' }] }, { authorization: `Bearer ${key}` });
      await response.text();
      return response.status;
    };
    // The channel is in use by others.
    expect(await call(scene, false)).toBe(200);
    const refusal = { message: 'This request would exceed the rate limit of 40,000 input tokens per minute', type: 'rate_limit_error' };
    scene.upstream.behave({ status: 429, error: refusal, retryAfter: 60 });
    for (let made = 0; made < 8; made += 1) expect(await large()).toBe(429);
    scene.upstream.behave({});
    const before = [0, 1, 2, 3, 4].map((index) => sentWith(scene, index));
    expect(before.filter((count) => count > 0)).toHaveLength(5);
    for (let made = 0; made < 60; made += 1) expect(await call(scene, false, `Say ${made}`)).toBe(200);
    const used = [0, 1, 2, 3, 4].filter((index) => sentWith(scene, index) > (before[index] ?? 0));
    expect(used).toHaveLength(4);
    scene.app.clock.advance(61_000);
    expect(await large()).toBe(200);
    await scene.checkBooks();
  });

  test('a caller whose request is refused by every key gets the answer after few of them, and disables none', async () => {
    await using scene = await createScene(engine, { settings: { RetryTimes: '2', AutomaticDisableChannelEnabled: 'true' } });
    const [channel = 0] = scene.channelIds;
    await giveKeys(scene, 10);
    scene.upstream.behave({ status: 403, error: { message: 'You may not do that', type: 'permission_error' } });
    expect(await call(scene, false)).toBe(502);
    expect(scene.upstream.requests).toHaveLength(3);
    scene.upstream.behave({});
    await setOption(scene.app, 'RetryTimes', '0');
    expect(await call(scene, false)).toBe(200);
    const { db } = scene.app.context;
    expect(await db.collection('channel_keys').count({ channel_id: channel, status: ChannelStatus.enabled }, 20)).toBe(10);
  });
});
