// The channel index on a real store, with the change feed of one and of two server processes.
import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import { saidReason } from '#shared/failure-reasons.ts';
import { createContext, type RunningContext } from '#server/create-context.ts';
import { readEnv } from '#server/env.ts';
import { disableChannel, reasonToDisable } from '#server/exchange/auto-disable.ts';
import { parseUpstreamError } from '#server/exchange/upstream-error.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import { buildChannel, type ChannelFields } from '#tests/support/build-channel.ts';
import { onEachEngine, type TestDatabase } from '#tests/support/engines.ts';
import { problemText } from '#tests/support/problem-text.ts';

async function open(database: TestDatabase): Promise<RunningContext & AsyncDisposable> {
  const context = await createContext({
    env: readEnv({ LOG_LEVEL: 'silent' }),
    db: await database.open(),
    masterKey: 'a master key for this test',
    log: pino({ level: 'silent' }),
  });
  return { ...context, [Symbol.asyncDispose]: () => context.close() };
}

async function add(context: RunningContext, fields: ChannelFields): Promise<void> {
  await context.db.collection('channels').insert(buildChannel(fields, context.secrets));
  await context.changes.announce('channel', fields.id ?? 1);
}

async function edit(context: RunningContext, id: number, fields: Partial<ChannelRecord>): Promise<void> {
  await context.db.collection('channels').patch({ id }, { set: fields, increment: { revision: 1 } });
  await context.changes.announce('channel', id);
}

const idsOf = (context: RunningContext, group: string, model: string) =>
  context.channels.tiers(group, model).map((tier) => tier.channels.map((channel) => channel.id));

