import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { channelTypes } from '#shared/channel-types.ts';
import { providerOf } from '#server/upstream/providers/registry.ts';
import { engines } from '#tests/support/engines.ts';
import { startFakeUpstream } from '#tests/support/fake-upstream.ts';
import type { FakeUpstream } from '#tests/support/fake-upstream.ts';
import type { TestAnswer, TestClient } from '#tests/support/http-client.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import type { TestApp } from '#tests/support/test-app.ts';

const english = { headers: { 'accept-language': 'en' } };

describe.each(engines)('channels on $kind', (engine) => {
  let app: TestApp;
  let admin: TestClient;
  let upstream: FakeUpstream;

  beforeAll(async () => {
    app = await createTestApp(engine);
    await app.setup();
    admin = await app.as(await app.createUser({ username: 'keeper', role: 10 }));
    upstream = await startFakeUpstream();
  });
  afterEach(async () => {
    await app.context.db.collection('channels').remove({});
    await app.context.channels.reload();
    upstream.reset();
  });
  afterAll(async () => {
    await app.close();
    await upstream.close();
  });

  const valid = { name: 'one', key: 'sk-secret-one', models: 'gpt-4o' };
  const create = (fields: Record<string, unknown> = {}) => admin.post('/api/channel/', { ...valid, ...fields });
  async function createOne(fields: Record<string, unknown> = {}): Promise<number> {
    const answer = await create(fields);
    expect(answer).toMatchObject({ status: 200, success: true });
    return answer.data[0];
  }
  const read = async (id: number) => (await admin.get(`/api/channel/${id}`)).data;
  const stored = async (id: number) => {
    const record = await app.context.db.collection('channels').get(id);
    if (record === null) throw new Error(`There is no channel ${id}`);
    return record;
  };
  const keyOf = async (id: number) => app.context.secrets.decrypt((await stored(id)).key_cipher);
  const count = () => app.context.db.collection('channels').count({});

  it('are for administrators only', async () => {
    const user = await app.as(await app.createUser());
    for (const [method, path] of [
      ['GET', '/api/channel/'],
      ['GET', '/api/channel/search'],
      ['GET', '/api/channel/1'],
      ['POST', '/api/channel/'],
      ['PUT', '/api/channel/'],
      ['DELETE', '/api/channel/1/'],
      ['DELETE', '/api/channel/disabled'],
      ['POST', '/api/channel/batch'],
      ['GET', '/api/channel/test/1'],
      ['GET', '/api/channel/models_enabled'],
    ] as const) {
      expect(await app.anonymous().call(method, path)).toMatchObject({ status: 401, success: false });
      expect(await user.call(method, path)).toMatchObject({ status: 403, success: false, code: 'forbidden' });
    }
  });

  describe('creating', () => {
    it('fills in the defaults, and never answers the key', async () => {
      const answer = await create();
      expect(answer.data).toHaveLength(1);
      const id = answer.data[0];
      expect(await read(id)).toEqual({
        id,
        type: 1,
        name: 'one',
        key: '',
        openai_organization: '',
        test_model: '',
        status: 1,
        weight: 0,
        priority: 0,
        created_time: expect.any(Number),
        test_time: 0,
        response_time: 0,
        base_url: '',
        other: '',
        balance: 0,
        balance_updated_time: 0,
        models: 'gpt-4o',
        group: 'default',
        groups: ['default'],
        used_quota: 0,
        model_mapping: '',
        status_code_mapping: '',
        setting: '',
        param_override: '',
        other_info: '',
        auto_ban: 1,
        tag: '',
        max_input_tokens: 0,
        revision: 1,
      });
      const record = await stored(id);
      expect(JSON.stringify(record)).not.toContain('sk-secret-one');
      expect(await keyOf(id)).toBe('sk-secret-one');
    });

    it('makes one channel per key, with blanks and repetitions dropped', async () => {
      const answer = await create({ key: ' sk-a \r\n\nsk-b\nsk-a\n', models: 'm1, m2,,m1', group: 'vip, default ,vip' });
      expect(answer.data).toHaveLength(2);
      const keys = await Promise.all(answer.data.map(keyOf));
      expect(keys).toEqual(['sk-a', 'sk-b']);
      for (const id of answer.data)
        expect(await read(id)).toMatchObject({ models: 'm1,m2', group: 'vip,default', groups: ['vip', 'default'] });
    });

    it('takes groups as a list or as a text', async () => {
      expect(await read(await createOne({ groups: ['vip', 'svip'], group: 'default' }))).toMatchObject({ group: 'vip,svip' });
      expect(await read(await createOne({ groups: [], group: '' }))).toMatchObject({ group: 'default' });
    });

    it('copies a channel with its key', async () => {
      const first = await createOne();
      const copy = await createOne({ key: '', copy_from: first, name: 'one_复制', status: 3, used_quota: 99 });
      expect(await keyOf(copy)).toBe('sk-secret-one');
      expect(await read(copy)).toMatchObject({ status: 2, used_quota: 0 });
      expect(await create({ key: '', copy_from: 999 })).toMatchObject({ success: false, code: 'channel_not_found' });
    });

    it('ignores what belongs to the server', async () => {
      const id = await createOne({
        balance: 5,
        used_quota: 7,
        test_time: 8,
        response_time: 9,
        created_time: 1,
        other_info: '{"status_reason":"x"}',
        id: 77,
        revision: 9,
      });
      expect(id).not.toBe(77);
      const channel = await read(id);
      expect(channel).toMatchObject({ balance: 0, used_quota: 0, test_time: 0, response_time: 0, other_info: '', revision: 1 });
      expect(channel.created_time).toBeGreaterThan(1);
    });

    it('cuts the slash at the end of the base URL', async () => {
      expect(await read(await createOne({ base_url: ' https://proxy.example/api// ' }))).toMatchObject({
        base_url: 'https://proxy.example/api',
      });
      expect(await read(await createOne({ type: 8, base_url: 'http://10.0.0.1:9000/{model}/chat' }))).toMatchObject({
        type: 8,
        base_url: 'http://10.0.0.1:9000/{model}/chat',
      });
    });

    it.each([
      ['a name', { name: ' ' }, 'channel_incomplete', '请填写渠道名称和渠道密钥！', 'Enter the name and the key of the channel'],
      ['a key', { key: ' \n ' }, 'channel_incomplete', '请填写渠道名称和渠道密钥！', 'Enter the name and the key of the channel'],
      ['a model', { models: ' , ' }, 'channel_without_models', '请至少选择一个模型！', 'Choose at least one model'],
    ])('needs %s', async (_name, fields, code, chinese, englishText) => {
      expect(await create(fields)).toMatchObject({ status: 200, success: false, code, message: chinese });
      expect((await admin.post('/api/channel/', { ...valid, ...fields }, english)).message).toBe(englishText);
      expect(await count()).toBe(0);
    });

    it.each([
      ['a type that nothing here talks to', { type: 14 }, 200, 'channel_type_unsupported'],
      ['a type that does not exist', { type: 999 }, 200, 'channel_type_unsupported'],
      ['a missing base URL', { type: 8 }, 200, 'channel_base_url_required'],
      ['a base URL of another scheme', { base_url: 'ftp://x.example' }, 200, 'channel_base_url_invalid'],
      ['a base URL without a scheme', { base_url: 'api.example' }, 200, 'channel_base_url_invalid'],
      ['a base URL with a password', { base_url: 'https://a:b@x.example' }, 200, 'channel_base_url_invalid'],
      ['a key with a line break escape', { key: 'sk-\u0000a' }, 200, 'channel_key_invalid'],
      ['a base URL with a password alone', { base_url: 'https://:b@x.example' }, 200, 'channel_base_url_invalid'],
      [
        'more keys than channels make sense',
        { key: Array.from({ length: 1001 }, (_, index) => `sk-${index}`).join('\n') },
        200,
        'channel_keys_many',
      ],
      [
        'more models than a channel can offer',
        { models: Array.from({ length: 5001 }, (_, index) => `m${index}`).join(',') },
        200,
        'channel_text_invalid',
      ],
      ['more groups than there can be', { groups: Array.from({ length: 201 }, (_, index) => `g${index}`) }, 200, 'channel_text_invalid'],
      ['a key that no header carries', { key: 'sk-密钥' }, 200, 'channel_key_invalid'],
      ['a mapping that is not JSON', { model_mapping: '{' }, 200, 'channel_mapping_invalid'],
      ['a mapping to numbers', { model_mapping: '{"a":1}' }, 200, 'channel_mapping_invalid'],
      ['a status mapping that is a list', { status_code_mapping: '[]' }, 200, 'channel_json_invalid'],
      ['an override that is a text', { param_override: '"x"' }, 200, 'channel_json_invalid'],
      ['settings of the wrong type', { setting: '{"force_format":"yes"}' }, 200, 'channel_json_invalid'],
      ['a very long model name', { models: 'm'.repeat(256) }, 200, 'channel_model_too_long'],
      ['an organization with a line break', { openai_organization: 'a\r\nx-evil: 1' }, 200, 'channel_text_invalid'],
      ['a very long group', { groups: ['g'.repeat(65)] }, 400, 'invalid_field'],
      ['a negative weight', { weight: -1 }, 400, 'invalid_field'],
      ['a fractional priority', { priority: 1.5 }, 400, 'invalid_field'],
      ['a huge priority', { priority: 1e15 }, 400, 'invalid_field'],
      ['a priority below the least', { priority: -1000 }, 400, 'invalid_field'],
      ['an operator in place of a text', { name: { $ne: '' } }, 400, 'invalid_field'],
      ['a text in place of a number', { type: '1' }, 400, 'invalid_field'],
      ['a status that does not exist', { status: 9 }, 400, 'invalid_field'],
    ])('refuses %s', async (_name, fields, status, code) => {
      const answer = await create({ ...fields });
      expect(answer).toMatchObject({ status, success: false, code });
      expect(answer.message).not.toBe('');
      expect(JSON.stringify(answer.body)).not.toContain('sk-secret');
      expect(await count()).toBe(0);
    });

    it('refuses a body that is no JSON object', async () => {
      for (const rawBody of ['', '{', '[]', '"x"']) {
        const answer = await admin.call('POST', '/api/channel/', undefined, { rawBody, headers: { 'content-type': 'application/json' } });
        expect(answer).toMatchObject({ status: 400, success: false });
      }
    });

    it.each(channelTypes.map(({ type, name, baseUrl }) => ({ type, name, baseUrl })))(
      'offers type $type ($name)',
      async ({ type, baseUrl }) => {
        expect(providerOf(type)?.baseUrl ?? '').toBe(baseUrl);
        const answer = await create({ type });
        if (baseUrl === '') expect(answer).toMatchObject({ success: false, code: 'channel_base_url_required' });
        else expect(answer).toMatchObject({ success: true });
      },
    );
  });

  describe('editing', () => {
    it('changes only what is named', async () => {
      const id = await createOne({ priority: 3, weight: 4, base_url: 'https://a.example', tag: 'blue' });
      const before = await read(id);
      expect(await admin.put('/api/channel/', { id, priority: 9 })).toMatchObject({
        success: true,
        data: { priority: 9, revision: 2, key: '' },
      });
      expect(await read(id)).toEqual({ ...before, priority: 9, revision: 2 });
      expect(await admin.put('/api/channel/', { id, base_url: '', tag: '', weight: 0 })).toMatchObject({
        data: { base_url: '', tag: '', weight: 0 },
      });
    });

    it('keeps the key when none is sent, and takes a new one', async () => {
      const id = await createOne();
      await admin.put('/api/channel/', { id, key: '', name: 'renamed' });
      await admin.put('/api/channel/', { id, key: null });
      expect(await keyOf(id)).toBe('sk-secret-one');
      const answer = await admin.put('/api/channel/', { id, key: ' sk-secret-two ' });
      expect(JSON.stringify(answer.body)).not.toContain('sk-secret');
      expect(await keyOf(id)).toBe('sk-secret-two');
      expect(await admin.put('/api/channel/', { id, key: 'sk-a\nsk-b' })).toMatchObject({ success: false, code: 'channel_key_invalid' });
    });

    it('takes the whole record back, as old clients send it, and leaves the server’s fields alone', async () => {
      const id = await createOne();
      await app.context.db.collection('channels').patch({ id }, { set: { used_quota: 1234, response_time: 50 } });
      const echo = {
        ...(await read(id)),
        used_quota: 1,
        balance: 9,
        response_time: 0,
        other_info: '{}',
        name: 'echoed',
        revision: undefined,
      };
      expect(await admin.put('/api/channel/', echo)).toMatchObject({
        success: true,
        data: { name: 'echoed', used_quota: 1234, balance: 0, response_time: 50 },
      });
    });

    it('records who changed the status by hand, and when', async () => {
      const id = await createOne();
      const answer = await admin.put('/api/channel/', { id, status: 2 });
      expect(answer.data.status).toBe(2);
      const info = JSON.parse(answer.data.other_info);
      expect(info).toEqual({ status_reason: '', status_time: expect.any(Number), status_by: 'keeper' });
      expect(Math.abs(info.status_time - app.context.now() / 1000)).toBeLessThan(5);
      expect(await admin.put('/api/channel/', { id, status: 3 })).toMatchObject({ success: false, code: 'channel_status_invalid' });
      expect(await read(id)).toMatchObject({ status: 2 });
    });

    it('refuses an edit that is based on an older revision, with the channel as it is', async () => {
      const id = await createOne();
      await admin.put('/api/channel/', { id, revision: 1, name: 'theirs' });
      const answer = await admin.put('/api/channel/', { id, revision: 1, name: 'mine' });
      expect(answer).toMatchObject({
        status: 200,
        success: false,
        code: 'revision_conflict',
        data: { id, name: 'theirs', revision: 2, key: '' },
      });
      expect(JSON.stringify(answer.body)).not.toContain('sk-secret');
    });

    it('loses none of many parallel edits of different fields', async () => {
      const id = await createOne();
      const edits = [
        { name: 'n' },
        { priority: 5 },
        { weight: 6 },
        { tag: 't' },
        { models: 'm' },
        { group: 'vip' },
        { auto_ban: 0 },
        { status: 2 },
      ];
      const answers = await Promise.all(edits.map((edit) => admin.put('/api/channel/', { id, ...edit })));
      expect(answers.every((answer) => answer.success)).toBe(true);
      expect(await read(id)).toMatchObject({
        name: 'n',
        priority: 5,
        weight: 6,
        tag: 't',
        models: 'm',
        group: 'vip',
        auto_ban: 0,
        status: 2,
        revision: 9,
      });
    });

    it.each([
      ['an empty name', { name: '' }, 200, 'channel_incomplete'],
      ['no models', { models: '' }, 200, 'channel_without_models'],
      ['an unsupported type', { type: 14 }, 200, 'channel_type_unsupported'],
      ['a type that needs a base URL', { type: 8 }, 200, 'channel_base_url_required'],
      ['a bad base URL', { base_url: 'nowhere' }, 200, 'channel_base_url_invalid'],
      ['a bad mapping', { model_mapping: 'x' }, 200, 'channel_mapping_invalid'],
      ['a negative weight', { weight: -1 }, 400, 'invalid_field'],
      ['an operator as id', { id: { $gt: 0 } }, 400, 'invalid_field'],
    ])('refuses %s', async (_name, fields, status, code) => {
      const id = await createOne();
      const before = await read(id);
      expect(await admin.put('/api/channel/', { id, ...fields })).toMatchObject({ status, success: false, code });
      expect(await read(id)).toEqual(before);
    });

    it('refuses an unknown id and creates nothing', async () => {
      expect(await admin.put('/api/channel/', { id: 4711, name: 'x' })).toMatchObject({
        status: 200,
        success: false,
        code: 'channel_not_found',
        message: '渠道未找到，请刷新页面后重试。',
      });
      expect(await admin.put('/api/channel/', { name: 'x' })).toMatchObject({ status: 400, success: false });
      expect(await count()).toBe(0);
    });
  });

  describe('listing', () => {
    const names = (answer: TestAnswer) => answer.data.map((channel: { name: string }) => channel.name);
    const total = (answer: TestAnswer) => Object.entries(answer.body ?? {}).find(([key]) => key === 'total')?.[1];

    it('counts pages from 0, by priority, then newest first', async () => {
      for (const [name, priority] of [
        ['a', 1],
        ['b', 5],
        ['c', 1],
        ['d', 9],
      ] as const)
        await createOne({ name, priority });
      const first = await admin.get('/api/channel/?p=0&page_size=3');
      expect(names(first)).toEqual(['d', 'b', 'c']);
      expect(total(first)).toBe(4);
      expect(names(await admin.get('/api/channel/?p=1&page_size=3'))).toEqual(['a']);
      expect(names(await admin.get('/api/channel/?p=7&page_size=3'))).toEqual([]);
      expect(names(await admin.get('/api/channel/?id_sort=true'))).toEqual(['d', 'c', 'b', 'a']);
      expect(names(await admin.get('/api/channel/?p=NaN&page_size=&tag_mode=true'))).toEqual(['d', 'b', 'c', 'a']);
    });

    it('answers ten rows without a size and at most a hundred with a bigger one', async () => {
      await create({ key: Array.from({ length: 105 }, (_, index) => `sk-${index}`).join('\n') });
      expect((await admin.get('/api/channel/')).data).toHaveLength(10);
      expect((await admin.get('/api/channel/?page_size=-1')).data).toHaveLength(10);
      expect((await admin.get('/api/channel/?page_size=1000')).data).toHaveLength(100);
    });

    it('finds by id, part of the name, whole key, part of the models and exact group', async () => {
      const id = await createOne({ name: 'Alpha%', key: 'sk-alpha', models: 'gpt-4o,o3-mini', group: 'vip' });
      await createOne({ name: 'beta', key: 'sk-beta', models: 'deepseek-chat', group: 'default,vip2' });
      const search = async (query: string) => names(await admin.get(`/api/channel/search?${query}`));
      expect(await search(`keyword=${id}`)).toContain('Alpha%');
      expect(await search('keyword=alph')).toEqual(['Alpha%']);
      expect(await search('keyword=%25')).toEqual(['Alpha%']);
      expect(await search('keyword=sk-beta')).toEqual(['beta']);
      expect(await search('keyword=sk-')).toEqual([]);
      expect(await search('model=deepseek')).toEqual(['beta']);
      expect(await search('group=vip')).toEqual(['Alpha%']);
      expect(await search('keyword=&group=null&model=')).toEqual(['beta', 'Alpha%']);
      expect(await search('keyword=beta&group=vip')).toEqual([]);
      expect(await search('keyword[$ne]=x&id_sort=true')).toEqual(['beta', 'Alpha%']);
    });

    it('never shows a key', async () => {
      const id = await createOne({ key: 'sk-never-shown' });
      for (const path of [
        '/api/channel/',
        '/api/channel/?tag_mode=true',
        '/api/channel/search',
        '/api/channel/search?keyword=sk-never-shown',
        `/api/channel/${id}`,
      ]) {
        const text = JSON.stringify((await admin.get(path)).body);
        expect(text).toContain('"key":""');
        expect(text).not.toContain('sk-never-shown');
        expect(text).not.toContain((await stored(id)).key_hash);
        expect(text).not.toContain('key_cipher');
      }
    });

    it('answers an unknown id with an error', async () => {
      expect(await admin.get('/api/channel/4711')).toMatchObject({ status: 200, success: false, code: 'channel_not_found' });
      expect(await admin.get('/api/channel/abc')).toMatchObject({ status: 400, success: false });
    });
  });

  describe('deleting', () => {
    it('removes one, and says when there is none', async () => {
      const id = await createOne();
      expect(await admin.delete(`/api/channel/${id}/`)).toMatchObject({ status: 200, success: true });
      expect(await admin.delete(`/api/channel/${id}/`)).toMatchObject({ status: 200, success: false, code: 'channel_not_found' });
      expect(app.context.channels.get(id)).toBeUndefined();
    });

    it('removes several and answers how many there were', async () => {
      const ids = (await create({ key: 'sk-1\nsk-2\nsk-3' })).data;
      expect(await admin.post('/api/channel/batch', { ids: [ids[0], ids[1], ids[1], 999_999] })).toMatchObject({ success: true, data: 2 });
      expect(await count()).toBe(1);
      for (const wrong of [{ ids: [] }, {}, { ids: ['1'] }, { ids: [{ $gt: 0 }] }, { ids: [1.5] }]) {
        expect(await admin.post('/api/channel/batch', wrong)).toMatchObject({ status: 400, success: false });
      }
      expect((await admin.post('/api/channel/batch', { ids: [] })).message).toBe('参数错误');
      expect(await count()).toBe(1);
    });

    it('removes the disabled ones, however they were disabled', async () => {
      const ids = (await create({ key: 'sk-1\nsk-2\nsk-3' })).data;
      await admin.put('/api/channel/', { id: ids[0], status: 2 });
      await app.context.db.collection('channels').patch({ id: ids[1] }, { set: { status: 3 } });
      expect(await admin.delete('/api/channel/disabled')).toMatchObject({ success: true, data: 2 });
      expect((await admin.get('/api/channel/')).data.map((channel: { id: number }) => channel.id)).toEqual([ids[2]]);
    });

    it('never hands out an id again', async () => {
      const first = await createOne();
      await admin.delete(`/api/channel/${first}/`);
      expect(await createOne()).toBeGreaterThan(first);
    });
  });

  it('reach the relay’s index of every process within a second', async () => {
    await using second = await createTestApp(engine, { database: app.database });
    const id = await createOne({ models: 'far-away' });
    await expect.poll(() => second.context.channels.enabledModels(), { timeout: 1000, interval: 20 }).toContain('far-away');
    await admin.put('/api/channel/', { id, status: 2 });
    await expect.poll(() => second.context.channels.enabledModels(), { timeout: 1000, interval: 20 }).not.toContain('far-away');
  });

  describe('testing', () => {
    const test = (id: number, query = '', client = admin) => client.get(`/api/channel/test/${id}${query}`);
    const time = (answer: TestAnswer) => Object.entries(answer.body ?? {}).find(([key]) => key === 'time')?.[1];
    const createHere = (fields: Record<string, unknown> = {}) => createOne({ base_url: upstream.url, models: 'gpt-4o,o3-mini', ...fields });
    const lastLog = async () => (await app.context.db.collection('logs').find({ type: 2 }, { sort: [['id', -1]], limit: 1 }))[0];

    it('sends a small request and remembers how long it took', async () => {
      const id = await createHere();
      const answer = await test(id);
      expect(answer).toMatchObject({ status: 200, success: true, message: '' });
      expect(time(answer)).toEqual(expect.any(Number));
      const [request] = upstream.requests;
      expect(request).toMatchObject({ path: '/v1/chat/completions', key: 'sk-secret-one' });
      expect(request?.body).toEqual({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }], max_tokens: 10 });
      const channel = await read(id);
      expect(channel.response_time).toBe(Math.round(Number(time(answer)) * 1000));
      expect(channel.test_time).toBeGreaterThan(0);
      expect(channel.revision).toBe(1);
    });

    it('charges nobody, and logs what it would have cost', async () => {
      const id = await createHere();
      const quotaBefore = (await admin.get('/api/user/self')).data.quota;
      upstream.behave({ usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 } });
      await test(id);
      expect(await lastLog()).toMatchObject({
        username: 'keeper',
        content: '模型测试',
        token_name: '模型测试',
        token_id: 0,
        model_name: 'gpt-4o',
        channel_id: id,
        quota: 0,
        prompt_tokens: 100,
        completion_tokens: 10,
        other: { test_quota: 175, model_ratio: 1.25, completion_ratio: 4 },
      });
      expect((await admin.get('/api/user/self')).data.quota).toBe(quotaBefore);
      expect(await read(id)).toMatchObject({ used_quota: 0 });
    });

    it('asks the named model, else the test model, else the first, and maps it', async () => {
      const id = await createHere({ test_model: 'gpt-4o-mini', model_mapping: '{"gpt-4o-mini":"small","gpt-4o":"big"}' });
      await test(id);
      await test(id, '?model=gpt-4o');
      await test(id, '?model=');
      const asked = upstream.requests.map(({ body }) => JSON.parse(JSON.stringify(body)).model);
      expect(asked).toEqual(['small', 'big', 'small']);
    });

    it('limits reasoning models in their own way', async () => {
      await test(await createHere(), '?model=o3-mini');
      expect(upstream.requests[0]?.body).toEqual({
        model: 'o3-mini',
        messages: [{ role: 'user', content: 'hi' }],
        max_completion_tokens: 10,
      });
    });

    it('tests embedding models with an embedding', async () => {
      await test(await createHere({ models: 'text-embedding-3-small' }));
      expect(upstream.requests[0]).toMatchObject({
        path: '/v1/embeddings',
        body: { model: 'text-embedding-3-small', input: ['hello world'] },
      });
    });

    it('tells what the upstream said, without the key, and remembers the time too', async () => {
      const id = await createHere();
      upstream.behave({
        status: 401,
        error: { message: 'Incorrect API key provided: sk-secret-one', type: 'invalid_request_error', code: 'invalid_api_key' },
      });
      const answer = await test(id);
      expect(answer).toMatchObject({ status: 200, success: false, code: 'channel_test_failed' });
      expect(answer.message).toContain('status code 401: Incorrect API key provided');
      expect(JSON.stringify(answer.body)).not.toContain('sk-secret-one');
      expect(time(answer)).toEqual(expect.any(Number));
      expect(await read(id)).toMatchObject({ status: 1, test_time: expect.any(Number) });
      expect((await read(id)).test_time).toBeGreaterThan(0);
    });

    it.each(['html', 'text', 'empty', 'half json', 'wrong json', 'error object', 'bytes', 'stream to a json call'] as const)(
      'fails on garbage: %s',
      async (garbage) => {
        const id = await createHere();
        upstream.behave({ garbage });
        const answer = await test(id);
        expect(answer).toMatchObject({ status: 200, success: false, code: 'channel_test_failed' });
        expect(answer.message).not.toBe('');
      },
    );

    it('fails in the caller’s language when nobody answers', async () => {
      const id = await createHere();
      upstream.behave({ refuse: true });
      expect((await test(id)).message).toContain('请求上游地址失败');
      expect((await admin.get(`/api/channel/test/${id}`, english)).message).toContain('The request to the upstream address failed');
    });

    it('fails for a model without a price, unless that is allowed', async () => {
      const id = await createHere({ models: 'unheard-of' });
      const answer = await test(id);
      expect(answer).toMatchObject({ status: 200, success: false });
      expect(answer.message).toContain('模型 unheard-of 倍率或价格未配置');
      expect(upstream.requests).toHaveLength(0);
      expect(await read(id)).toMatchObject({ test_time: 0, response_time: 0 });
      await app.context.db
        .collection('users')
        .patch({ username: 'keeper' }, { set: { setting: '{"accept_unset_model_ratio_model":true}' } });
      expect(await test(id)).toMatchObject({ success: true });
      await app.context.db.collection('users').patch({ username: 'keeper' }, { set: { setting: '' } });
    });

    it('works on a disabled channel, and says so for one that does not exist', async () => {
      const id = await createHere({ status: 2 });
      expect(await test(id)).toMatchObject({ success: true });
      expect(await test(4711)).toMatchObject({ success: false, code: 'channel_not_found' });
    });

    it('believes no absurd usage', async () => {
      const id = await createHere();
      upstream.behave({ usage: { prompt_tokens: -5, completion_tokens: 1e15, total_tokens: 1 } });
      expect(await test(id)).toMatchObject({ success: true });
      expect(await lastLog()).toMatchObject({ quota: 0, prompt_tokens: 0, completion_tokens: 0, other: { test_quota: 0 } });
    });
  });
});
