import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultText } from '#server/settings/defaults.ts';
import { channelTypes } from '#shared/channel-types.ts';
import { providerOf, supportedTypes } from '#server/providers/registry.ts';
import { oneEngine } from '#tests/support/engines.ts';
import type { TestResponse, TestClient } from '#tests/support/http-client.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

describe.each(oneEngine)('models on $kind', (engine) => {
  let app: TestApp;
  let root: TestClient;

  beforeAll(async () => {
    app = await createTestApp(engine);
    root = await app.setup();
    await addChannel({ models: 'gpt-4o,dall-e-3,gpt-4-gizmo-*', group: 'default,vip' });
    await addChannel({ models: 'gpt-4o, deepseek-chat ,unheard-of', group: 'svip' });
    await addChannel({ models: 'asleep', status: 2 });
  });
  afterAll(() => app.close());

  async function addChannel(fields: Record<string, unknown>): Promise<number> {
    const answer = await root.post('/api/channel/', { name: 'channel', key: 'sk-channel-secret', ...fields });
    expect(answer).toMatchObject({ success: true });
    return answer.data[0];
  }

  const extra = (answer: TestResponse, name: string): unknown => Object.entries(answer.body ?? {}).find(([key]) => key === name)?.[1];

  it('prices the tools that a provider runs, where it runs any', async () => {
    const { data } = await app.anonymous().get('/api/pricing');
    const tools = new Map(data.map((entry: { model_name: string; tool_prices?: object }) => [entry.model_name, entry.tool_prices]));
    expect(tools.get('gpt-4o')).toMatchObject({ web_search: 10, web_search_preview: 25, code_execution: 30 });
    // Those that cost nothing are left out.
    expect(tools.get('gpt-4o')).not.toHaveProperty('mcp');
    const ollama = await addChannel({ models: 'tide', type: 4 });
    const listed = await app.anonymous().get('/api/pricing');
    expect(listed.data.find(({ model_name: name }: { model_name: string }) => name === 'tide')).not.toHaveProperty('tool_prices');
    // It searches in each call, requested or not.
    const perplexity = await addChannel({ models: 'sonar', type: 27 });
    const searching = await app.anonymous().get('/api/pricing');
    expect(searching.data.find(({ model_name: name }: { model_name: string }) => name === 'sonar')).toMatchObject({
      tool_prices: { web_search: 2.5 },
    });
    // A model of another kind runs none, at whatever provider.
    const others = await addChannel({ models: 'tts-1,gpt-image-1,text-embedding-3-small', type: 1 });
    const reported = (await app.anonymous().get('/api/pricing')).data.filter(({ model_name: name }: { model_name: string }) =>
      ['tts-1', 'gpt-image-1', 'text-embedding-3-small'].includes(name),
    );
    expect(reported).toHaveLength(3);
    for (const entry of reported) expect(entry).not.toHaveProperty('tool_prices');
    expect(reported).toContainEqual(expect.objectContaining({ model_name: 'tts-1', unit: 'million_characters' }));
    for (const id of [ollama, perplexity, others]) await root.delete(`/api/channel/${id}`);
  });

  it('prices what enabled channels offer, sorted by name', async () => {
    const answer = await app.anonymous().get('/api/pricing');
    expect(answer).toMatchObject({ status: 200, success: true, message: '' });
    const call = { quota_type: 1, model_ratio: 0, completion_ratio: 0, cache_ratio: 0, owner_by: '', has_price: true };
    const tool_prices = { web_search: 10, code_execution: 30, file_search: 2.5 };
    const usage = { quota_type: 0, unit: 'tokens', model_price: 0, owner_by: '', has_price: true, tool_prices };
    expect(answer.data).toEqual([
      { model_name: 'dall-e-3', ...call, unit: 'image', model_price: 0.04, enable_groups: ['default', 'vip'] },
      {
        model_name: 'deepseek-chat',
        ...usage,
        model_ratio: expect.any(Number),
        completion_ratio: 4,
        cache_ratio: 0.25,
        enable_groups: ['svip'],
      },
      { model_name: 'gpt-4-gizmo-*', ...call, unit: 'call', model_price: 0.1, enable_groups: ['default', 'vip'] },
      {
        model_name: 'gpt-4o',
        ...usage,
        model_ratio: 1.25,
        completion_ratio: 4,
        cache_ratio: 0.5,
        tool_prices: { web_search: 10, web_search_preview: 25, code_execution: 30, file_search: 2.5 },
        tiers: [{ tier: 'priority', factor: 1.7 }],
        enable_groups: ['default', 'svip', 'vip'],
      },
      {
        model_name: 'unheard-of',
        ...usage,
        model_ratio: 37.5,
        completion_ratio: 1,
        cache_ratio: 1,
        enable_groups: ['svip'],
        has_price: false,
      },
    ]);
    expect(JSON.stringify(answer.body)).not.toContain('secret');
  });

  it('shows visitors and users the groups that they may use', async () => {
    const visitor = await app.anonymous().get('/api/pricing');
    expect(extra(visitor, 'group_ratio')).toEqual({ default: 1, vip: 1 });
    expect(extra(visitor, 'usable_group')).toEqual({ default: '默认分组', vip: 'vip分组' });
    const member = await app.as(await app.createUser({ group: 'svip' }));
    const own = await member.get('/api/pricing');
    expect(extra(own, 'group_ratio')).toEqual({ default: 1, svip: 1, vip: 1 });
    expect(extra(own, 'usable_group')).toEqual({ default: '默认分组', svip: '用户分组', vip: 'vip分组' });
  });

  it('never has a group without a name', async () => {
    await root.put('/api/option/', { key: 'UserUsableGroups', value: '{"vip":"vip分组"}' });
    expect(extra(await app.anonymous().get('/api/pricing'), 'usable_group')).toEqual({ default: 'default', vip: 'vip分组' });
    await root.put('/api/option/', { key: 'UserUsableGroups', value: '{"default":"默认分组","vip":"vip分组"}' });
  });

  it('follows changes of channels and prices at once', async () => {
    const id = await addChannel({ models: 'passing' });
    const names = async () => (await app.anonymous().get('/api/pricing')).data.map((entry: { model_name: string }) => entry.model_name);
    expect(await names()).toContain('passing');
    await root.put('/api/channel/', { id, status: 2 });
    expect(await names()).not.toContain('passing');
    await root.put('/api/channel/', { id, status: 1 });
    await root.put('/api/option/', { key: 'ModelPrice', value: '{"passing": 0.5}' });
    const { data } = await app.anonymous().get('/api/pricing');
    expect(data.find((entry: { model_name: string }) => entry.model_name === 'passing')).toMatchObject({ quota_type: 1, model_price: 0.5 });
    await root.delete(`/api/channel/${id}/`);
    expect(await names()).not.toContain('passing');
  });

  it('lists the names of all groups to administrators', async () => {
    expect((await root.get('/api/group/')).data).toEqual(['default', 'svip', 'vip']);
    await root.put('/api/option/', { key: 'GroupRatio', value: '{"vip":1,"basic":2,"default":1}', removes_groups: true });
    expect((await root.get('/api/group/')).data).toEqual(['default', 'basic', 'vip']);
    const user = await app.as(await app.createUser());
    expect(await user.get('/api/group/')).toMatchObject({ status: 403 });
  });

  it('lists built-in models for every type that can be chosen', async () => {
    const user = await app.as(await app.createUser());
    const { data } = await user.get('/api/models');
    expect(
      Object.keys(data)
        .map(Number)
        .toSorted((a, b) => a - b),
    ).toEqual([...supportedTypes].toSorted((a, b) => a - b));
    expect(data['1']).toContain('gpt-4o');
    expect(data['8']).toEqual(data['1']);
    expect(data['43']).toContain('deepseek-v4-flash');
    expect(await app.anonymous().get('/api/models')).toMatchObject({ status: 401 });
  });

  it('fills new channels with models that can be called and have a price', async () => {
    const { data } = await root.get('/api/models');
    expect(data['1']).toContain('gpt-5.6');
    expect(data['14']).toContain('claude-opus-5');
    const ratios: Record<string, number> = JSON.parse(defaultText('ModelRatio'));
    for (const model of [...data['1'], ...data['14'], ...data['43']]) expect(ratios[model], model).toBeGreaterThan(0);
    expect(
      [...data['1'], ...data['14']].filter((model: string) => /davinci|instruct|-0613|vision-preview|claude-(2|instant)/.test(model)),
    ).toEqual([]);
  });

  it('has the models of enabled channels for administrators', async () => {
    expect((await root.get('/api/channel/models_enabled')).data).toEqual([
      'dall-e-3',
      'deepseek-chat',
      'gpt-4-gizmo-*',
      'gpt-4o',
      'unheard-of',
    ]);
  });
});

