// Sign-ins to ChatGPT accounts are renewed before they end: once, by one process, and what comes is never lost.
import { describe, expect, it } from 'vitest';
import { ChannelStatus } from '#shared/channels.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import { renewSignIns } from '#server/exchange/renew-sign-ins.ts';
import { readSignIn } from '#server/exchange/sign-in.ts';
import { buildChannel, type ChannelFields } from '#tests/support/build-channel.ts';
import { engines } from '#tests/support/engines.ts';
import { accessToken, startFakeSignIns } from '#tests/support/fake-sign-ins.ts';
import { makeFreezable } from '#tests/support/freezable-database.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';
import { until } from '#tests/support/until.ts';

const dayMs = 86_400_000;

function keyOf(expiresAt: number, refresh = 'rt-1'): string {
  return JSON.stringify({
    OPENAI_API_KEY: null,
    tokens: { id_token: 'id-1', access_token: accessToken(expiresAt), refresh_token: refresh, account_id: 'acc-1' },
    last_refresh: '2026-01-05T08:00:00.000Z',
  });
}

async function addChannel({ context }: TestApp, key: string, fields: ChannelFields = {}): Promise<number> {
  const id = await context.db.nextId('channels');
  await context.db.collection('channels').insert(buildChannel({ type: 57, key, ...fields, id }, context.secrets));
  await context.channels.reload();
  return id;
}

async function stored({ context }: TestApp, id: number): Promise<{ record: ChannelRecord; key: string }> {
  const record = await context.db.collection('channels').get(id);
  if (record === null) throw new Error('The channel is gone');
  return { record, key: context.secrets.decrypt(record.key_cipher, 'channel_key') };
}

/** Something happens after the question and before its answer is read. */
async function renewDuring(context: TestApp['context'], address: string, act: () => Promise<void>): Promise<void> {
  const sender: typeof context.sender = {
    ...context.sender,
    send(request, limits) {
      const sending = context.sender.send(request, limits);
      const response = sending.response.then(async (answer) => {
        await act();
        return answer;
      });
      return { isSent: true, response, limitBy: () => {}, abort: () => sending.abort() };
    },
  };
  await renewSignIns({ ...context, sender }, address);
}

