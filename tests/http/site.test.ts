import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isSecret, isSettingKey } from '#shared/settings.ts';
import { SiteStatus } from '#shared/site.ts';
import { engines } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import type { TestApp } from '#tests/support/test-app.ts';

describe.each(engines)('site on $kind', (engine) => {
  let app: TestApp;
  let root: TestClient;

  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  it('tells before the set-up that it is missing, and afterwards that it is done', async () => {
    const before = await app.anonymous().get('/api/status');
    expect(before).toMatchObject({ status: 200, success: true, message: '', data: { setup: false } });
    root = await app.setup();
    expect((await app.anonymous().get('/api/status')).data.setup).toBe(true);
  });

  it('has every field of the status, with the defaults of a new installation', async () => {
    const { data } = await app.anonymous().get('/api/status');
    expect(SiteStatus.strict().parse(data)).toEqual(data);
    expect(data).toMatchObject({
      system_name: 'Tidegate',
      server_address: 'http://localhost:3000',
      docs_link: '',
      chat_link: '',
      quota_per_unit: 500_000,
      display_in_currency: true,
      price: 7.3,
      min_topup: 1,
      top_up_link: '',
      enable_online_topup: false,
      enable_drawing: false,
      enable_task: false,
      enable_data_export: true,
      data_export_default_time: 'hour',
      register_enabled: true,
      turnstile_check: false,
      self_use_mode_enabled: false,
      demo_site_enabled: false,
    });
    expect(data.version).toMatch(/^v\d+\.\d+\.\d+/);
    expect(data.start_time).toBeLessThanOrEqual(app.context.now() / 1000);
    expect(data.chats.every((chat: object) => Object.keys(chat).length === 1)).toBe(true);
  });

  it('follows the options at once', async () => {
    const options = [
      { key: 'SystemName', value: 'Harbour' },
      { key: 'ServerAddress', value: 'https://gateway.example/' },
      { key: 'general_setting.docs_link', value: 'https://docs.example' },
      { key: 'PayAddress', value: 'https://pay.example' },
      { key: 'EpayId', value: '1' },
      { key: 'EpayKey', value: 'pay-secret' },
      { key: 'Footer', value: '<b>footer</b>' },
      { key: 'Chats', value: '[{"Mine":"opencat://open?key={key}"}]' },
    ];
    expect(await root.put('/api/option/batch', { options })).toMatchObject({ success: true });
    const answer = await app.anonymous().get('/api/status');
    expect(answer.data).toMatchObject({
      system_name: 'Harbour',
      server_address: 'https://gateway.example',
      docs_link: 'https://docs.example',
      enable_online_topup: true,
      footer_html: '<b>footer</b>',
      chats: [{ Mine: 'opencat://open?key={key}' }],
    });
    expect(JSON.stringify(answer.body)).not.toContain('pay-secret');
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('offers no way to sign in that it does not have, whatever the settings say', async () => {
    const options = [
      { key: 'TurnstileSiteKey', value: 'site-key' },
      { key: 'TurnstileSecretKey', value: 'secret' },
      { key: 'TurnstileCheckEnabled', value: 'true' },
      { key: 'GitHubClientId', value: 'client' },
      { key: 'GitHubOAuthEnabled', value: 'true' },
      { key: 'LinuxDOClientId', value: 'client' },
      { key: 'LinuxDOOAuthEnabled', value: 'true' },
      { key: 'TelegramBotToken', value: 'bot' },
      { key: 'TelegramOAuthEnabled', value: 'true' },
      { key: 'oidc.client_id', value: 'client' },
      { key: 'oidc.enabled', value: 'true' },
      { key: 'WeChatServerAddress', value: 'https://wechat.example' },
      { key: 'WeChatAuthEnabled', value: 'true' },
    ];
    // As an earlier version may have stored them.
    const stored = { revision: 1, updated_at: 0, updated_by: 0 };
    const { db, settings, secrets } = app.context;
    for (const { key, value } of options) {
      const row = { value: isSettingKey(key) && isSecret(key) ? secrets.encrypt(value) : value, ...stored };
      await db.collection('options').patch({ id: key }, { set: row }, { insertIfMissing: { id: key, ...row } });
    }
    await settings.reload();
    expect(settings.get('GitHubOAuthEnabled')).toBe(true);
    expect((await app.anonymous().get('/api/status')).data).toMatchObject({
      turnstile_check: false,
      turnstile_site_key: 'site-key',
      github_oauth: false,
      oidc_enabled: false,
      wechat_login: false,
      telegram_oauth: false,
      linuxdo_oauth: false,
    });
    expect(await app.anonymous().get('/api/oauth/state')).toMatchObject({ status: 404 });
  });

  it.each([
    ['/api/notice', 'Notice'],
    ['/api/about', 'About'],
    ['/api/home_page_content', 'HomePageContent'],
  ])('answers %s with the option %s', async (path, key) => {
    expect(await app.anonymous().get(path)).toMatchObject({ status: 200, success: true, data: '' });
    await root.put('/api/option/', { key, value: `# ${key}\n\n<i>text</i>` });
    expect((await app.anonymous().get(path)).data).toBe(`# ${key}\n\n<i>text</i>`);
  });

  it('says to administrators whether the database answers', async () => {
    expect(await root.get('/api/status/test')).toMatchObject({ status: 200, success: true, message: 'Server is running' });
    expect(await app.anonymous().get('/api/status/test')).toMatchObject({ status: 401 });
  });

  it('answers visitors whose client sends the user id of nobody', async () => {
    const answer = await app.anonymous().get('/api/status', { headers: { 'new-api-user': '-1' } });
    expect(answer).toMatchObject({ status: 200, success: true });
  });
});
