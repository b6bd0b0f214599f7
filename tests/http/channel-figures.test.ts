import { describe, expect, it } from 'vitest';
import { startScheduler } from '#server/jobs/scheduler.ts';
import type { ChannelHourRecord } from '#server/db/records/channel-hour.ts';
import { jobs } from '#server/jobs/registry.ts';
import { hoursSince } from '#server/exchange/channel-figures.ts';
import { useChannelDesk } from '#tests/support/channel-desk.ts';
import { engines } from '#tests/support/engines.ts';

const hour = 3_600;

describe.each(engines)('figures of channels on $kind', (engine) => {
  const desk = useChannelDesk(engine);
  const { createOne } = desk;
  const rows = () => desk.app.context.db.collection('channel_hours');
  const read = async () => (await desk.admin.get('/api/channel/figures')).data;
  const thisHour = () => Math.floor(desk.app.clock.now() / 1000 / hour) * hour;

  async function store(
    channelId: number,
    hoursAgo: number,
    fields: Partial<Pick<ChannelHourRecord, 'calls' | 'failures' | 'first_byte' | 'first_byte_ms'>>,
  ) {
    const at = thisHour() - hoursAgo * hour;
    await rows().insert({ id: `${channelId}:${at}`, channel_id: channelId, hour: at, calls: 1, failures: 0, first_byte: {}, ...fields });
  }

  it('are for administrators only', async () => {
    const user = await desk.app.as(await desk.app.createUser());
    expect(await desk.app.anonymous().get('/api/channel/figures')).toMatchObject({ status: 401, success: false });
    expect(await user.get('/api/channel/figures')).toMatchObject({ status: 403, success: false, code: 'forbidden' });
  });

  it('cover the present hour and the 23 before it', async () => {
    await rows().remove({});
    const id = await createOne();
    await store(id, 0, { calls: 10, failures: 1, first_byte: { ms_570: 9 }, first_byte_ms: { ms_570: 9 * 600 } });
    await store(id, 5, { calls: 4, failures: 4 });
    await store(id, 23, { calls: 100, first_byte: { ms_570: 100 }, first_byte_ms: { ms_570: 100 * 600 } });
    await store(id, 24, { calls: 1_000, failures: 1_000, first_byte: { ms_33000: 1_000 }, first_byte_ms: { ms_33000: 120_000_000 } });
    const before = Math.floor(desk.app.clock.now() / 1000);
    const sheet = await read();
    expect(sheet).toMatchObject({ since: thisHour() - 23 * hour });
    expect(sheet.time).toBeGreaterThanOrEqual(before);
    expect(sheet.time).toBeLessThanOrEqual(Math.floor(desk.app.clock.now() / 1000));
    const [figures, ...others] = sheet.channels;
    expect(others).toEqual([]);
    expect(figures).toMatchObject({ id, calls: 114, failures: 5 });
    expect(figures.hours).toHaveLength(24);
    expect([figures.hours[0], figures.hours[18], figures.hours[23]]).toEqual([
      [100, 0],
      [4, 4],
      [10, 1],
    ]);
    expect(figures.first_byte_ms).toBe(600);
  });

  it('take the middle of the bucket for hours that were stored without sums', async () => {
    await rows().remove({});
    const id = await createOne();
    await store(id, 0, { calls: 10, first_byte: { ms_570: 10 }, first_byte_ms: { ms_570: 10 * 600 } });
    await store(id, 1, { calls: 10, first_byte: { ms_570: 10 } });
    expect((await read()).channels).toMatchObject([{ id, first_byte_ms: (600 + (570 + 850) / 2) / 2 }]);
  });

  it('leave out channels that nobody called and channels that are gone', async () => {
    await rows().remove({});
    const called = await createOne();
    const idle = await createOne();
    const gone = await createOne();
    await store(called, 1, {});
    await store(idle, 30, {});
    await store(gone, 1, {});
    await desk.admin.delete(`/api/channel/${gone}`);
    expect((await read()).channels.map((channel: { id: number }) => channel.id)).toEqual([called]);
  });

  it('say nothing of a median while nothing was answered', async () => {
    await rows().remove({});
    const id = await createOne();
    await store(id, 0, { calls: 3, failures: 3 });
    expect((await read()).channels).toMatchObject([{ id, calls: 3, failures: 3, first_byte_ms: null }]);
  });

  it('are removed after two days', async () => {
    await rows().remove({});
    const id = await createOne();
    for (const ago of [0, 47, 48, 100]) await store(id, ago, {});
    const scheduler = startScheduler(desk.app.context, jobs);
    await scheduler.tick();
    await scheduler.stop();
    expect((await rows().find({}, { sort: [['hour', -1]] })).map((row) => (thisHour() - row.hour) / hour)).toEqual([0, 47]);
  });

  it('are found by their hour', async () => {
    const plan = await desk.app.context.db.explainGroup('channel_hours', hoursSince(thisHour()));
    expect(plan ?? { scans: false, index: 'hour' }).toMatchObject({ scans: false, index: 'hour' });
    const ofOne = await desk.app.context.db.explainGroup('channel_hours', hoursSince(thisHour(), { channelId: 1, now: Date.now() }));
    expect(ofOne ?? { scans: false, index: 'id' }).toMatchObject({ scans: false, index: 'id' });
  });
});

describe.each(engines)('the summary of channels on $kind', (engine) => {
  const desk = useChannelDesk(engine);
  const { createOne } = desk;
  const summary = async () => (await desk.admin.get('/api/channel/summary')).data;

  it('is for administrators only', async () => {
    const user = await desk.app.as(await desk.app.createUser());
    expect(await desk.app.anonymous().get('/api/channel/summary')).toMatchObject({ status: 401, success: false });
    expect(await user.get('/api/channel/summary')).toMatchObject({ status: 403, success: false, code: 'forbidden' });
  });

  it('counts channels by what they are, and follows an edit at once', async () => {
    const [first, second] = [await createOne(), await createOne()];
    await createOne({ status: 2 });
    expect(await summary()).toEqual({ enabled: 2, disabled_by_hand: 1, disabled_by_system: 0 });
    for (const id of [first, second]) await desk.app.context.db.collection('channels').patch({ id }, { set: { status: 3 } });
    await desk.app.context.channels.reload();
    expect(await summary()).toEqual({ enabled: 0, disabled_by_hand: 1, disabled_by_system: 2 });
    expect(await desk.admin.put('/api/channel/', { id: first, status: 1 })).toMatchObject({ success: true });
    expect(await summary()).toEqual({ enabled: 1, disabled_by_hand: 1, disabled_by_system: 1 });
    expect(await desk.admin.delete(`/api/channel/${second}`)).toMatchObject({ success: true });
    expect(await summary()).toEqual({ enabled: 1, disabled_by_hand: 1, disabled_by_system: 0 });
  });
});
