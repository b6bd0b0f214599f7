import { describe, expect, it } from 'vitest';
import { useChannelDesk } from '#tests/support/channel-desk.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { startFakeUpstream } from '#tests/support/fake-upstream.ts';

const english = { headers: { 'accept-language': 'en' } };
const needed = { status: 200, success: false, code: 'channel_key_needed', field: 'key' };
/** Whatever moves the key of a channel at `https://api.example.com/v1`. */
const moves = [
  { base_url: 'https://attacker.example.net' },
  { base_url: 'http://api.example.com/v1' },
  { base_url: 'https://api.example.com/v2' },
  { base_url: '' },
  { base_url: '', type: 43 },
  { setting: '{"proxy":"http://attacker.example.net:8080"}' },
];

describe.each(oneEngine)('the keys of channels on $kind', (engine) => {
  const desk = useChannelDesk(engine);
  const { createOne, keyOf, stored, count } = desk;
  const existing = () => createOne({ base_url: 'https://api.example.com/v1' });

  it.each(moves)('an administrator cannot send a stored key elsewhere: %j', async (fields) => {
    const id = await existing();
    const before = await stored(id);
    expect(await desk.admin.put('/api/channel/', { id, name: 'aimed', ...fields })).toMatchObject(needed);
    expect(await desk.admin.put('/api/channel/', { id, key: '  \n ', ...fields })).toMatchObject(needed);
    expect(await stored(id)).toEqual(before);
    const copy = { name: 'copy', key: '', models: 'gpt-4o', base_url: 'https://api.example.com/v1', copy_from: id, ...fields };
    expect(await desk.admin.post('/api/channel/', copy)).toMatchObject(needed);
    expect(await count()).toBe(1);
    const reported = await desk.admin.put('/api/channel/', { id, ...fields }, english);
    expect(reported.message).toBe(
      'The key would be sent to a new address or through a new proxy: enter the key again (the super admin need not)',
    );
  });

  it.each(moves)('who enters the key may send it anywhere: %j', async (fields) => {
    const id = await existing();
    const answer = await desk.admin.put('/api/channel/', { id, key: 'sk-entered', ...fields });
    expect(answer).toMatchObject({ success: true, data: fields });
    expect(await keyOf(id)).toBe('sk-entered');
  });

  it('the super admin needs no key', async () => {
    const root = await desk.app.login('root');
    for (const fields of moves) {
      const id = await existing();
      expect(await root.put('/api/channel/', { id, ...fields })).toMatchObject({ success: true });
      const copy = { name: 'copy', key: '', models: 'gpt-4o', copy_from: id, ...fields };
      expect(await root.post('/api/channel/', copy)).toMatchObject({ success: true });
      expect(await keyOf(id)).toBe('sk-secret-one');
    }
  });

  it('what does not move the key needs none', async () => {
    const id = await createOne({ base_url: 'https://api.example.com/v1', setting: '{"proxy":"http://proxy.example.com:8080"}' });
    // A client that sends the whole channel back.
    expect(await desk.admin.put('/api/channel/', { ...(await desk.read(id)), name: 'renamed' })).toMatchObject({ success: true });
    for (const fields of [{ type: 8 }, { base_url: 'https://api.example.com' }, { setting: '' }, { models: 'gpt-4o-mini' }, { other: 'x' }])
      expect(await desk.admin.put('/api/channel/', { id, ...fields })).toMatchObject({ success: true });
    const copy = { ...(await desk.read(id)), name: 'copy', copy_from: id };
    expect(await desk.admin.post('/api/channel/', copy)).toMatchObject({ success: true });
    expect(await keyOf(id)).toBe('sk-secret-one');
  });

  it('a key does not travel in small steps either', async () => {
    const attacker = await startFakeUpstream();
    try {
      const id = await createOne({ base_url: desk.upstream.url });
      const { admin } = desk;
      await admin.put('/api/channel/', { id, status: 2 });
      await admin.put('/api/channel/', { id, base_url: attacker.url });
      await admin.put('/api/channel/', { id, base_url: attacker.url, status: 1 });
      await admin.post('/api/channel/', { name: 'copy', models: 'gpt-4o', copy_from: id, base_url: attacker.url });
      await admin.put('/api/channel/', { id, setting: JSON.stringify({ proxy: attacker.url }) });
      await admin.get(`/api/channel/test/${id}`);
      expect(attacker.requests).toEqual([]);
      expect(desk.upstream.requests.map(({ key }) => key)).toEqual(['sk-secret-one']);
    } finally {
      await attacker.close();
    }
  });

  it('no name of a model decides which host gets the key', async () => {
    const { admin } = desk;
    const fields = { name: 'wide', key: 'sk-secret-one', models: 'gpt-4o' };
    for (const base_url of ['https://{model}.example.com', 'https://{model}/v1', 'https://api.example.com{model}']) {
      expect(await admin.post('/api/channel/', { ...fields, base_url }, english)).toMatchObject({
        success: false,
        field: 'base_url',
        message: expect.stringContaining('must not have {model} in its host'),
      });
    }
    const id = await createOne({ type: 8, base_url: `${desk.upstream.url}/run/{model}`, models: 'gpt-4o' });
    await admin.get(`/api/channel/test/${id}?model=${encodeURIComponent('../steal')}`);
    expect(desk.upstream.requests).toEqual([]);
  });
});