describe.each(engines)('sign-ins on $kind', (engine) => {
  it('are renewed a day before they end, and not before', async () => {
    await using app = await createTestApp(engine);
    const { context, clock } = app;
    await using vendor = await startFakeSignIns({ now: context.now });
    const { address } = vendor;
    const id = await addChannel(app, keyOf(clock.now() + 2 * dayMs));
    const { revision } = (await stored(app, id)).record;
    expect(await renewSignIns(context, address)).toBe(0);
    expect(vendor.used).toEqual([]);

    clock.advance(dayMs + 60_000);
    expect(await renewSignIns(context, address)).toBe(1);
    const { record, key } = await stored(app, id);
    expect(JSON.parse(key)).toEqual({
      OPENAI_API_KEY: null,
      tokens: { id_token: 'id-2', access_token: expect.stringContaining('.signature'), refresh_token: 'rt-2', account_id: 'acc-1' },
      last_refresh: new Date(record.renewal?.at ?? 0).toISOString(),
    });
    expect(record.key_hash).toBe(context.secrets.hash(key));
    // A concurrent edit of the channel causes no conflict.
    expect(record.revision).toBe(revision);
    await until(() => context.channels.get(id)?.key === key);
    expect(await renewSignIns(context, address)).toBe(0);

    clock.advance(9 * dayMs + 60_000);
    expect(await renewSignIns(context, address)).toBe(1);
    expect(vendor.used).toEqual(['rt-1', 'rt-2']);
  });

  it('that several channels share are renewed once for all of them, also where only the tokens are stored', async () => {
    await using app = await createTestApp(engine);
    const { context, clock } = app;
    await using vendor = await startFakeSignIns({ now: context.now });
    const ends = clock.now() + 3600_000;
    const bare = JSON.stringify({ access_token: accessToken(ends), account_id: 'acc-1', refresh_token: 'rt-1', note: 'mine' });
    const ids = [await addChannel(app, keyOf(ends)), await addChannel(app, bare), await addChannel(app, keyOf(ends))];
    expect(await renewSignIns(context, vendor.address)).toBe(1);
    expect(vendor.used).toEqual(['rt-1']);
    const keys = await Promise.all(ids.map(async (id) => (await stored(app, id)).key));
    expect(keys.map((key) => readSignIn(key)?.refreshToken)).toEqual(['rt-2', 'rt-2', 'rt-2']);
    expect(JSON.parse(keys[1] ?? '')).toMatchObject({ note: 'mine', account_id: 'acc-1' });
  });

  it('are asked for by one process, however many try', async () => {
    await using app = await createTestApp(engine);
    await using other = await createTestApp(engine, { database: app.database, clock: app.clock });
    await using vendor = await startFakeSignIns({ now: app.context.now });
    await addChannel(app, keyOf(app.clock.now() + 3600_000));
    await other.context.channels.reload();
    const counts = await Promise.all([app, other, app, other].map(({ context }) => renewSignIns(context, vendor.address)));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1);
    expect(vendor.used).toEqual(['rt-1']);
  });

  it('that are refused are given up, and the operator hears of it once', async () => {
    await using app = await createTestApp(engine);
    await app.setup();
    const { context, clock } = app;
    await using vendor = await startFakeSignIns({ now: context.now, taken: [] });
    const id = await addChannel(app, keyOf(clock.now() + 3600_000), { name: 'mine' });
    for (let run = 0; run < 3; run += 1) {
      expect(await renewSignIns(context, vendor.address)).toBe(0);
      clock.advance(3600_000);
    }
    expect(vendor.used).toEqual(['rt-1']);
    expect((await stored(app, id)).record.renewal?.error).toContain('refresh_token_reused');
    const notices = await context.db.collection('notifications').find({});
    expect(notices.map(({ event }) => event)).toEqual([
      { code: 'sign_in_ended', channel_id: id, name: 'mine', reason: 'refresh_token_reused: Your refresh token has already been used' },
    ]);
    // Another key is another sign-in.
    const key = keyOf(clock.now() + 3600_000, 'rt-9');
    const fields = { key_cipher: context.secrets.encrypt(key, 'channel_key'), key_hash: context.secrets.hash(key) };
    await context.db.collection('channels').patch({ id }, { set: fields });
    await context.channels.reload();
    await renewSignIns(context, vendor.address);
    expect(vendor.used).toEqual(['rt-1', 'rt-9']);
  });

  it('about which nothing is known are asked for again after a while, and nobody is told', async () => {
    await using app = await createTestApp(engine);
    await app.setup();
    const { context, clock } = app;
    await using vendor = await startFakeSignIns({ now: context.now });
    const id = await addChannel(app, keyOf(clock.now() + 3600_000));
    vendor.failing.push({ status: 503 }, { status: 403, body: { error: 'blocked' } }, { status: 200, body: { refresh_token: 'x' } });
    for (let run = 0; run < 3; run += 1) {
      expect(await renewSignIns(context, vendor.address)).toBe(0);
      expect(vendor.failing).toHaveLength(2 - run);
      // Not at once.
      expect(await renewSignIns(context, vendor.address)).toBe(0);
      expect(vendor.failing).toHaveLength(2 - run);
      clock.advance(601_000);
    }
    expect(await renewSignIns(context, vendor.address)).toBe(1);
    expect((await stored(app, id)).record.renewal?.error).toBe('');
    expect(await context.db.collection('notifications').find({})).toEqual([]);
  });

  it.each(['before', 'after'] as const)(
    'are stored as soon as that is possible again (writes fail %s they are carried out)',
    async (when) => {
      await using app = await createTestApp(engine);
      const { context, clock } = app;
      await using vendor = await startFakeSignIns({ now: context.now });
      const id = await addChannel(app, keyOf(clock.now() + 3600_000));
      const db = makeFreezable(context.db);
      // The first write marks the renewal as begun.
      db.failAt(2, when, 1);
      expect(await renewSignIns({ ...context, db }, vendor.address)).toBe(1);
      const { key } = await stored(app, id);
      expect(readSignIn(key)?.refreshToken).toBe('rt-2');
      await until(() => context.channels.get(id)?.key === key);
    },
  );

  it('are not asked for where nothing can be stored', async () => {
    await using app = await createTestApp(engine);
    const { context, clock } = app;
    await using vendor = await startFakeSignIns({ now: context.now });
    await addChannel(app, keyOf(clock.now() + 3600_000));
    const db = makeFreezable(context.db);
    db.failAt(1, 'before');
    await expect(renewSignIns({ ...context, db }, vendor.address)).rejects.toThrow();
    expect(vendor.used).toEqual([]);
  });

  it('find a channel whose deletion is taken back', async () => {
    await using app = await createTestApp(engine);
    const { context, clock } = app;
    await using vendor = await startFakeSignIns({ now: context.now });
    const id = await addChannel(app, keyOf(clock.now() + 3600_000));
    await renewDuring(context, vendor.address, async () => {
      const { record } = await stored(app, id);
      await context.db.collection('deleted_channels').insert({ id, channel: record, deleted_at: clock.now() });
      await context.db.collection('channels').remove({ id });
    });
    const deleted = await context.db.collection('deleted_channels').get(id);
    const key = context.secrets.decrypt(deleted?.channel.key_cipher ?? '', 'channel_key');
    expect(readSignIn(key)?.refreshToken).toBe('rt-2');
    expect(deleted?.channel.key_hash).toBe(context.secrets.hash(key));
  });

  it('do not take the place of a key that was entered meanwhile', async () => {
    await using app = await createTestApp(engine);
    const { context, clock } = app;
    await using vendor = await startFakeSignIns({ now: context.now });
    const id = await addChannel(app, keyOf(clock.now() + 3600_000));
    const entered = keyOf(clock.now() + 9 * dayMs, 'rt-entered');
    await renewDuring(context, vendor.address, async () => {
      const fields = { key_cipher: context.secrets.encrypt(entered, 'channel_key'), key_hash: context.secrets.hash(entered) };
      await context.db.collection('channels').patch({ id }, { set: fields });
    });
    expect(vendor.used).toEqual(['rt-1']);
    expect((await stored(app, id)).key).toBe(entered);
  });

  it('of channels that somebody has disabled are left alone; those that were refused are renewed once', async () => {
    await using app = await createTestApp(engine);
    const { context, clock } = app;
    await using vendor = await startFakeSignIns({ now: context.now, taken: ['rt-1', 'rt-a'] });
    const far = clock.now() + 9 * dayMs;
    await addChannel(app, keyOf(clock.now(), 'rt-a'), { status: ChannelStatus.disabledByHand });
    const refusedAt = JSON.stringify({ status_reason: 'refused', status_time: Math.floor(clock.now() / 1000) });
    await addChannel(app, keyOf(far), { status: ChannelStatus.disabledBySystem, other_info: refusedAt });
    clock.advance(2000);
    expect(await renewSignIns(context, vendor.address)).toBe(1);
    clock.advance(3600_000);
    await context.channels.reload();
    expect(await renewSignIns(context, vendor.address)).toBe(0);
    expect(vendor.used).toEqual(['rt-1']);
  });

  it('without a token for it, and other keys, are not touched', async () => {
    await using app = await createTestApp(engine);
    const { context, clock } = app;
    await using vendor = await startFakeSignIns({ now: context.now });
    const ends = clock.now() - 1000;
    await addChannel(app, JSON.stringify({ access_token: accessToken(ends), account_id: 'acc-1' }));
    await addChannel(app, JSON.stringify({ access_token: 'opaque', account_id: 'acc-1', refresh_token: 'rt-1' }));
    await addChannel(app, keyOf(ends), { type: 1 });
    expect(await renewSignIns(context, vendor.address)).toBe(0);
    expect(vendor.used).toEqual([]);
  });
});
