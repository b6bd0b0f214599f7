// Warnings of a low balance: once for each time that calls bring it below the mark, and not too often.
import { describe, expect, it } from 'vitest';
import { DatabaseUnavailable } from '#server/db/collection.ts';
import type { NotificationRecord } from '#server/db/records/notification.ts';
import { createLowBalance } from '#server/notify/low-balance.ts';
import type { Settings } from '#server/settings/settings.ts';
import { type Engine, engines } from '#tests/support/engines.ts';
import { createScene, type RelayScene, setOption, testModel, until } from '#tests/support/relay-scene.ts';
import { createTestApp } from '#tests/support/test-app.ts';

const call = 100_000;
const hours = 3_600_000;

/** Creates an account with credit for ten calls whose owner wants a reminder below `mark`. */
async function open(engine: Engine, mark: number | null, quota = 10 * call): Promise<RelayScene> {
  const scene = await createScene(engine, { quota, settings: { ModelPrice: JSON.stringify({ [testModel]: 0.2 }) } });
  if (mark !== null) {
    const setting = JSON.stringify({ notify_type: 'email', quota_warning_threshold: mark });
    await scene.app.context.db.collection('users').patch({ id: scene.user.id }, { set: { setting } });
  }
  return scene;
}
async function spend(scene: RelayScene, calls: number): Promise<void> {
  for (let index = 0; index < calls; index += 1) expect((await scene.chat()).status).toBe(200);
  await scene.app.context.lowBalance.check();
}
const credit = (scene: RelayScene, amount: number, ref: string) =>
  scene.app.context.ledger.change({ account: 'user', id: scene.user.id, amount, kind: 'test', ref, actorId: 0 });
const warnings = (scene: RelayScene): Promise<NotificationRecord[]> => scene.app.context.db.collection('notifications').find({});

describe.each(engines)('low balance on $kind', (engine) => {
  it('a charge that crosses the mark leads to one warning with the balance after it; further ones to none', async () => {
    await using scene = await open(engine, 7.5 * call);
    await spend(scene, 2);
    expect(await warnings(scene)).toEqual([]);
    await spend(scene, 1);
    expect(await warnings(scene)).toMatchObject([
      { user_id: scene.user.id, state: 'waiting', event: { code: 'quota_exceed', balance: 7 * call } },
    ]);
    await spend(scene, 2);
    scene.app.clock.advance(3 * hours);
    await spend(scene, 1);
    expect(await warnings(scene)).toHaveLength(1);
    await scene.checkBooks();
  });

  it('a balance that was above again is warned of again, at the earliest two hours later', async () => {
    await using scene = await open(engine, 7.5 * call);
    await spend(scene, 3);
    await credit(scene, call / 4, 'little');
    await spend(scene, 2);
    scene.app.clock.advance(3 * hours);
    await spend(scene, 1);
    // Not above the mark: no new crossing.
    expect(await warnings(scene)).toHaveLength(1);
    await credit(scene, 5 * call, 'much');
    await spend(scene, 4);
    expect(await warnings(scene)).toHaveLength(2);
    await credit(scene, 5 * call, 'more');
    await spend(scene, 5);
    expect(await warnings(scene)).toHaveLength(2);
    scene.app.clock.advance(2 * hours);
    await spend(scene, 1);
    expect(await warnings(scene)).toHaveLength(3);
  });

  it('the same balance after the same credit is another crossing', async () => {
    await using scene = await open(engine, 1.5 * call, 2 * call);
    await spend(scene, 2);
    expect(await warnings(scene)).toHaveLength(1);
    scene.app.clock.advance(3 * hours);
    await credit(scene, 2 * call, 'the same');
    await spend(scene, 2);
    expect(await warnings(scene)).toHaveLength(2);
  });

  it('without an own mark the one of the installation counts; who never was above it is not warned', async () => {
    await using scene = await open(engine, null);
    await setOption(scene.app, 'QuotaRemindThreshold', String(9.5 * call));
    await spend(scene, 1);
    expect(await warnings(scene)).toHaveLength(1);
    await using poor = await open(engine, 20 * call);
    await spend(poor, 3);
    expect(await warnings(poor)).toEqual([]);
    await using silent = await open(engine, null);
    await setOption(silent.app, 'QuotaRemindThreshold', '0');
    await spend(silent, 10);
    expect(await warnings(silent)).toEqual([]);
  });

  it('a stream that ends counts, and a crossing at the same moment in two processes is one', async () => {
    await using scene = await open(engine, 9.5 * call);
    await using other = await createTestApp(engine, { database: scene.app.database, clock: scene.app.clock });
    const stream = await scene.chat({ stream: true });
    await stream.text();
    await scene.logs(1);
    other.context.lowBalance.spent(scene.user.id);
    await Promise.all([scene.app.context.lowBalance.check(), other.context.lowBalance.check()]);
    expect(await warnings(scene)).toHaveLength(1);
    await other.stop();
  });

  it('what cannot be looked at now is looked at later; calls wait for none of it', async () => {
    await using scene = await open(engine, null);
    await setOption(scene.app, 'QuotaRemindThreshold', String(9.5 * call));
    expect((await scene.chat()).status).toBe(200);
    const { db, settings, now } = scene.app.context;
    let isAway = true;
    const unsteady: Settings = {
      ...settings,
      get(key) {
        if (isAway) throw new DatabaseUnavailable('as the test wants');
        return settings.get(key);
      },
    };
    const lowBalance = createLowBalance({ db, settings: unsteady, now });
    lowBalance.spent(scene.user.id);
    await expect(lowBalance.check()).rejects.toThrow('as the test wants');
    isAway = false;
    await lowBalance.check();
    expect(await warnings(scene)).toHaveLength(1);
  });
});

describe.each(engines)('channel alerts on $kind', (engine) => {
  it('a channel that is taken out of use by its own failure is told to the super administrator', async () => {
    await using scene = await createScene(engine, { channels: [{ name: 'main', auto_ban: 1 }] });
    await scene.app.setup();
    await setOption(scene.app, 'AutomaticDisableChannelEnabled', 'true');
    scene.upstream.behave({ status: 401 });
    await scene.chat();
    const [alert] = await until(async () => {
      const found = await warnings(scene);
      return found.length > 0 ? found : null;
    });
    const root = await scene.app.context.db.collection('users').first({ role: 100 });
    expect(alert).toMatchObject({
      user_id: root?.id,
      event: { code: 'channel_update', channel_id: scene.channelIds[0], name: 'main', status: 3, reason: expect.stringMatching(/\S/) },
    });
  });
});
