// A deletion of channels acts at once; for a minute it is taken back exactly.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { restorableSeconds } from '#shared/restoring.ts';
import type { Collection } from '#server/db/collection.ts';
import type { DeletedChannelRecord } from '#server/db/records/deleted-channel.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import { jobs } from '#server/jobs/registry.ts';
import { addChannelUse, sweepDeletedChannels } from '#server/exchange/deleted-channels.ts';
import { useChannelDesk } from '#tests/support/channel-desk.ts';
import { engines } from '#tests/support/engines.ts';
import { createTestApp } from '#tests/support/test-app.ts';

describe.each(engines)('a deletion of channels on $kind', (engine) => {
  const desk = useChannelDesk(engine);
  const { create, createOne, stored } = desk;
  const copies = () => desk.app.context.db.collection('deleted_channels');
  const remove = (id: number) => desk.admin.delete(`/api/channel/${id}`);
  const restore = (...ids: number[]) => desk.admin.post('/api/channel/restore', { ids });
  const late = { status: 200, success: false, code: 'channel_restore_late' };
  afterEach(async () => {
    vi.restoreAllMocks();
    await copies().remove({});
  });

  it('acts at once, and leads back to the same channel', async () => {
    const id = await createOne({
      key: 'sk-to-come-back',
      models: 'gone-model',
      tag: 'pier',
      priority: 7,
      setting: '{"proxy":"http://p.example"}',
    });
    await desk.app.context.db.collection('channels').patch({ id }, { set: { used_quota: 77, balance: 1.5, test_error: 'slow' } });
    const before = await stored(id);
    expect(await remove(id)).toMatchObject({ success: true });
    const { channels } = desk.app.context;
    expect(channels.get(id)).toBeUndefined();
    expect(channels.tiers('default', 'gone-model')).toEqual([]);
    expect(await desk.admin.get(`/api/channel/${id}`)).toMatchObject({ code: 'channel_not_found' });
    expect((await desk.admin.get('/api/channel/')).data).toEqual([]);
    for (const query of ['keyword=sk-to-come-back', `keyword=${id}`, 'tag=pier']) {
      expect((await desk.admin.get(`/api/channel/search?${query}`)).data).toEqual([]);
    }
    expect(await desk.admin.put('/api/channel/', { id, name: 'back' })).toMatchObject({ code: 'channel_not_found' });
    expect(await create({ key: '', copy_from: id })).toMatchObject({ code: 'channel_not_found' });
    expect(await desk.admin.post('/api/channel/test', { id, models: 'gone-model' })).toMatchObject({ success: false });

    expect(await restore(id, id, 999_999)).toMatchObject({ success: true, data: 1 });
    const after = await stored(id);
    expect(after).toEqual({ ...before, revision: before.revision + 1, audited: after.audited });
    expect(await desk.keyOf(id)).toBe('sk-to-come-back');
    expect(channels.tiers('default', 'gone-model')).toHaveLength(1);
    expect(await copies().count({})).toBe(0);
    // What is there is no deletion.
    expect(await restore(id)).toMatchObject(late);
    expect(await stored(id)).toEqual(after);
  });

  it('tells which channels it was, and gives those back alone', async () => {
    const ids: number[] = (await create({ key: 'sk-1\nsk-2\nsk-3\nsk-4' })).data;
    const [first = 0, second = 0, third = 0, fourth = 0] = ids;
    await remove(first);
    const many = await desk.admin.post('/api/channel/batch', { ids: [first, second, second, 999_999] });
    expect(many.body).toMatchObject({ success: true, data: 1, ids: [second] });
    await desk.admin.put('/api/channel/', { id: third, status: 2 });
    const disabled = await desk.admin.delete('/api/channel/disabled');
    expect(disabled.body).toMatchObject({ success: true, data: 1, ids: [third] });
    expect(await restore(second, third)).toMatchObject({ data: 2 });
    expect(await stored(third)).toMatchObject({ status: 2 });
    const listed = (await desk.admin.get('/api/channel/?id_sort=true')).data;
    expect(listed.map(({ id }: { id: number }) => id)).toEqual([fourth, third, second]);
  });

  it('stands a minute later, and the key is nowhere any more', async () => {
    const id = await createOne();
    await remove(id);
    desk.app.clock.advance(restorableSeconds * 1000 + 1);
    expect(await restore(id)).toMatchObject({ ...late, message: expect.stringContaining('一分钟') });
    expect(jobs).toContainEqual(expect.objectContaining({ run: sweepDeletedChannels }));
    expect(await sweepDeletedChannels(desk.app.context)).toBe(1);
    expect(await copies().count({})).toBe(0);
    expect(await restore(id)).toMatchObject(late);
    expect((await desk.admin.get('/api/channel/')).data).toEqual([]);
  });

  it('under a clock that was a year ahead can be taken back no longer than any other, and is swept', async () => {
    const id = await createOne();
    await remove(id);
    await copies().patch({ id }, { set: { deleted_at: desk.app.clock.now() + 365 * 86_400_000 } });
    expect(await restore(id)).toMatchObject(late);
    expect(await sweepDeletedChannels(desk.app.context)).toBe(1);
    expect(await copies().count({})).toBe(0);
  });

  it('under a clock that is half a minute ahead can be taken back', async () => {
    const id = await createOne();
    desk.app.clock.advance(30_000);
    await remove(id);
    desk.app.clock.advance(-30_000);
    expect(await sweepDeletedChannels(desk.app.context)).toBe(0);
    expect(await restore(id)).toMatchObject({ data: 1 });
  });

  it('is swept no earlier than it can be taken back no more', async () => {
    const id = await createOne();
    await remove(id);
    desk.app.clock.advance((restorableSeconds - 25) * 1000);
    expect(await sweepDeletedChannels(desk.app.context)).toBe(0);
    expect(await restore(id)).toMatchObject({ data: 1 });
  });

  it('is taken back by administrators alone, and by nothing that is no list of numbers', async () => {
    const id = await createOne();
    await remove(id);
    const user = await desk.app.as(await desk.app.createUser());
    expect(await user.post('/api/channel/restore', { ids: [id] })).toMatchObject({ status: 403 });
    expect(await desk.app.anonymous().post('/api/channel/restore', { ids: [id] })).toMatchObject({ status: 401 });
    const banned = await desk.app.createUser({ role: 10, status: 2 });
    expect((await (await desk.app.as(banned)).post('/api/channel/restore', { ids: [id] })).success).toBe(false);
    for (const ids of [[], 'all', [0], [1.5], [{ $gt: 0 }], undefined]) {
      expect(await desk.admin.post('/api/channel/restore', { ids })).toMatchObject({ success: false, code: 'invalid_field' });
    }
    expect(desk.app.context.channels.get(id)).toBeUndefined();
  });

  it('is taken back once, whoever asks at the same time', async () => {
    const id = await createOne();
    await remove(id);
    const answers = await Promise.all(Array.from({ length: 8 }, () => restore(id)));
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    expect(await stored(id)).toMatchObject({ id, revision: 2 });
    expect(await copies().count({})).toBe(0);
  });

  it('leaves alone whoever has the id by then', async () => {
    const id = await createOne({ name: 'first' });
    const { channel } = { channel: await stored(id) };
    await remove(id);
    await desk.app.context.db.collection('channels').insert({ ...channel, name: 'out of a backup', revision: 9 });
    expect(await restore(id)).toMatchObject(late);
    expect(await stored(id)).toMatchObject({ name: 'out of a backup', revision: 9 });
  });

  it('is the last one that counts: deleted, restored, edited, deleted', async () => {
    const id = await createOne({ name: 'one' });
    await remove(id);
    await restore(id);
    await desk.admin.put('/api/channel/', { id, name: 'two', key: 'sk-two' });
    desk.app.clock.advance(50_000);
    await remove(id);
    desk.app.clock.advance(50_000);
    expect(await sweepDeletedChannels(desk.app.context)).toBe(0);
    expect(await restore(id)).toMatchObject({ data: 1 });
    expect(await stored(id)).toMatchObject({ name: 'two' });
    expect(await desk.keyOf(id)).toBe('sk-two');
  });

  it('keeps an edit that came in between, and no channel that was enabled in between', async () => {
    const [edited = 0, enabled = 0]: number[] = (await create({ key: 'sk-1\nsk-2' })).data;
    for (const id of [edited, enabled]) await desk.admin.put('/api/channel/', { id, status: 2 });
    const { channels, onCopied } = spied();
    onCopied(async (id) => {
      if (id === edited) await channels.patch({ id }, { set: { name: 'renamed' }, increment: { revision: 1 } });
      else await channels.patch({ id }, { set: { status: 1 }, increment: { revision: 1 } });
    });
    expect((await desk.admin.delete('/api/channel/disabled')).body).toMatchObject({ data: 1, ids: [edited] });
    vi.restoreAllMocks();
    expect(await stored(enabled)).toMatchObject({ status: 1 });
    expect(await restore(enabled)).toMatchObject(late);
    expect(await restore(edited)).toMatchObject({ data: 1 });
    expect(await stored(edited)).toMatchObject({ name: 'renamed' });
  });

  it('loses nothing to a crash at any step: it is whole, or it is not there', async () => {
    const id = await createOne();
    const { channels, onCopied } = spied();
    const down = () => Promise.reject(new Error('The process ended'));
    // Between the copy and the deletion.
    onCopied(down);
    expect((await remove(id)).status).toBe(500);
    vi.restoreAllMocks();
    expect(await stored(id)).toMatchObject({ revision: 1 });
    expect(await restore(id)).toMatchObject(late);
    // The copy that was left is of no consequence.
    await desk.admin.put('/api/channel/', { id, name: 'later' });
    await remove(id);
    // Between the channel and the end of the copy.
    vi.spyOn(desk.app.context.db, 'writeUnordered').mockImplementationOnce(down);
    expect((await restore(id)).status).toBe(500);
    vi.restoreAllMocks();
    expect(await stored(id)).toMatchObject({ name: 'later' });
    expect(desk.app.context.channels.get(id)).toBeDefined();
    expect(await restore(id)).toMatchObject(late);
    desk.app.clock.advance(61_000);
    await sweepDeletedChannels(desk.app.context);
    expect((await channels.get(id))?.name).toBe('later');
    expect(await copies().count({})).toBe(0);
  });

  it('does not lose what calls that were on their way have used', async () => {
    const id = await createOne();
    const { db } = desk.app.context;
    await addChannelUse(db, id, 5);
    await remove(id);
    await addChannelUse(db, id, 40);
    await addChannelUse(db, id, -3);
    await restore(id);
    expect(await stored(id)).toMatchObject({ used_quota: 42 });
    await addChannelUse(db, 999_999, 1);
    expect(await copies().count({})).toBe(0);
  });

  it('is told to all and answered, also when the figures of its copy cannot be corrected', async () => {
    const id = await createOne({ models: 'figures-model' });
    const { db } = desk.app.context;
    const { copies: retained, onCopied } = spied();
    onCopied(async () => {
      await addChannelUse(db, id, 5);
      vi.spyOn(retained, 'patch').mockRejectedValue(new Error('The database is gone'));
    });
    const answer = await desk.admin.post('/api/channel/batch', { ids: [id] });
    vi.restoreAllMocks();
    expect(answer.body).toMatchObject({ success: true, data: 1, ids: [id] });
    expect(desk.app.context.channels.get(id)).toBeUndefined();
    expect(await restore(id)).toMatchObject({ data: 1 });
    expect(desk.app.context.channels.get(id)).toBeDefined();
  });

  it('does not lose what is counted while it is made, before the channel is taken or after', async () => {
    const id = await createOne();
    const { db } = desk.app.context;
    const { channels, onCopied } = spied();
    onCopied(async () => {
      await addChannelUse(db, id, 5);
      await channels.patch({ id }, { set: { balance: 2.5 } });
    });
    await remove(id);
    expect((await copies().get(id))?.channel).toMatchObject({ used_quota: 5, balance: 2.5 });
    await restore(id);
    vi.restoreAllMocks();
    const again = spied();
    again.onCopied(() => addChannelUse(db, id, 7));
    const take = again.channels.take.bind(again.channels);
    vi.spyOn(again.channels, 'take').mockImplementation(async (filter) => {
      const taken = await take(filter);
      if (taken !== null) await addChannelUse(db, id, 40);
      return taken;
    });
    await remove(id);
    await restore(id);
    expect(await stored(id)).toMatchObject({ used_quota: 52 });
  });

  it('of several hundred that takes minutes is taken back whole, a minute after it was told', async () => {
    const ids: number[] = (await create({ key: Array.from({ length: 300 }, (_, place) => `sk-${place}`).join('\n') })).data;
    const list = () => desk.app.context.db.collection('channels').find({ id: { in: ids } }, { sort: [['id', 1]] });
    const before = await list();
    const { db } = desk.app.context;
    const writeUnordered = db.writeUnordered.bind(db);
    let steps = 0;
    // A hundred at a time, as of a database that is far away: together they last minutes, and the job that sweeps runs all the time.
    vi.spyOn(db, 'writeUnordered').mockImplementation(async (batch) => {
      if (batch.some((step) => 'remove' in step && step.from === 'channels')) {
        steps += 1;
        desk.app.clock.advance(40_000);
        expect(await sweepDeletedChannels(desk.app.context)).toBe(0);
      }
      return writeUnordered(batch);
    });
    const answer = await desk.admin.post('/api/channel/batch', { ids });
    vi.restoreAllMocks();
    expect(steps).toBe(3);
    expect(answer.body).toMatchObject({ success: true, data: 300, ids });
    expect(desk.app.context.channels.enabledModels()).toEqual([]);
    desk.app.clock.advance((restorableSeconds - 15) * 1000);
    expect(await sweepDeletedChannels(desk.app.context)).toBe(0);
    expect(await restore(...ids)).toMatchObject({ success: true, data: 300 });
    expect(await list()).toEqual(before.map((channel) => ({ ...channel, revision: channel.revision + 1, audited: expect.any(String) })));
    expect([...desk.app.context.channels.all()]).toHaveLength(300);
    expect(await copies().count({})).toBe(0);
  });

  it('has its minute from when it was told', async () => {
    const id = await createOne();
    const { channels } = spied();
    const take = channels.take.bind(channels);
    vi.spyOn(channels, 'take').mockImplementation((filter) => {
      desk.app.clock.advance(12_000);
      return take(filter);
    });
    await remove(id);
    vi.restoreAllMocks();
    desk.app.clock.advance((restorableSeconds - 10) * 1000);
    expect(await restore(id)).toMatchObject({ data: 1 });
  });

  it('goes on when one cannot be deleted: the others are told and taken back, and it stays', async () => {
    const ids: number[] = (await create({ key: Array.from({ length: 20 }, (_, place) => `sk-${place}`).join('\n') })).data;
    const [, , stays = 0] = ids;
    const { copies: retained } = spied();
    const { db } = desk.app.context;
    const [patch, write] = [retained.patch.bind(retained), db.write.bind(db)];
    vi.spyOn(db, 'write').mockImplementation((batch) =>
      batch.some((step) => 'insert' in step && step.into === 'deleted_channels' && step.insert.id === stays)
        ? Promise.reject(new Error('The row is refused'))
        : write(batch),
    );
    vi.spyOn(retained, 'patch').mockImplementation((filter, change, options) =>
      options?.insertIfMissing?.id === stays ? Promise.reject(new Error('The row is refused')) : patch(filter, change, options),
    );
    const answer = await desk.admin.post('/api/channel/batch', { ids });
    vi.restoreAllMocks();
    const others = ids.filter((id) => id !== stays);
    expect(answer.body).toMatchObject({ success: true, data: 19, ids: others });
    expect([...desk.app.context.channels.all()].map(({ id }) => id)).toEqual([stays]);
    expect(await restore(...others)).toMatchObject({ data: 19 });
    expect(await desk.count()).toBe(20);
  });

  it('can be taken back when its time could not be noted at the end', async () => {
    const ids: number[] = (await create({ key: 'sk-1\nsk-2' })).data;
    const { copies: retained } = spied();
    vi.spyOn(retained, 'patchAll').mockRejectedValue(new Error('The database is gone'));
    const answer = await desk.admin.post('/api/channel/batch', { ids });
    vi.restoreAllMocks();
    expect(answer.body).toMatchObject({ success: true, data: 2, ids });
    expect(await restore(...ids)).toMatchObject({ data: 2 });
  });

  it('and its undo reach every process within a second', async () => {
    await using second = await createTestApp(engine, { database: desk.app.database });
    const id = await createOne({ models: 'far-off' });
    const sees = (is: boolean) =>
      expect.poll(() => second.context.channels.enabledModels().includes('far-off'), { timeout: 60_000, interval: 20 }).toBe(is);
    await sees(true);
    await remove(id);
    await sees(false);
    await restore(id);
    await sees(true);
  });

  /** The collections of which the calls take hold from now on. */
  function spied() {
    const { db } = desk.app.context;
    const channels: Collection<ChannelRecord> = db.collection('channels');
    const retained: Collection<DeletedChannelRecord> = db.collection('deleted_channels');
    const collection = db.collection.bind(db);
    vi.spyOn(db, 'collection').mockImplementation(((name: Parameters<typeof collection>[0]) =>
      name === 'channels' ? channels : name === 'deleted_channels' ? retained : collection(name)) as typeof collection);
    const onCopied = (act: (id: number) => Promise<unknown>): void => {
      const patch = retained.patch.bind(retained);
      const seen = new Set<number>();
      const write = db.write.bind(db);
      // Several are copied together.
      vi.spyOn(db, 'write').mockImplementation(async (batch) => {
        const answer = await write(batch);
        for (const step of batch) {
          if (!('insert' in step) || step.into !== 'deleted_channels' || seen.has(step.insert.id)) continue;
          seen.add(step.insert.id);
          await act(step.insert.id);
        }
        return answer;
      });
      vi.spyOn(retained, 'patch').mockImplementation(async (filter, change, options) => {
        const answer = await patch(filter, change, options);
        if (options?.insertIfMissing !== undefined && !seen.has(options.insertIfMissing.id)) {
          seen.add(options.insertIfMissing.id);
          await act(options.insertIfMissing.id);
        }
        return answer;
      });
    };
    return { channels, copies: retained, onCopied };
  }
});