onEachEngine('the channel index', (current) => {
  it('lists by group and model, highest priority first', async () => {
    await using context = await open(current());
    await add(context, { id: 1, models: 'a,b', group: 'default' });
    await add(context, { id: 2, models: 'b', group: 'default,vip', priority: 7 });
    await add(context, { id: 3, models: 'b', group: 'default', priority: 7, weight: 5 });
    expect(idsOf(context, 'default', 'b')).toEqual([[2, 3], [1]]);
    expect(idsOf(context, 'vip', 'b')).toEqual([[2]]);
    expect(idsOf(context, 'vip', 'a')).toEqual([]);
    expect(context.channels.tiers('default', 'b')[0]?.sums).toEqual([10, 25]);
    expect(context.channels.enabledModels(['vip'])).toEqual(['b']);
    expect(context.channels.enabledModels(['vip', 'default', 'none'])).toEqual(['a', 'b']);
    expect(context.channels.enabledModels()).toEqual(['a', 'b']);
    expect(context.channels.groupsOf('b')).toEqual(['default', 'vip']);
    expect(context.channels.get(2)?.key).toBe('sk-test');
  });

  it('follows edits at once: models, groups, priority, status, deletion', async () => {
    await using context = await open(current());
    await add(context, { id: 1, models: 'a', group: 'default' });
    await add(context, { id: 2, models: 'a', group: 'default' });
    const { revision } = context.channels;
    await edit(context, 1, { models: 'c', group: 'vip', priority: 3 });
    expect(idsOf(context, 'default', 'a')).toEqual([[2]]);
    expect(idsOf(context, 'vip', 'c')).toEqual([[1]]);
    expect(context.channels.revision).toBeGreaterThan(revision);
    expect(context.channels.enabledModels(['default', 'vip'])).toEqual(['a', 'c']);
    await edit(context, 2, { status: 2 });
    expect(idsOf(context, 'default', 'a')).toEqual([]);
    expect(context.channels.get(2)?.status).toBe(2);
    expect(context.channels.groupsOf('a')).toEqual([]);
    await context.db.collection('channels').remove({ id: 1 });
    await context.changes.announce('channel', 1);
    expect(idsOf(context, 'vip', 'c')).toEqual([]);
    expect(context.channels.get(1)).toBeUndefined();
  });

  it('serves all GPTs by one entry', async () => {
    await using context = await open(current());
    await add(context, { id: 1, models: 'gpt-4-gizmo-*,gpt-4o-gizmo-*' });
    expect(idsOf(context, 'default', 'gpt-4-gizmo-g-abc')).toEqual([[1]]);
    expect(idsOf(context, 'default', 'gpt-4o-gizmo-g-abc')).toEqual([[1]]);
    expect(idsOf(context, 'default', 'gpt-4')).toEqual([]);
    expect(context.channels.groupsOf('gpt-4o-gizmo-x')).toEqual(['default']);
  });

  it('serves single GPTs by the channels that list them and by those that serve all', async () => {
    await using context = await open(current());
    await add(context, { id: 1, models: 'gpt-4-gizmo-g-abc' });
    expect(idsOf(context, 'default', 'gpt-4-gizmo-g-abc')).toEqual([[1]]);
    expect(idsOf(context, 'default', 'gpt-4-gizmo-g-other')).toEqual([]);
    await add(context, { id: 2, models: 'gpt-4-gizmo-*', priority: 3, group: 'default,vip' });
    await add(context, { id: 3, models: 'gpt-4-gizmo-*,gpt-4-gizmo-g-abc' });
    expect(idsOf(context, 'default', 'gpt-4-gizmo-g-abc')).toEqual([[2], [1, 3]]);
    expect(idsOf(context, 'default', 'gpt-4-gizmo-g-other')).toEqual([[2], [3]]);
    expect(idsOf(context, 'default', 'gpt-4-gizmo-*')).toEqual([[2], [3]]);
    expect(context.channels.groupsOf('gpt-4-gizmo-g-abc')).toEqual(['default', 'vip']);
    expect(context.channels.enabledModels()).toEqual(['gpt-4-gizmo-*', 'gpt-4-gizmo-g-abc']);
    // Cached results follow the edits of either.
    await edit(context, 2, { status: 2 });
    expect(idsOf(context, 'default', 'gpt-4-gizmo-g-abc')).toEqual([[1, 3]]);
    await edit(context, 1, { priority: 9 });
    expect(idsOf(context, 'default', 'gpt-4-gizmo-g-abc')).toEqual([[1], [3]]);
    await edit(context, 3, { models: 'gpt-4o' });
    expect(idsOf(context, 'default', 'gpt-4-gizmo-g-abc')).toEqual([[1]]);
    expect(idsOf(context, 'default', 'gpt-4-gizmo-g-other')).toEqual([]);
  });

  it('never offers a channel that cannot work', async () => {
    await using context = await open(current());
    await add(context, { id: 1, type: 999 });
    await add(context, { id: 2, model_mapping: '{' });
    expect(context.channels.enabledModels()).toEqual([]);
    expect(problemText(context.channels.get(2) ?? { problem: null })).toBe('The model mapping must be valid JSON');
    await edit(context, 2, { model_mapping: '' });
    expect(idsOf(context, 'default', 'gpt-4o-mini')).toEqual([[2]]);
  });

  it('leaves a disabled channel unused in another process within a second', async () => {
    const database = current();
    await using here = await open(database);
    await using there = await open(database);
    await add(here, { id: 1 });
    await vi.waitFor(() => expect(idsOf(there, 'default', 'gpt-4o-mini')).toEqual([[1]]), { timeout: 60_000, interval: 20 });
    expect(await disableChannel(here, 1, saidReason('the key is dead'))).toBe(true);
    expect(idsOf(here, 'default', 'gpt-4o-mini')).toEqual([]);
    await vi.waitFor(() => expect(idsOf(there, 'default', 'gpt-4o-mini')).toEqual([]), { timeout: 60_000, interval: 20 });
    expect(there.channels.get(1)?.status).toBe(3);
  });

  it('disables once, and only what may be disabled', async () => {
    await using context = await open(current());
    await add(context, { id: 1, other_info: '{"kept":1}' });
    await add(context, { id: 2, auto_ban: 0 });
    await add(context, { id: 3, status: 2 });
    const done = await Promise.all([1, 1, 1, 2, 3, 99].map((id) => disableChannel(context, id, saidReason('why'))));
    expect(done.filter(Boolean)).toEqual([true]);
    const record = await context.db.collection('channels').get(1);
    expect(record).toMatchObject({ status: 3, revision: 2 });
    expect(JSON.parse(record?.other_info ?? '')).toEqual({
      kept: 1,
      status_reason: 'said',
      status_fact: saidReason('why'),
      status_time: expect.any(Number),
    });
    expect((await context.db.collection('channels').get(3))?.status).toBe(2);
  });

  it('has a reason to disable only where the settings and the channel allow it', async () => {
    await using context = await open(current());
    await add(context, { id: 1 });
    await add(context, { id: 2, auto_ban: 0 });
    const [allowed, stored] = [context.channels.get(1), context.channels.get(2)];
    if (allowed === undefined || stored === undefined) throw new Error('the channels are missing');
    const text = JSON.stringify({ error: { message: 'You exceeded your current quota' } });
    const failure = parseUpstreamError({ status: 429, text, channel: allowed, now: 0 });
    expect(reasonToDisable(context, allowed, failure, { callerText: () => '', isConfirmed: true })).toBeNull();
    await context.db
      .collection('options')
      .insert({ id: 'AutomaticDisableChannelEnabled', value: 'true', revision: 1, updated_at: 0, updated_by: 0 });
    await context.settings.reload();
    expect(reasonToDisable(context, allowed, failure, { callerText: () => '', isConfirmed: true })).toEqual(
      saidReason('You exceeded your current quota'),
    );
    expect(reasonToDisable(context, stored, failure, { callerText: () => '', isConfirmed: true })).toBeNull();
  });

  it('does no work per channel for each call, with a thousand channels of a thousand models', async () => {
    await using context = await open(current());
    const models = Array.from({ length: 1000 }, (_, at) => `model-${at}`).join(',');
    const records = Array.from({ length: 1000 }, (_, at) => buildChannel({ id: at + 1, models, priority: at % 3 }, context.secrets));
    await context.db.write(records.map((insert) => ({ insert, into: 'channels' })));
    await context.channels.reload();
    expect(context.channels.tiers('default', 'model-7').flatMap((tier) => tier.channels)).toHaveLength(1000);
    const tiers = context.channels.tiers('default', 'model-7');
    // The cached list is returned, not a new one.
    expect(context.channels.tiers('default', 'model-7')).toBe(tiers);
    await edit(context, 500, { status: 2 });
    expect(context.channels.tiers('default', 'model-7').flatMap((tier) => tier.channels)).toHaveLength(999);
  });
});
