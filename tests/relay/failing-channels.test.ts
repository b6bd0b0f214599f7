// What an operator is told of channels that fail.
import { describe, expect, test } from 'vitest';
import type { FailingChannel } from '#shared/channels.ts';
import { engines } from '#tests/support/engines.ts';
import { createScene, testModel } from '#tests/support/relay-scene.ts';
import type { RelayScene } from '#tests/support/relay-scene.ts';

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
    scene.app.clock.advance(20 * minute);
    const began = Math.floor(scene.app.clock.now() / 300_000) * 300;
    scene.upstream.behave({ status: 401 });
    await calls(scene, 10);
    expect(await failing(scene)).toEqual([
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

  test('a failed test, until calls go well', async () => {
    await using scene = await createScene(engine, { channels: [{ name: 'east', test_error: 'no such model', test_time: 1_700_000_000 }] });
    expect(await failing(scene)).toMatchObject([{ name: 'east', by: 'test', problem: 'no such model', since: 1_700_000_000 }]);
    await calls(scene, 10);
    expect(await failing(scene)).toEqual([]);
  });

  test('refused calls are told by cause and token, with their counts', async () => {
    await using scene = await createScene(engine);
    for (let made = 0; made < 3; made += 1) await (await scene.chat({ model: 'nothing-of-that-name' })).text();
    const admin = await scene.app.as(await scene.app.createUser({ role: 10 }));
    const groups = async () => (await admin.get('/api/data/desk')).data.refusals;
    await expect
      .poll(groups, { timeout: 15_000 })
      .toMatchObject([{ code: 'model_not_found', username: scene.user.username, token_name: scene.token.name, count: 3 }]);
  });
});
