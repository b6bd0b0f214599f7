import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settingKeys, settings } from '#shared/settings.ts';
import { createSettings } from '#server/settings/settings.ts';
import { engines } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

const english = { headers: { 'accept-language': 'en' } };
const secrets = [
  'SMTPToken',
  'WeChatServerToken',
  'TelegramBotToken',
  'GitHubClientSecret',
  'LinuxDOClientSecret',
  'EpayKey',
  'WorkerValidKey',
  'TurnstileSecretKey',
  'oidc.client_secret',
];

describe.each(engines)('options on $kind', (engine) => {
  let app: TestApp;
  let root: TestClient;
  let admin: TestClient;

  beforeAll(async () => {
    app = await createTestApp(engine);
    root = await app.setup();
    admin = await app.as(await app.createUser({ role: 10 }));
  });
  afterAll(() => app.close());

  interface Listed {
    updated_at?: number;
    key: string;
    value: string;
    revision: number;
    isSet?: boolean;
  }
  const list = async (client = root): Promise<Listed[]> => (await client.get('/api/option/')).data;
  const read = async (key: string): Promise<Listed> => {
    const option = (await list()).find((candidate) => candidate.key === key);
    if (option === undefined) throw new Error(`There is no option ${key}`);
    return option;
  };
  const save = (key: string, value: unknown, client = root) => client.put('/api/option/', { key, value });

  it('are for administrators only', async () => {
    const user = await app.as(await app.createUser());
    expect(await app.anonymous().get('/api/option/')).toMatchObject({ status: 401, code: 'not_logged_in' });
    expect(await user.get('/api/option/')).toMatchObject({ status: 403, code: 'forbidden' });
    expect(await save('SystemName', 'mine', user)).toMatchObject({ status: 403, code: 'forbidden' });
    expect(await user.post('/api/option/rest_model_ratio')).toMatchObject({ status: 403, code: 'forbidden' });
  });

  it('lists every option as a text, with its default until it is changed', async () => {
    const all = await list(admin);
    expect(all.map((option) => option.key).toSorted()).toEqual([...settingKeys].toSorted());
    expect(all.every((option) => typeof option.value === 'string')).toBe(true);
    const values = new Map(all.map((option) => [option.key, option.value]));
    expect(values.get('SystemName')).toBe('Tidegate');
    expect(values.get('RetryTimes')).toBe('3');
    expect(values.get('StreamOverdraft')).toBe('finish');
    expect(values.get('QuotaPerUnit')).toBe('500000');
    for (const key of [
      'ModelRatio',
      'ModelPrice',
      'CompletionRatio',
      'CacheRatio',
      'CreateCacheRatio',
      'AudioRatio',
      'AudioCompletionRatio',
      'AudioCacheRatio',
      'GroupRatio',
      'TopupGroupRatio',
      'UserUsableGroups',
    ]) {
      expect(Object.keys(JSON.parse(values.get(key) ?? '')).length).toBeGreaterThan(1);
    }
    expect(values.has('FileUploadPermission')).toBe(false);
  });

  it('knows who changed an option and when, also for whom it is a conflict', async () => {
    const before = await read('Footer');
    expect(before).not.toHaveProperty('updated_by');
    const editor = await app.createUser({ role: 10, username: 'lamplighter' });
    const since = Math.floor(app.clock.now() / 1000);
    await save('Footer', 'lit', await app.as(editor));
    const until = Math.floor(app.clock.now() / 1000);
    const { updated_at } = await read('Footer');
    expect(updated_at).toBeGreaterThanOrEqual(since);
    expect(updated_at).toBeLessThanOrEqual(until);
    const changed = { key: 'Footer', value: 'lit', updated_by: 'lamplighter', updated_at };
    expect(await read('Footer')).toMatchObject(changed);
    const late = { key: 'Footer', value: 'dark', revision: before.revision };
    expect(await root.put('/api/option/', late)).toMatchObject({ code: 'revision_conflict', data: changed });
    expect(await root.put('/api/option/batch', { options: [late] })).toMatchObject({ code: 'revision_conflict', data: [changed] });
    // Read-only fields that old clients send back change nothing.
    const answer = await root.put('/api/option/', { ...(await read('Footer')), value: 'dim', updated_by: 'somebody', updated_at: 1 });
    expect(answer).toMatchObject({ success: true, data: { value: 'dim', updated_by: 'root' } });
  });

  it('stores a change, answers it and uses it at once', async () => {
    const before = await read('SystemName');
    const answer = await save('SystemName', ' Harbour ', admin);
    expect(answer).toMatchObject({
      status: 200,
      success: true,
      data: { key: 'SystemName', value: 'Harbour', revision: before.revision + 1 },
    });
    expect(app.context.settings.get('SystemName')).toBe('Harbour');
    expect(await read('SystemName')).toMatchObject({ value: 'Harbour', revision: before.revision + 1 });
  });

  it('takes numbers and booleans as texts', async () => {
    expect(await save('RetryTimes', 5)).toMatchObject({ success: true, data: { value: '5' } });
    expect(await save('RegisterEnabled', false)).toMatchObject({ success: true, data: { value: 'false' } });
    expect(await save('RegisterEnabled', 'TRUE')).toMatchObject({ success: true, data: { value: 'true' } });
    expect(app.context.settings.get('RetryTimes')).toBe(5);
    expect(app.context.settings.get('RegisterEnabled')).toBe(true);
  });

  it.each([
    ['missing', { key: 'TopUpLink' }],
    ['null', { key: 'TelegramBotToken', value: null }],
  ])('ignores a save whose value is %s', async (_name, body) => {
    await save('TelegramBotToken', '123:secret');
    const before = await list();
    expect(await root.put('/api/option/', body)).toMatchObject({ status: 200, success: true });
    expect(await list()).toEqual(before);
    expect(app.context.settings.get('TelegramBotToken')).toBe('123:secret');
  });

  it('never sends a secret, stores it encrypted and tells whether there is one', async () => {
    for (const key of secrets) {
      const value = `hidden-${key}`;
      const answer = await save(key, value);
      expect(answer).toMatchObject({ success: true, data: { key, value: '', isSet: true } });
      expect(JSON.stringify(answer.body)).not.toContain(value);
      const row = await app.context.db.collection('options').get(key);
      expect(row?.value).not.toContain(value);
    }
    const text = JSON.stringify((await root.get('/api/option/')).body) + JSON.stringify((await root.get('/api/status')).body);
    expect(text).not.toContain('hidden-');
    expect(app.context.settings.get('SMTPToken')).toBe('hidden-SMTPToken');
    expect(JSON.stringify(await app.context.db.collection('facts').find({}))).not.toContain('hidden-');
    expect(await save('SMTPToken', '')).toMatchObject({ success: true, data: { value: '', isSet: false } });
    expect(await save('TurnstileSiteKey', 'public')).toMatchObject({ data: { value: 'public' } });
  });

  it.each([
    'ServerAddress',
    'TopUpLink',
    'EpayKey',
    'SMTPServer',
    'oidc.client_id',
    'WorkerUrl',
    'CustomCallbackAddress',
    'GitHubClientId',
  ])('keeps %s for the super admin', async (key) => {
    const before = await read(key);
    const answer = await save(key, 'https://evil.example', admin);
    expect(answer).toMatchObject({
      status: 403,
      success: false,
      code: 'option_denied',
      field: key,
      message: `只有超级管理员可以修改配置项 ${key}`,
    });
    expect(await read(key)).toEqual(before);
    expect(await save(key, 'https://good.example', root)).toMatchObject({ success: true });
  });

  it.each([
    ['Nonsense', 'x', 'option_unknown', '未知的配置项', 'Unknown setting'],
    ['constructor', 'x', 'option_unknown', '未知的配置项', 'Unknown setting'],
    [
      'RegisterEnabled',
      'perhaps',
      'option_not_boolean',
      '配置项 RegisterEnabled 只能是 true 或 false',
      'RegisterEnabled must be true or false',
    ],
    ['RetryTimes', '-1', 'option_out_of_range', '配置项 RetryTimes 必须在 0 到 100 之间', 'RetryTimes must be between 0 and 100'],
    ['RetryTimes', '2.5', 'option_not_integer', '配置项 RetryTimes 必须是整数', 'RetryTimes must be a whole number'],
    ['RetryTimes', 'three', 'option_not_integer', undefined, undefined],
    ['RetryTimes', ' ', 'option_empty', '请填写配置项 RetryTimes', 'RetryTimes must not be empty'],
    ['Price', '', 'option_empty', undefined, undefined],
    ['QuotaForNewUser', '-5', 'option_out_of_range', undefined, undefined],
    ['QuotaForNewUser', '9007199254740993', 'option_out_of_range', undefined, undefined],
    ['QuotaForNewUser', '1e9', 'option_not_integer', undefined, undefined],
    ['QuotaPerUnit', '0', 'option_out_of_range', undefined, undefined],
    ['QuotaPerUnit', 'Infinity', 'option_not_number', undefined, undefined],
    ['QuotaPerUnit', 'NaN', 'option_not_number', undefined, undefined],
    ['Price', '-7.3', 'option_out_of_range', undefined, undefined],
    ['MinTopUp', '0', 'option_out_of_range', undefined, undefined],
    ['SMTPPort', '65536', 'option_out_of_range', undefined, undefined],
    ['DataExportInterval', '0', 'option_out_of_range', undefined, undefined],
    ['ModelRequestRateLimitSuccessCount', '0', 'option_out_of_range', undefined, undefined],
    ['DataExportDefaultTime', 'minute', 'option_not_choice', undefined, undefined],
    ['StreamOverdraft', '', 'option_not_choice', undefined, undefined],
    ['ServerAddress', 'javascript:alert(1)', 'option_not_url', undefined, undefined],
    ['TopUpLink', 'http://', 'option_not_url', undefined, undefined],
    [
      'Logo',
      'javascript:alert(1)',
      'option_not_image',
      '配置项 Logo 必须是以 http:// 或 https:// 开头的网址、以 / 开头的站内路径，或 data:image/ 图片',
      'Logo must be an http:// or https:// address, a path of this site that begins with /, or a data:image/ picture',
    ],
    ['Logo', 'data:text/html,<script>alert(1)</script>', 'option_not_image', undefined, undefined],
    ['Logo', '//evil.example/logo.png', 'option_not_image', undefined, undefined],
    ['Logo', '/\\evil.example/logo.png', 'option_not_image', undefined, undefined],
    ['Logo', 'logo.png', 'option_not_image', undefined, undefined],
    ['Logo', 'https://', 'option_not_image', undefined, undefined],
    ['Logo', '/a\tb', 'option_not_text', undefined, undefined],
    ['SystemName', 'two\r\nlines', 'option_not_text', undefined, undefined],
    ['SMTPFrom', 'a@b\nBcc: everybody', 'option_not_text', undefined, undefined],
    ['ModelRatio', '{"gpt-4o": 1,', 'option_invalid_json', '不是合法的 JSON 字符串', 'Not a valid JSON text'],
    ['ModelRatio', '', 'option_invalid_json', undefined, undefined],
    ['ModelRatio', '[1]', 'option_not_number_map', undefined, undefined],
    ['ModelRatio', '{"gpt-4o": "1"}', 'option_not_number_map', undefined, undefined],
    ['ModelRatio', '{"gpt-4o": {"$gt": 0}}', 'option_not_number_map', undefined, undefined],
    ['ModelRatio', '{"gpt-4o": -1}', 'option_entry_out_of_range', undefined, undefined],
    ['ModelRatio', '{"gpt-4o": 1e999}', 'option_entry_out_of_range', undefined, undefined],
    ['ModelPrice', '{"": 1}', 'option_entry_name', undefined, undefined],
    ['GroupRatio', '{"default": 1, "vip": -0.5}', 'group_ratio_negative', 'group ratio must be not less than 0: vip', undefined],
    ['GroupRatio', '{"vip": 1}', 'group_default_missing', '必须保留 default 分组', 'The group default must be kept'],
    ['GroupRatio', '{"default": 1, "a,b": 1}', 'option_entry_name', undefined, undefined],
    ['UserUsableGroups', '{"default": 1}', 'option_not_text_map', undefined, undefined],
    ['GroupGroupRatio', '{"vip": 1}', 'option_not_nested_map', undefined, undefined],
    ['GroupGroupRatio', '{"vip": {"default": -1}}', 'option_entry_out_of_range', undefined, undefined],
    ['group_ratio_setting.group_special_usable_group', '{"vip": {"+:a": 1}}', 'option_not_text_map', undefined, undefined],
    ['Chats', '{"name": "https://x"}', 'option_not_chats', undefined, undefined],
    ['Chats', '[{"a": "https://x", "b": "https://y"}]', 'option_not_chats', undefined, undefined],
    ['Chats', '[{"a": "javascript:alert(1)"}]', 'option_not_link', undefined, undefined],
    ['Chats', '[{"a": "java\\tscript:alert(1)"}]', 'option_not_text', undefined, undefined],
    ['Chats', '[{"a": "java\\u0000script:alert(1)"}]', 'option_not_text', undefined, undefined],
    ['Chats', '[{"a": "JAVASCRIPT://x/%0aalert(1)"}]', 'option_not_link', undefined, undefined],
    ['Chats', '[{"a": "blob:https://x/1"}]', 'option_not_link', undefined, undefined],
    [
      'Chats',
      '[{"Mine": "unheard://open"}]',
      'option_not_link',
      '配置项 Chats 中 Mine 的链接必须以 http://、https:// 或已知客户端的协议（如 opencat://）开头',
      'In Chats, the link of Mine must begin with http://, https:// or the scheme of a known client, such as opencat://',
    ],
    ['TopUpLink', 'java\tscript://x', 'option_not_text', undefined, undefined],
    ['TopUpLink', 'opencat://x', 'option_not_url', undefined, undefined],
    ['general_setting.docs_link', 'data://text/html,x', 'option_not_url', undefined, undefined],
    ['WeChatAccountQRCodeImageURL', 'javascript:alert(1)', 'option_not_image', undefined, undefined],
    ['claude.model_headers_settings', '{"claude": {"x": ["a\\r\\nb: c"]}}', 'option_not_header_map', undefined, undefined],
    ['claude.default_max_tokens', '{"default": 1.5}', 'option_entry_out_of_range', undefined, undefined],
    ['claude.thinking_adapter_budget_tokens_percentage', '0.05', 'option_out_of_range', undefined, undefined],
  ])('refuses %s = %j', async (key, value, code, chinese, englishText) => {
    const before = await list();
    const answer = await save(key, value);
    expect(answer).toMatchObject({ status: 200, success: false, code, field: key });
    if (chinese !== undefined) expect(answer.message).toBe(chinese);
    if (englishText !== undefined) expect((await root.put('/api/option/', { key, value }, english)).message).toBe(englishText);
    expect(await list()).toEqual(before);
  });

  it.each([
    ['https://cdn.example/logo.svg?v=2', /^https:\/\/cdn\.example\/logo\.svg\?v=2$/],
    ['/assets/logo.png', /^\/assets\/logo\.png$/],
    ['data:image/svg+xml;base64,PHN2Zy8+', /^\/logo\?v=[\w-]{12}$/],
    ['', /^$/],
  ])('takes %j as the logo, whose address is %s', async (value, address) => {
    expect(await save('Logo', ` ${value} `)).toMatchObject({ success: true, data: { value } });
    expect((await app.anonymous().get('/api/status')).data.logo).toMatch(address);
  });

  it.each([
    ['no body', '', 400],
    ['bad JSON', '{"key":', 400],
    ['a list', '[]', 200],
    ['an operator as key', '{"key":{"$ne":""},"value":"x"}', 200],
    ['an operator as value', '{"key":"SystemName","value":{"$ne":""}}', 200],
    ['a fractional revision', '{"key":"SystemName","value":"x","revision":1.5}', 200],
  ])('refuses %s', async (_name, rawBody, status) => {
    const before = await list();
    const answer = await root.call('PUT', '/api/option/', undefined, { rawBody, headers: { 'content-type': 'application/json' } });
    expect(answer).toMatchObject({ status, success: false });
    expect(answer.message).not.toBe('');
    expect(await list()).toEqual(before);
  });

  it.each([
    [
      'GitHubOAuthEnabled',
      'GitHubClientId',
      'github_unconfigured',
      '无法启用 GitHub OAuth，请先填入 GitHub Client Id 以及 GitHub Client Secret！',
    ],
    ['oidc.enabled', 'oidc.client_id', 'oidc_unconfigured', '无法启用 OIDC 登录，请先填入 OIDC Client Id 以及 OIDC Client Secret！'],
    [
      'LinuxDOOAuthEnabled',
      'LinuxDOClientId',
      'linuxdo_unconfigured',
      '无法启用 LinuxDO OAuth，请先填入 LinuxDO Client Id 以及 LinuxDO Client Secret！',
    ],
    [
      'EmailDomainRestrictionEnabled',
      'EmailDomainWhitelist',
      'email_domains_unconfigured',
      '无法启用邮箱域名限制，请先填入限制的邮箱域名！',
    ],
    ['WeChatAuthEnabled', 'WeChatServerAddress', 'wechat_unconfigured', '无法启用微信登录，请先填入微信登录相关配置信息！'],
    [
      'TurnstileCheckEnabled',
      'TurnstileSiteKey',
      'turnstile_unconfigured',
      '无法启用 Turnstile 校验，请先填入 Turnstile 校验相关配置信息！',
    ],
    ['TelegramOAuthEnabled', 'TelegramBotToken', 'telegram_unconfigured', '无法启用 Telegram OAuth，请先填入 Telegram Bot Token！'],
  ])('refuses %s while %s is missing, and takes both together', async (key, needs, code, message) => {
    const filled = needs === 'WeChatServerAddress' ? 'https://wechat.example' : 'something';
    if (key === 'TurnstileCheckEnabled') await save('TurnstileSecretKey', 'something');
    await save(key, false);
    await save(needs, needs === 'EmailDomainWhitelist' ? ' , ' : '');
    expect(await save(key, true)).toMatchObject({ status: 200, success: false, code, message });
    const both = {
      options: [
        { key, value: true },
        { key: needs, value: filled },
      ],
    };
    expect(await read(key)).toMatchObject({ value: 'false' });
    expect(await root.put('/api/option/batch', both)).toMatchObject({ success: true });
    expect(await read(key)).toMatchObject({ value: 'true' });
    // Nor is it taken away from what is on, unless that is switched off with it.
    expect(await save(needs, '')).toMatchObject({ success: false, code: 'setting_in_use', field: needs });
    if (key === 'TurnstileCheckEnabled') expect(await save('TurnstileSecretKey', '')).toMatchObject({ code: 'setting_in_use' });
    const without = {
      options: [
        { key: needs, value: '' },
        { key, value: false },
      ],
    };
    expect(await root.put('/api/option/batch', without)).toMatchObject({ success: true });
    await save(key, false);
  });

  it('want the address of the site before that of a payment service, which sends its notices there', async () => {
    await save('PayAddress', '');
    await save('ServerAddress', '');
    expect(await save('PayAddress', 'https://pay.example')).toMatchObject({
      status: 200,
      success: false,
      code: 'server_address_required',
      field: 'PayAddress',
      message: '请先填写服务器地址',
    });
    expect(await read('PayAddress')).toMatchObject({ value: '' });
    // Old clients send the field of a form whether it is filled in or not.
    expect(await save('PayAddress', '')).toMatchObject({ success: true });
    const options = [
      { key: 'PayAddress', value: 'https://pay.example' },
      { key: 'ServerAddress', value: 'https://tide.example' },
    ];
    expect(await root.put('/api/option/batch', { options })).toMatchObject({ success: true });
    expect(await read('PayAddress')).toMatchObject({ value: 'https://pay.example' });
  });

  describe('revisions', () => {
    it('refuse an edit that is based on an older value, with the current one', async () => {
      const { data: first } = await save('Notice', 'first');
      await save('Notice', 'theirs', admin);
      const answer = await root.put('/api/option/', { key: 'Notice', value: 'mine', revision: first.revision });
      expect(answer).toMatchObject({
        status: 200,
        success: false,
        code: 'revision_conflict',
        message: '内容已被他人修改',
        data: { key: 'Notice', value: 'theirs', revision: first.revision + 1 },
      });
      expect(await read('Notice')).toMatchObject({ value: 'theirs' });
      expect(await root.put('/api/option/', { key: 'Notice', value: 'mine', revision: first.revision + 1 })).toMatchObject({
        success: true,
      });
    });

    it('let the same edit through again', async () => {
      const { revision } = await read('About');
      const edit = { key: 'About', value: 'once', revision };
      const first = await root.put('/api/option/', edit);
      expect(await root.put('/api/option/', edit)).toMatchObject({ success: true, data: first.data });
    });

    it('do not tell a secret in a conflict', async () => {
      const { revision } = await read('EpayKey');
      await save('EpayKey', 'their-secret');
      const answer = await root.put('/api/option/', { key: 'EpayKey', value: 'my-secret', revision });
      expect(answer).toMatchObject({ code: 'revision_conflict', data: { key: 'EpayKey', value: '', isSet: true } });
      expect(JSON.stringify(answer.body)).not.toContain('secret"');
    });

    it('let one of many parallel edits of the same value through', async () => {
      const { revision } = await read('Footer');
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, index) => root.put('/api/option/', { key: 'Footer', value: `footer ${index}`, revision })),
      );
      expect(answers.filter((answer) => answer.success)).toHaveLength(1);
      expect(answers.filter((answer) => answer.code === 'revision_conflict')).toHaveLength(11);
      expect((await read('Footer')).revision).toBe(revision + 1);
    });

    it('are no hindrance to clients that send none: parallel saves all arrive', async () => {
      const keys = [
        'QuotaForNewUser',
        'QuotaForInviter',
        'QuotaForInvitee',
        'PreConsumedQuota',
        'MinTopUp',
        'RetryTimes',
        'Notice',
        'About',
      ];
      const answers = await Promise.all(keys.map((key) => save(key, '77')));
      expect(answers.every((answer) => answer.success)).toBe(true);
      for (const key of keys) expect(await read(key)).toMatchObject({ value: '77' });
    });
  });

  describe('batches', () => {
    it('store everything', async () => {
      const options = [
        { key: 'Notice', value: 'batch' },
        { key: 'RetryTimes', value: 4 },
        { key: 'DefaultCollapseSidebar', value: true },
      ];
      const answer = await admin.put('/api/option/batch', { options });
      expect(answer.success).toBe(true);
      expect(answer.data.map((option: Listed) => [option.key, option.value])).toEqual([
        ['Notice', 'batch'],
        ['RetryTimes', '4'],
        ['DefaultCollapseSidebar', 'true'],
      ]);
      expect(app.context.settings.get('DefaultCollapseSidebar')).toBe(true);
    });

    it.each([
      ['a wrong value', { key: 'RetryTimes', value: '-3' }, 'option_out_of_range'],
      ['an unknown key', { key: 'Nonsense', value: '1' }, 'option_unknown'],
      ['a key of the super admin', { key: 'SMTPServer', value: 'evil' }, 'option_denied'],
      ['an older revision', { key: 'SystemName', value: 'x', revision: -1 }, 'revision_conflict'],
      ['a switch without what it needs', { key: 'EmailDomainRestrictionEnabled', value: true }, 'email_domains_unconfigured'],
    ])('store nothing when one of them has %s', async (_name, wrong, code) => {
      await save('EmailDomainRestrictionEnabled', false);
      await save('EmailDomainWhitelist', '');
      const before = await list();
      const answer = await admin.put('/api/option/batch', {
        options: [{ key: 'Notice', value: `never ${code}` }, wrong, { key: 'About', value: 'never' }],
      });
      expect(answer).toMatchObject({ success: false, code });
      expect(await list()).toEqual(before);
    });

    it('name all that conflict', async () => {
      const answer = await root.put('/api/option/batch', {
        options: [
          { key: 'Notice', value: 'a', revision: 0 },
          { key: 'About', value: 'b', revision: 0 },
          { key: 'SMTPFrom', value: 'c', revision: 0 },
        ],
      });
      expect(answer.code).toBe('revision_conflict');
      expect(answer.data.map((option: Listed) => option.key)).toEqual(['Notice', 'About']);
      expect(await read('SMTPFrom')).toMatchObject({ value: '' });
    });

    it('that were committed when the process died are completed by the next reader', async () => {
      const { db } = app.context;
      const current = await read('Notice');
      const row = { id: 'Notice', value: 'from the journal', revision: current.revision + 1, updated_at: 1, updated_by: 1 };
      const journal = await db.collection('facts').get('option_writes');
      const seq = Number(JSON.parse(JSON.stringify(journal?.value ?? {})).seq);
      await db.collection('facts').patch({ id: 'option_writes' }, { set: { value: { seq: seq + 1, pending: [row], state: 'pending' } } });
      await app.context.settings.reload();
      expect(app.context.settings.get('Notice')).toBe('from the journal');
      expect(await save('Notice', 'afterwards')).toMatchObject({ success: true, data: { revision: current.revision + 2 } });
    });

    it('of nothing, or of too much, are refused', async () => {
      expect(await root.put('/api/option/batch', { options: [] })).toMatchObject({ status: 200, success: false });
      const options = Array.from({ length: 201 }, () => ({ key: 'Notice', value: 'x' }));
      expect(await root.put('/api/option/batch', { options })).toMatchObject({ status: 200, success: false });
    });
  });

  it('restores the default model ratios', async () => {
    await save('ModelRatio', '{"only": 1}');
    expect(await admin.post('/api/option/rest_model_ratio')).toMatchObject({ success: true, message: '重置模型倍率成功' });
    expect(app.context.settings.get('ModelRatio')['gpt-4o']).toBe(1.25);
    expect(app.context.settings.get('ModelRatio')['only']).toBeUndefined();
    expect((await admin.post('/api/option/rest_model_ratio', undefined, english)).message).toBe('The model ratios were reset');
  });

  it('leave a log row that names the keys, not the values', async () => {
    await save('EpayKey', 'a-secret-value');
    const [row] = await app.context.db.collection('logs').find({ type: 3 }, { sort: [['id', -1]], limit: 1 });
    expect(row).toMatchObject({ username: 'root', quota: 0 });
    expect(row?.content).toContain('EpayKey');
    expect(row?.content).not.toContain('a-secret-value');
  });

  it('that are stored but not valid fall back to their defaults, with a warning', async () => {
    const warnings: unknown[] = [];
    const { db, changes, secrets: keys } = app.context;
    const bad = { revision: 1, updated_at: 0, updated_by: 0 };
    await db.collection('options').insert({ id: 'ChannelDisableThreshold', value: 'soon', ...bad });
    await db.collection('options').insert({ id: 'MjModeClearEnabled', value: 'true', ...bad });
    await db.collection('options').patch({ id: 'WorkerValidKey' }, { set: { value: 'not a cipher' } });
    const fresh = createSettings({ db, changes, secrets: keys, log: { warn: (fields: unknown) => void warnings.push(fields) } });
    await fresh.reload();
    expect(fresh.get('ChannelDisableThreshold')).toBe(5);
    expect(fresh.get('MjModeClearEnabled')).toBe(true);
    expect(fresh.get('WorkerValidKey')).toBe('');
    expect(warnings).toMatchObject([{ option: 'WorkerValidKey' }, { option: 'ChannelDisableThreshold' }]);
  });

  it('that two processes save in parallel all arrive', async () => {
    await using second = await createTestApp(engine, { database: app.database });
    const there = await second.login('root');
    const numbers = settingKeys.filter((key) => settings[key].kind === 'integer' && (settings[key].max ?? 0) > 93);
    const saves = numbers.flatMap((key) => [save(key, 90), save(key, 91, there), save(key, 92), save(key, 93, there)]);
    expect((await Promise.all(saves)).every((answer) => answer.success)).toBe(true);
    for (const option of (await list()).filter(({ key }) => numbers.some((number) => number === key))) {
      expect(['90', '91', '92', '93']).toContain(option.value);
    }
  });

  it('reach a second process within a second', async () => {
    await using second = await createTestApp(engine, { database: app.database });
    await save('SystemName', 'Both');
    await expect.poll(() => second.context.settings.get('SystemName'), { timeout: 60_000, interval: 20 }).toBe('Both');
  });
});
