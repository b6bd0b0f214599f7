// A leaked key is replaced in all channels that have it, and put back.
import { describe, expect, it } from 'vitest';
import { ChannelStatus } from '#shared/channels.ts';
import { newKey } from '#server/exchange/keys/new-key.ts';
import { useChannelDesk } from '#tests/support/channel-desk.ts';
import { engines } from '#tests/support/engines.ts';

const [leaked, fresh] = ['sk-leaked-key-0001', 'sk-fresh-key-0002'];

describe.each(engines)('replaced keys on $kind', (engine) => {
  const desk = useChannelDesk(engine);
  const { createOne } = desk;

  /** A channel with the key alone, one that is disabled, and one with another key before it. */
  async function createChannels(): Promise<number[]> {
    const alone = await createOne({ key: leaked });
    const disabled = await createOne({ key: leaked });
    const several = await createOne({ key: 'sk-first-key-0000' });
    const { context } = desk.app;
    await context.db.collection('channels').patch({ id: disabled }, { set: { status: ChannelStatus.disabledByHand } });
    for (const text of ['sk-first-key-0000', leaked]) {
      const id = await context.db.nextId('channel_keys');
      await context.db.collection('channel_keys').insert({ ...newKey(context, { channel_id: several, text }), id });
    }
    const channels = [alone, disabled, several];
    for (const id of channels) await context.changes.announce('channel', id);
    return channels;
  }
  const placesOf = async (key: string): Promise<number[]> => {
    const { data } = await desk.admin.post('/api/channel/keys/find', { key });
    return data.map(({ channel_id: id }: { channel_id: number }) => id);
  };
  const replace = (channels: number[], key: string) =>
    desk.admin.post('/api/channel/keys/replace', { from: { channel_id: channels[0], key_id: 0 }, channels, key });
  const undo = (id: number) => desk.admin.post(`/api/channel/keys/replacements/${id}/undo`, {});

  it('are replaced everywhere and come back, once', async () => {
    const channels = await createChannels();
    const { data: done } = await replace(channels, fresh);
    expect(done).toMatchObject({ old_ending: '0001', new_ending: '0002' });
    expect([await placesOf(leaked), await placesOf(fresh)]).toEqual([[], channels]);
    const answers = await Promise.all([undo(done.id), undo(done.id)]);
    expect(answers.filter(({ success }) => success === true)).toHaveLength(1);
    expect(answers.find(({ success }) => success !== true)).toMatchObject({ code: 'key_replacement_late' });
    expect([await placesOf(leaked), await placesOf(fresh)]).toEqual([channels, []]);
    expect(JSON.stringify([done, answers])).not.toMatch(/sk-(?:leaked|fresh)/);
  });

  it('two replacements of one key at once: each channel has one of the new keys, and their records say which', async () => {
    const channels = await createChannels();
    const answers = await Promise.all([replace(channels, fresh), replace(channels, 'sk-other-key-0003')]);
    expect(await placesOf(leaked)).toEqual([]);
    const found = [await placesOf(fresh), await placesOf('sk-other-key-0003')];
    expect(found.flat().toSorted((one, other) => one - other)).toEqual(channels);
    // One that came second may have replaced what the first one had stored.
    for (const [index, { data }] of answers.entries())
      expect((data?.places ?? []).map(({ channel_id: id }: { channel_id: number }) => id)).toEqual(
        expect.arrayContaining(found[index] ?? []),
      );
  });

  /** Does the work, which fails at the second channel. */
  async function failingHalfway(channels: number[], work: () => Promise<{ success?: unknown }>): Promise<void> {
    const { changes } = desk.app.context;
    const announce = changes.announce.bind(changes);
    let announced = 0;
    changes.announce = async (...facts) => {
      if (facts[0] === 'channel' && ++announced === 2) throw new Error('the process died');
      return announce(...facts);
    };
    try {
      expect((await work()).success).not.toBe(true);
    } finally {
      changes.announce = announce;
    }
    for (const id of channels) await announce('channel', id);
  }

  it('what failed halfway can be put back', async () => {
    const channels = await createChannels();
    const { db } = desk.app.context;
    await failingHalfway(channels, () => replace(channels, fresh));
    expect(await placesOf(fresh)).toEqual(channels.slice(0, 2));
    const [record] = await db.collection('key_replacements').find({}, { sort: [['id', -1]], limit: 1 });
    expect(await undo(record?.id ?? 0)).toMatchObject({ success: true });
    expect([await placesOf(leaked), await placesOf(fresh)]).toEqual([channels, []]);
  });

  it('what was put back halfway can be put back again', async () => {
    const channels = await createChannels();
    const { data: done } = await replace(channels, fresh);
    await failingHalfway(channels, () => undo(done.id));
    expect(await placesOf(fresh)).toEqual(channels.slice(2));
    expect(await undo(done.id)).toMatchObject({ success: true });
    expect([await placesOf(leaked), await placesOf(fresh)]).toEqual([channels, []]);
    expect(await undo(done.id)).toMatchObject({ code: 'key_replacement_late' });
  });

  it('more keys than a channel holds are refused before they are compared', async () => {
    const [channel] = await createChannels();
    const keys = Array.from({ length: 3000 }, (_, index) => `sk-${index}`).join('\n');
    for (const call of ['keys', 'keys/check'])
      expect(await desk.admin.post(`/api/channel/${channel}/${call}`, { keys })).toMatchObject({ code: 'channel_keys_full' });
  });

  it('a key that an edit replaced meanwhile stays', async () => {
    const channels = await createChannels();
    const { data: done } = await replace(channels, fresh);
    await desk.admin.put('/api/channel/', { id: channels[0], key: 'sk-edited-key-0004' });
    expect(await undo(done.id)).toMatchObject({ success: true });
    expect([await placesOf('sk-edited-key-0004'), await placesOf(leaked)]).toEqual([channels.slice(0, 1), channels.slice(1)]);
  });
});
