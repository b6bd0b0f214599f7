// What relayed calls leave in the figures of their channels.
import { pino } from 'pino';
import { describe, expect, it, test } from 'vitest';
import type { ChannelFigureSheet } from '#shared/channels.ts';
import type { Database } from '#server/db/database.ts';
import { DatabaseUnavailable } from '#server/db/collection.ts';
import { createChannelFigures, sweepChannelFigures } from '#server/exchange/channel-figures.ts';
import { createClock } from '#tests/support/clock.ts';
import { oneEngine, onEachEngine } from '#tests/support/engines.ts';
import { createScene, readEvents, type RelayScene, testModel, until } from '#tests/support/relay-scene.ts';

type Figures = ChannelFigureSheet['channels'][number];

async function figuresOf(scene: RelayScene, id = scene.channelIds[0]): Promise<Figures | undefined> {
  const admin = await scene.app.as(await scene.app.createUser({ role: 10 }));
  const answer = await admin.get('/api/channel/figures');
  expect(answer).toMatchObject({ status: 200, success: true });
  return answer.data.channels.find((figures: Figures) => figures.id === id);
}

/** Sends a call and hangs up, before the answer or when the first of it has come. */
async function leave(scene: RelayScene, { after, stream }: { after: 'sending' | 'first byte'; stream: boolean }): Promise<void> {
  const client = new AbortController();
  const requested = fetch(`${scene.app.origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${scene.key}` },
    body: JSON.stringify({ model: testModel, stream, messages: [{ role: 'user', content: 'go' }] }),
    signal: client.signal,
  }).catch(() => null);
  const request = await scene.upstream.request(scene.upstream.requests.length);
  if (after === 'first byte') await (await requested)?.body?.getReader().read();
  client.abort();
  await requested;
  await request.closed;
}

describe.each(oneEngine)('figures of channels on $kind', (engine) => {
  test('answers count as calls, whole ones and streams, with the time to their first byte', async () => {
    await using scene = await createScene(engine);
    expect(await figuresOf(scene)).toBeUndefined();
    await scene.chat();
    scene.upstream.behave({ firstByteDelay: 120 });
    await readEvents(await scene.chat({ stream: true }));
    await readEvents(await scene.chat({ stream: true }));
    await scene.logs(3);
    const figures = await figuresOf(scene);
    expect(figures).toMatchObject({ calls: 3, failures: 0 });
    expect(figures?.hours).toHaveLength(24);
    expect(figures?.hours.at(-1)).toEqual([3, 0]);
    expect(figures?.hours.slice(0, -1).every(([calls, failures]) => calls === 0 && failures === 0)).toBe(true);
    // Two of the three waited for 120 ms.
    expect(figures?.first_byte_ms).toBeGreaterThan(100);
    expect(figures?.first_byte_ms).toBeLessThan(5_000);
  });

  test.each([
    ['a failing upstream', { status: 500 }],
    ['a dead key', { status: 401 }],
    ['a limit of the upstream', { status: 429 }],
    ['no connection', { refuse: true }],
    ['garbage', { garbage: 'half json' }],
  ] as const)('a failure counts against the channel: %s', async (_name, behaviour) => {
    await using scene = await createScene(engine);
    scene.upstream.behave(behaviour);
    expect((await scene.chat()).status).toBeGreaterThanOrEqual(400);
    await scene.logs(1);
    expect(await figuresOf(scene)).toMatchObject({ calls: 1, failures: 1, first_byte_ms: null });
  });

  test('a call that goes on to another channel is a failure of the first and a call of the second', async () => {
    await using scene = await createScene(engine, { channels: [{ priority: 5, key: 'sk-bad' }, { key: 'sk-good' }] });
    scene.upstream.behave({ status: 500 }, { key: 'sk-bad' });
    await scene.chat();
    expect(await figuresOf(scene, scene.channelIds[0])).toMatchObject({ calls: 1, failures: 1, first_byte_ms: null });
    expect(await figuresOf(scene, scene.channelIds[1])).toMatchObject({ calls: 1, failures: 0, first_byte_ms: expect.any(Number) });
  });

  test('a stream that breaks off after its beginning is one call and one failure', async () => {
    await using scene = await createScene(engine);
    scene.upstream.behave({ text: 'one two three four five six seven', holdAfter: 3, cutAfter: 4, chunkDelay: 20 });
    const answer = await scene.chat({ stream: true });
    const request = await scene.upstream.request(0);
    await until(() => (request.eventsSent > 3 ? true : null));
    // Counted at its end, so that the failure stands in the hour of its call.
    expect(await figuresOf(scene)).toBeUndefined();
    request.release();
    await readEvents(answer);
    await scene.logs(1);
    expect(await figuresOf(scene)).toMatchObject({ calls: 1, failures: 1, first_byte_ms: expect.any(Number) });
  });

  test('a request that is bad is a call, and no failure of the channel', async () => {
    await using scene = await createScene(engine);
    scene.upstream.behave({ status: 400 });
    expect((await scene.chat()).status).toBe(400);
    await scene.logs(1);
    // A refusal is quick: it says nothing about the wait for an answer.
    expect(await figuresOf(scene)).toMatchObject({ calls: 1, failures: 0, first_byte_ms: null });
  });

  test('a client that leaves is no failure; before the first byte it is not even a call', async () => {
    await using scene = await createScene(engine, { channels: [{ setting: '{"on_client_gone":"abort"}' }] });
    scene.upstream.behave({ firstByteDelay: Number.POSITIVE_INFINITY });
    await leave(scene, { after: 'sending', stream: false });
    await leave(scene, { after: 'sending', stream: true });
    await scene.logs(2);
    expect(await figuresOf(scene)).toBeUndefined();
    scene.upstream.behave({ repeat: { text: 'word ', times: 1000 }, holdAfter: 20 });
    await leave(scene, { after: 'first byte', stream: true });
    await scene.logs(3);
    expect(await figuresOf(scene)).toMatchObject({ calls: 1, failures: 0, first_byte_ms: expect.any(Number) });
  });

  test('what never reaches a channel counts nowhere', async () => {
    await using scene = await createScene(engine);
    expect((await scene.chat({ model: 'nobody-has-this' })).status).toBe(404);
    expect((await scene.chat({ messages: 'no list' })).status).toBe(400);
    expect(await figuresOf(scene)).toBeUndefined();
  });

  test('two processes add up, and the counts of one that stops stay', async () => {
    await using scene = await createScene(engine);
    await using other = await createScene(engine, { database: scene.app.database, channels: [], clock: scene.app.clock });
    const id = scene.channelIds[0];
    await until(() => (id !== undefined && other.app.context.channels.get(id) !== undefined ? true : null));
    await scene.chat();
    scene.upstream.behave({ status: 500 });
    await other.chat();
    await other.app.stop();
    await scene.chat();
    expect(await figuresOf(scene)).toMatchObject({ calls: 3, failures: 2 });
  });
});