describe('the catalogue of channel types', () => {
  it('offers exactly what the server can talk to', () => {
    expect(channelTypes.map(({ type }) => type).toSorted((a, b) => a - b)).toEqual([...supportedTypes].toSorted((a, b) => a - b));
    const reporting = channelTypes.filter(({ reportsBalance }) => reportsBalance === true).map(({ type }) => type);
    expect(reporting.toSorted((a, b) => a - b)).toEqual(
      supportedTypes.filter((type) => providerOf(type)?.balance !== undefined).toSorted((a, b) => a - b),
    );
  });

  it('has a notice for every type whose service has ended, and names the retired platforms', () => {
    const ended = channelTypes.filter(({ hasEnded }) => hasEnded === true);
    expect(ended.map(({ type }) => type).toSorted((a, b) => a - b)).toEqual([11, 16, 23, 55]);
    expect(ended.filter(({ notice }) => notice === undefined)).toEqual([]);
  });

  it('says which are not tested: those that take nothing but orders', () => {
    const untested = channelTypes.filter(({ isUntested }) => isUntested === true).map(({ type }) => type);
    const ordered = supportedTypes.filter((type) => Object.keys(providerOf(type)?.formats ?? {}).length === 0);
    expect(untested.toSorted((a, b) => a - b)).toEqual(ordered.toSorted((a, b) => a - b));
  });
});
