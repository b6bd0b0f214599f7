// What is done to thousands of channels at once: counted in steps and writes, because a clock would judge the machine.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { keysAtOnce } from '#server/db/changes.ts';
import { recordsAtOnce } from '#server/db/edit-records.ts';
import { buildChannel } from '#tests/support/build-channel.ts';
import { useChannelDesk } from '#tests/support/channel-desk.ts';
import { engines } from '#tests/support/engines.ts';

const many = 1_250;
const steps = Math.ceil(many / recordsAtOnce);

describe.each(engines)('many channels on $kind', (engine) => {
  const desk = useChannelDesk(engine);
  afterEach(() => void vi.restoreAllMocks());

  async function arrange(): Promise<number[]> {
    const { db, channels, secrets } = desk.app.context;
    const ids = await db.nextIds('channels', many);
    const record = buildChannel({ tag: 'pier', models: 'gpt-4o-mini,gpt-4o', group: 'default' }, secrets);
    await db.write(ids.map((id) => ({ insert: { ...record, id }, into: 'channels' })));
    await channels.reload();
    return ids;
  }

  /** Counts what reaches the database, and how often others had their turn. */
  function counted() {
    const { db, changes } = desk.app.context;
    const counts = { writes: 0, largest: 0, turns: 0, received: 0, mostReceived: 0 };
    const count = (batch: readonly unknown[]): void => {
      counts.writes += 1;
      counts.largest = Math.max(counts.largest, batch.length);
    };
    const [write, writeUnordered, nextId, nextIds] = [
      db.write.bind(db),
      db.writeUnordered.bind(db),
      db.nextId.bind(db),
      db.nextIds.bind(db),
    ];
    vi.spyOn(db, 'write').mockImplementation((batch) => (count(batch), write(batch)));
    vi.spyOn(db, 'writeUnordered').mockImplementation((batch) => (count(batch), writeUnordered(batch)));
    vi.spyOn(db, 'nextId').mockImplementation((name) => (count([name]), nextId(name)));
    vi.spyOn(db, 'nextIds').mockImplementation((name, size) => (count([name]), nextIds(name, size)));
    const stop = changes.listenMany('channel', (keys) => {
      counts.received += keys.length;
      counts.mostReceived = Math.max(counts.mostReceived, keys.length);
    });
    let isOver = false;
    const turn = (): void => {
      counts.turns += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    return () => {
      isOver = true;
      stop();
      vi.restoreAllMocks();
      return counts;
    };
  }

  /** Each step: its records, the ids of its changes, and the rows of those. */
  function expectSteps(counts: ReturnType<ReturnType<typeof counted>>, writesPerStep: number): void {
    expect(counts.writes).toBeLessThanOrEqual(steps * writesPerStep);
    expect(counts.largest).toBeLessThanOrEqual(recordsAtOnce);
    expect(counts.received).toBe(many);
    expect(counts.mostReceived).toBeLessThanOrEqual(keysAtOnce);
    expect(counts.turns).toBeGreaterThanOrEqual(steps);
  }

  it('are disabled and enabled by their tag, a hundred in a step', async () => {
    await arrange();
    const { channels } = desk.app.context;
    const disabling = counted();
    expect(await desk.admin.post('/api/channel/tag/disabled', { tag: 'pier' })).toMatchObject({ success: true, data: many });
    expectSteps(disabling(), 3);
    expect(channels.tiers('default', 'gpt-4o')).toEqual([]);
    const enabling = counted();
    expect(await desk.admin.post('/api/channel/tag/enabled', { tag: 'pier' })).toMatchObject({ success: true, data: many });
    expectSteps(enabling(), 3);
    expect(channels.tiers('default', 'gpt-4o')[0]?.channels).toHaveLength(many);
  });

  it('are deleted and taken back, a hundred in a step', async () => {
    const ids = await arrange();
    const { channels, db } = desk.app.context;
    const deleting = counted();
    const answer = await desk.admin.post('/api/channel/batch', { ids });
    expect(answer.body).toMatchObject({ success: true, data: many, ids });
    expectSteps(deleting(), 5);
    expect(channels.tiers('default', 'gpt-4o')).toEqual([]);
    expect(await db.collection('channels').count({ tag: 'pier' })).toBe(0);
    const restoring = counted();
    expect(await desk.admin.post('/api/channel/restore', { ids })).toMatchObject({ success: true, data: many });
    expectSteps(restoring(), 4);
    expect(channels.tiers('default', 'gpt-4o')[0]?.channels).toHaveLength(many);
    expect(await db.collection('deleted_channels').count({})).toBe(0);
  });

  it('keep what somebody else edits meanwhile', async () => {
    const ids = await arrange();
    const { db } = desk.app.context;
    const [first = 0, second = 0] = ids;
    const channels = db.collection('channels');
    const writeUnordered = db.writeUnordered.bind(db);
    vi.spyOn(db, 'writeUnordered').mockImplementationOnce(async (batch) => {
      await channels.patch({ id: first }, { set: { name: 'renamed' }, increment: { revision: 1 } });
      await channels.patch({ id: second }, { set: { tag: 'left' }, increment: { revision: 1 } });
      return writeUnordered(batch);
    });
    // The one that has another tag by now is none of them.
    const answer = await desk.admin.put('/api/channel/tag', { tag: 'pier', priority: 7 });
    expect(answer).toMatchObject({ success: false, code: 'channels_partly_changed' });
    expect(await channels.get(first)).toMatchObject({ name: 'renamed', priority: 7, revision: 3 });
    expect(await channels.get(second)).toMatchObject({ tag: 'left', priority: 0, revision: 2 });
    expect(await channels.count({ tag: 'pier', priority: 7 })).toBe(many - 1);
  });
});