onEachEngine('the store of channel figures', (current) => {
  const log = pino({ level: 'silent' });

  /** The database, whose patches fail while `broken.isBroken`. */
  function fragile(db: Database, broken: { isBroken: boolean; after: number }): Database {
    const collection: Database['collection'] = (name) => {
      const real = db.collection(name);
      const patch: typeof real.patch = (...args) => {
        if (broken.isBroken && broken.after-- <= 0) return Promise.reject(new DatabaseUnavailable('as the test wants'));
        return real.patch(...args);
      };
      return new Proxy(real, {
        get: (target, key) => {
          if (key === 'patch') return patch;
          const value: unknown = Reflect.get(target, key);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
    };
    return new Proxy(db, { get: (target, key) => (key === 'collection' ? collection : Reflect.get(target, key)) });
  }

  const sum = (hours: readonly { calls: number; failures: number; firstBytes: readonly { count: number }[] }[]) => ({
    calls: hours.reduce((total, hour) => total + hour.calls, 0),
    failures: hours.reduce((total, hour) => total + hour.failures, 0),
    firstBytes: hours.reduce((total, hour) => total + hour.firstBytes.reduce((all, { count }) => all + count, 0), 0),
  });

  it('keeps what it could not write, loses nothing and counts nothing twice', async () => {
    const clock = createClock();
    const broken = { isBroken: true, after: 3 };
    const figures = createChannelFigures({ db: fragile(current().db, broken), log, now: clock.now });
    for (let id = 1; id <= 50; id += 1) figures.called(id, id * 100);
    figures.failed(7);
    const all = { calls: 50, failures: 1, firstBytes: 50 };
    await figures.flush();
    expect(sum(await figures.read(0))).toEqual(all);
    await figures.flush();
    broken.isBroken = false;
    await figures.flush();
    await figures.flush();
    expect(sum(await figures.read(0))).toEqual(all);
    await figures.stop();
    const stored = await current().db.collection('channel_hours').find({});
    expect(stored).toHaveLength(50);
    expect(stored.find((row) => row.channel_id === 7)).toMatchObject({
      calls: 1,
      failures: 1,
      first_byte: { ms_570: 1 },
      first_byte_ms: { ms_570: 700 },
    });
  });

  it('adds up calls that come while it writes', async () => {
    const clock = createClock();
    const figures = createChannelFigures({ db: current().db, log, now: clock.now });
    const other = createChannelFigures({ db: await current().open(), log, now: clock.now });
    const rounds = 40;
    for (let round = 0; round < rounds; round += 1) {
      figures.called(1, 100);
      other.called(1, undefined);
      other.failed(1);
      const writing = [figures.flush(), other.flush()];
      figures.called(1, 10_000);
      // Each reader sees all that its own process has counted, however far the writing is.
      expect(sum(await figures.read(0)).firstBytes).toBe(2 * (round + 1));
      await Promise.all(writing);
    }
    await Promise.all([figures.stop(), other.stop()]);
    const [row, ...rest] = await current().db.collection('channel_hours').find({});
    expect(rest).toEqual([]);
    expect(row).toMatchObject({ calls: 3 * rounds, failures: rounds, first_byte: { ms_75: rounds, ms_9700: rounds } });
    expect(row).toMatchObject({ first_byte_ms: { ms_75: rounds * 100, ms_9700: rounds * 10_000 } });
  });

  it('keeps hours apart, and two days of them', async () => {
    const clock = createClock();
    const figures = createChannelFigures({ db: current().db, log, now: clock.now });
    const hour = 3_600_000;
    for (let at = 0; at < 60; at += 1) {
      figures.called(1, 100);
      if (at % 7 === 0) await figures.flush();
      clock.advance(hour);
    }
    await figures.flush();
    expect(await figures.read(0)).toHaveLength(60);
    await sweepChannelFigures({ db: current().db, now: clock.now });
    const stored = await figures.read(0);
    expect(stored).toHaveLength(47); // the current hour, without a call, is the 48th
    expect(Math.min(...stored.map((row) => row.hour)) * 1000).toBeGreaterThan(clock.now() - 48 * hour);
    await figures.stop();
  });
});
