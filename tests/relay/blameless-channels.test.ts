// Faults of a caller or of this server do not count against the channel.
import { afterEach, describe, expect, test, vi } from 'vitest';
import { EventSplitter } from '#server/framing/event-splitter.ts';
import { createToken } from '#tests/support/build-token.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene, readEvents } from '#tests/support/relay-scene.ts';

const model = 'claude-sonnet-4-5';
/** As many failures in a row as take a channel out of use for a while. */
const enough = 5;

afterEach(() => vi.restoreAllMocks());

describe.each(oneEngine)('a blameless channel on $kind', (engine) => {
  test('a request that its format has no place for does not count against it', async () => {
    const channels = [
      { type: 14, models: model, priority: 1 },
      { type: 1, models: model },
    ];
    await using scene = await createScene(engine, { settings: { SelfUseModeEnabled: 'true' }, channels });
    // Claude has no second choice; the other channel has.
    for (let call = 0; call < enough; call += 1) expect((await scene.chat({ model, n: 2 })).status).toBe(200);
    await scene.chat({ model });
    const rows = await scene.logs(enough + 1);
    expect(rows.map((row) => row.channel_id)).toEqual([...Array.from({ length: enough }, () => scene.channelIds[1]), scene.channelIds[0]]);
    expect(rows[0]?.other).toMatchObject({ attempts: [{ error: 'untranslatable', unsent: true }, { status: 200 }] });
  });

  test('a request that no channel has a place for is refused here: the log says so, and no channel has failed', async () => {
    await using scene = await createScene(engine, { settings: { SelfUseModeEnabled: 'true' }, channels: [{ type: 14, models: model }] });
    const response = await scene.chat({ model, n: 2 });
    expect([response.status, await response.json()]).toMatchObject([400, { error: { code: 'untranslatable' } }]);
    const [row] = await scene.logs(1);
    const attempts = [{ error: 'untranslatable', unsent: true }];
    expect(row).toMatchObject({
      channel_id: 0,
      quota: 0,
      other: { ending: 'unsendable', problem: expect.stringContaining('n'), attempts },
    });
    // A channel that failed before is reported, and may be tried again.
    await scene.addChannel({ type: 1, models: model, priority: 9 });
    scene.upstream.behave({ status: 500, error: { message: 'down', type: 'x' } });
    expect((await scene.chat({ model, n: 2 })).status).toBe(500);
    const failed = (await scene.logs(2)).at(-1);
    expect(failed?.other?.['attempts']).toMatchObject([{ status: 500 }, { unsent: true }]);
    expect(failed?.other).not.toHaveProperty('attempts.0.unsent');
    await scene.checkBooks();
  });

  test('what one caller is refused with an unclear 403 neither rests the channel for others nor takes it out of use', async () => {
    await using scene = await createScene(engine, {
      settings: { AutomaticDisableChannelEnabled: 'true', RetryTimes: '1' },
      channels: [{ priority: 1, auto_ban: 1 }, {}],
    });
    const refusal = { status: 403, error: { message: 'Your API key does not have permission to use that', type: 'permission_error' } };
    for (let call = 0; call < enough; call += 1) {
      scene.upstream.queue(refusal);
      expect((await scene.chat()).status).toBe(200);
    }
    const other = await scene.app.createUser({ quota: 5_000_000 });
    const { key } = await createToken(scene.app.context, other.id);
    expect((await scene.chat({}, { authorization: `Bearer ${key}` })).status).toBe(200);
    const rows = await scene.logs(enough + 1);
    expect(rows.at(-1)).toMatchObject({ channel_id: scene.channelIds[0], user_id: other.id });
    expect((await scene.app.context.db.collection('channels').find({})).map(({ status }) => status)).toEqual([1, 1]);
    await scene.checkBooks();
  });

  test('an unclear 403 that a test of the channel sees, too, takes it out of use', async () => {
    await using scene = await createScene(engine, { settings: { AutomaticDisableChannelEnabled: 'true' }, channels: [{ auto_ban: 1 }] });
    const root = await scene.app.as(await scene.app.createUser({ role: 100 }));
    scene.upstream.behave({ status: 403, error: { message: 'not yours', type: 'permission_error' } });
    expect(await root.get(`/api/channel/test/${scene.channelIds[0]}`)).toMatchObject({ success: false });
    await root.get('/api/channel/test');
    await expect.poll(async () => (await scene.app.context.db.collection('channels').find({}))[0]?.status).toBe(3);
  });

  test('a fault of the server before the first event does not count against it, and the caller is told whose it is', async () => {
    const channels = [{ priority: 1 }, {}];
    await using scene = await createScene(engine, { settings: { RetryTimes: '0' }, channels });
    for (let call = 0; call < enough; call += 1) {
      vi.spyOn(EventSplitter.prototype, 'push').mockImplementationOnce(() => {
        throw new Error('A fault that a test has made');
      });
      const answer = await scene.chat({ stream: true });
      expect(answer.status).toBe(500);
      expect(await answer.json()).toMatchObject({ error: { code: 'internal_error' } });
      vi.restoreAllMocks();
    }
    await readEvents(await scene.chat({ stream: true }));
    const rows = await scene.logs(enough + 1);
    expect(rows.at(-1)?.channel_id).toBe(scene.channelIds[0]);
    for (const row of rows.slice(0, -1)) expect(row).toMatchObject({ quota: 0, other: { attempts: [{ error: 'internal_error' }] } });
    await scene.checkBooks();
  });
});
