import { describe, expect, it } from 'vitest';
import { channelType, channelTypes, type OtherField } from '#shared/channel-types.ts';
import { providerOf } from '#server/providers/registry.ts';
import { useChannelDesk, validChannel } from '#tests/support/channel-desk.ts';
import { engines } from '#tests/support/engines.ts';

const english = { headers: { 'accept-language': 'en' } };

describe.each(engines)('channel edits on $kind', (engine) => {
  const desk = useChannelDesk(engine);
  const { create, createOne, read, stored, keyOf, count } = desk;

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
        test_error: '',
        tested_model: '',
        base_url: '',
        other: '',
        balance: 0,
        balance_error: '',
        balance_full: 0,
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
        remark: '',
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
      expect((await desk.admin.post('/api/channel/', { ...validChannel, ...fields }, english)).message).toBe(englishText);
      expect(await count()).toBe(0);
    });

    it.each([
      ['base_url', 'ftp://h', '渠道地址必须以 http:// 或 https:// 开头', 'The base URL must begin with http:// or https://'],
      ['base_url', 'http://u:p@h/', '渠道地址不能包含用户名或密码', 'base URL must not contain a username or a password'],
      ['base_url', 'https://:p@h', '渠道地址不能包含用户名或密码', 'base URL must not contain a username or a password'],
      ['base_url', 'https://h/#v1', '渠道地址不能包含 # 部分', 'base URL must not contain a # part'],
      ['base_url', 'https://h/a b', '渠道地址含有不允许的字符', 'base URL contains characters that are not allowed'],
      ['base_url', 'https://', '渠道地址不是有效的网址', 'base URL is not a valid address'],
      ['base_url', 'https://h:99999', '渠道地址不是有效的网址', 'base URL is not a valid address'],
      ['base_url', `https://h/${'x'.repeat(2000)}`, '渠道地址最多 2,000 个字符', 'base URL must have at most 2,000 characters'],
      ['model_mapping', '{"a":', '模型映射必须是合法的 JSON 格式！', 'The model mapping must be valid JSON'],
      ['model_mapping', '["a"]', '模型重定向（model_mapping）必须是对象', 'model mapping (model_mapping) must be an object'],
      ['model_mapping', '{"b":"c","a":1}', 'model_mapping.a 必须是文本', 'model_mapping.a must be a text'],
      ['status_code_mapping', '{500:400}', 'status_code_mapping 必须是合法的 JSON 格式！', 'status_code_mapping must be valid JSON'],
      [
        'status_code_mapping',
        'null',
        '状态码映射（status_code_mapping）必须是对象',
        'status mapping (status_code_mapping) must be an object',
      ],
      [
        'status_code_mapping',
        '{"429":"503","500":"200"}',
        '状态码映射（status_code_mapping.500）只能改为 400 到 599 的状态码',
        'status mapping (status_code_mapping.500) must be a status from 400 to 599',
      ],
      [
        'status_code_mapping',
        '{"400":99999}',
        '状态码映射（status_code_mapping.400）只能改为 400 到 599 的状态码',
        'status mapping (status_code_mapping.400) must be a status from 400 to 599',
      ],
      [
        'status_code_mapping',
        '{"999":400}',
        '状态码映射（status_code_mapping.999）不是 100 到 599 的状态码',
        'status mapping (status_code_mapping.999) is not a status from 100 to 599',
      ],
      [
        'setting',
        '{"proxy":"file:///x"}',
        'setting.proxy 必须是以 http://、https:// 或 socks5:// 开头的有效网址',
        'setting.proxy must be a valid address that begins with http://, https:// or socks5://',
      ],
      [
        'setting',
        '{"header_override":{"Host":"other"}}',
        'setting.header_override.Host 不是可以设置的请求头名称',
        'setting.header_override.Host is not the name of a header that can be set',
      ],
      ['setting', '{"proxy":7}', 'setting.proxy 必须是文本', 'setting.proxy must be a text'],
      [
        'setting',
        '{"proxy":"","force_format":"yes"}',
        'setting.force_format 只能是 true 或 false',
        'setting.force_format must be true or false',
      ],
      ['setting', '7', '额外设置（setting）必须是对象', 'extra settings (setting) must be an object'],
      ['param_override', '"x"', '参数覆盖（param_override）必须是对象', 'parameter override (param_override) must be an object'],
    ])('says what is wrong with %s %s, at the field', async (field, value, chinese, englishText) => {
      const created = await create({ [field]: value });
      expect(created).toMatchObject({ status: 200, success: false, field });
      expect(created.message.replace(/^输入不合法 /, '')).toBe(chinese);
      const id = await createOne();
      const before = await read(id);
      const edited = await desk.admin.put('/api/channel/', { id, [field]: value }, english);
      expect(edited).toMatchObject({ status: 200, success: false, field });
      expect(edited.message.replace(/^Invalid input: /, '')).toBe(englishText);
      expect(await read(id)).toEqual(before);
      expect(await count()).toBe(1);
    });

    it.each([
      ['a type that nothing here talks to', { type: 58 }, 200, 'channel_type_unsupported'],
      ['a type that does not exist', { type: 999 }, 200, 'channel_type_unsupported'],
      ['a missing base URL', { type: 8 }, 200, 'channel_base_url_required'],
      ['a base URL of another scheme', { base_url: 'ftp://x.example' }, 200, 'channel_base_url_invalid'],
      ['a base URL without a scheme', { base_url: 'api.example' }, 200, 'channel_base_url_invalid'],
      ['a key with a line break escape', { key: 'sk-\u0000a' }, 200, 'channel_key_invalid'],
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
      ['a status mapping that is not JSON', { status_code_mapping: '{500:400}' }, 200, 'channel_json_invalid'],
      ['a very long model name', { models: 'm'.repeat(256) }, 200, 'channel_model_too_long'],
      ['an organization with a line break', { openai_organization: 'a\r\nx-evil: 1' }, 200, 'channel_text_invalid'],
      ['a very long group', { groups: ['g'.repeat(65)] }, 200, 'invalid_field'],
      ['a negative weight', { weight: -1 }, 200, 'invalid_field'],
      ['a fractional priority', { priority: 1.5 }, 200, 'invalid_field'],
      ['a huge priority', { priority: 1e15 }, 200, 'invalid_field'],
      ['a priority below the least', { priority: -1000 }, 200, 'invalid_field'],
      ['an operator in place of a text', { name: { $ne: '' } }, 200, 'invalid_field'],
      ['a text in place of a number', { type: '1' }, 200, 'invalid_field'],
      ['a status that does not exist', { status: 9 }, 200, 'invalid_field'],
    ])('refuses %s', async (_name, fields, status, code) => {
      const answer = await create({ ...fields });
      expect(answer).toMatchObject({ status, success: false, code });
      expect(answer.message).not.toBe('');
      expect(JSON.stringify(answer.body)).not.toContain('sk-secret');
      expect(await count()).toBe(0);
    });

    it('refuses a body that is no JSON object', async () => {
      for (const [rawBody, status] of [
        ['', 400],
        ['{', 400],
        ['[]', 200],
        ['"x"', 200],
      ] as const) {
        const answer = await desk.admin.call('POST', '/api/channel/', undefined, {
          rawBody,
          headers: { 'content-type': 'application/json' },
        });
        expect(answer).toMatchObject({ status, success: false });
      }
    });

    /** What the free field cannot be without. */
    const others: Partial<Record<OtherField, string>> = { regions: 'global', account_id: 'account', library_id: '5' };
    const otherOf = (field: OtherField | undefined) => (field === undefined ? '' : (others[field] ?? ''));
    it.each(channelTypes.map(({ type, name, baseUrl, other }) => ({ type, name, baseUrl, other: otherOf(other) })))(
      'offers type $type ($name)',
      async ({ type, baseUrl, other }) => {
        expect(providerOf(type)?.baseUrl ?? '').toBe(baseUrl);
        const keys = { aws: 'ABSKey|us-east-1', codex: JSON.stringify({ access_token: 'a', account_id: 'c' }), google: undefined };
        const typed = keys[channelType(type)?.keyKind ?? 'google'] ?? channelType(type)?.keyForms?.[0];
        const key = typed === undefined ? {} : { key: typed };
        const answer = await create({ type, other, ...key });
        if (baseUrl === '') expect(answer).toMatchObject({ success: false, code: 'channel_base_url_required' });
        else expect(answer).toMatchObject({ success: true });
      },
    );
  });

  describe('editing', () => {
    it('changes only what is named', async () => {
      const id = await createOne({ priority: 3, weight: 4, base_url: 'https://a.example', tag: 'blue' });
      const before = await read(id);
      expect(await desk.admin.put('/api/channel/', { id, priority: 9 })).toMatchObject({
        success: true,
        data: { priority: 9, revision: 2, key: '' },
      });
      expect(await read(id)).toEqual({ ...before, priority: 9, revision: 2 });
      expect(await desk.admin.put('/api/channel/', { id, key: 'sk-again', base_url: '', tag: '', weight: 0 })).toMatchObject({
        data: { base_url: '', tag: '', weight: 0 },
      });
    });

    it('takes whichever of group and groups was changed, when the whole channel comes back', async () => {
      const id = await createOne({ groups: ['default', 'vip'] });
      const put = async (fields: Record<string, unknown>) => {
        expect(await desk.admin.put('/api/channel/', { ...(await read(id)), ...fields })).toMatchObject({ success: true });
        return (await read(id)).groups;
      };
      expect(await put({ group: 'svip' })).toEqual(['svip']);
      expect(await put({ groups: ['default', 'vip'] })).toEqual(['default', 'vip']);
      expect(await put({ group: ' vip , default ', name: 'renamed' })).toEqual(['vip', 'default']);
      expect(await put({ group: 'a', groups: ['b'] })).toEqual(['b']);
      expect(await put({ group: 'c', groups: [] })).toEqual(['c']);
      expect(await put({ group: '', groups: null })).toEqual(['c']);
      expect(await put({})).toEqual(['c']);
    });

    it('keeps the key when none is sent, and takes a new one', async () => {
      const id = await createOne();
      await desk.admin.put('/api/channel/', { id, key: '', name: 'renamed' });
      await desk.admin.put('/api/channel/', { id, key: null });
      expect(await keyOf(id)).toBe('sk-secret-one');
      const answer = await desk.admin.put('/api/channel/', { id, key: ' sk-secret-two ' });
      expect(JSON.stringify(answer.body)).not.toContain('sk-secret');
      expect(await keyOf(id)).toBe('sk-secret-two');
      expect(await desk.admin.put('/api/channel/', { id, key: 'sk-a\nsk-b' })).toMatchObject({
        success: false,
        code: 'channel_key_invalid',
      });
    });

    it('takes the whole record back, as old clients send it, and leaves the server’s fields alone', async () => {
      const id = await createOne();
      await desk.app.context.db.collection('channels').patch({ id }, { set: { used_quota: 1234, response_time: 50 } });
      const echo = {
        ...(await read(id)),
        used_quota: 1,
        balance: 9,
        response_time: 0,
        other_info: '{}',
        name: 'echoed',
        revision: undefined,
      };
      expect(await desk.admin.put('/api/channel/', echo)).toMatchObject({
        success: true,
        data: { name: 'echoed', used_quota: 1234, balance: 0, response_time: 50 },
      });
    });

    it('records who changed the status by hand, and when', async () => {
      const id = await createOne();
      const answer = await desk.admin.put('/api/channel/', { id, status: 2 });
      expect(answer.data.status).toBe(2);
      const info = JSON.parse(answer.data.other_info);
      expect(info).toEqual({ status_reason: '', status_time: expect.any(Number), status_by: 'keeper' });
      expect(Math.abs(info.status_time - desk.app.context.now() / 1000)).toBeLessThan(5);
      expect(await desk.admin.put('/api/channel/', { id, status: 3 })).toMatchObject({ success: false, code: 'channel_status_invalid' });
      expect(await read(id)).toMatchObject({ status: 2 });
    });

    it('refuses an edit that is based on an older revision, with the channel as it is', async () => {
      const id = await createOne();
      await desk.admin.put('/api/channel/', { id, revision: 1, name: 'theirs' });
      const answer = await desk.admin.put('/api/channel/', { id, revision: 1, name: 'mine' });
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
      const answers = await Promise.all(edits.map((edit) => desk.admin.put('/api/channel/', { id, ...edit })));
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
      ['an unsupported type', { type: 58 }, 200, 'channel_type_unsupported'],
      ['a type that needs a base URL', { type: 8 }, 200, 'channel_base_url_required'],
      ['a bad base URL', { base_url: 'nowhere' }, 200, 'channel_base_url_invalid'],
      ['a bad mapping', { model_mapping: 'x' }, 200, 'channel_mapping_invalid'],
      ['a negative weight', { weight: -1 }, 200, 'invalid_field'],
      ['an operator as id', { id: { $gt: 0 } }, 200, 'invalid_field'],
    ])('refuses %s', async (_name, fields, status, code) => {
      const id = await createOne();
      const before = await read(id);
      expect(await desk.admin.put('/api/channel/', { id, ...fields })).toMatchObject({ status, success: false, code });
      expect(await read(id)).toEqual(before);
    });

    it('refuses an unknown id and creates nothing', async () => {
      expect(await desk.admin.put('/api/channel/', { id: 4711, name: 'x' })).toMatchObject({
        status: 200,
        success: false,
        code: 'channel_not_found',
        message: '渠道未找到，请刷新页面后重试。',
      });
      expect(await desk.admin.put('/api/channel/', { name: 'x' })).toMatchObject({ status: 200, success: false });
      expect(await count()).toBe(0);
    });
  });
});
