import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { SiteStatus } from '#shared/site.ts';
import { oneEngine } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

describe.each(oneEngine)('site on $kind', (engine) => {
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
    expect(z.strictObject(SiteStatus.shape).parse(data)).toEqual(data);
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
      enable_drawing: true,
      enable_task: true,
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

  it('offers the ways to sign in that are switched on, and keeps their secrets', async () => {
    const routes = ['github_oauth', 'oidc_enabled', 'wechat_login', 'telegram_oauth', 'linuxdo_oauth', 'turnstile_check'];
    const before = (await app.anonymous().get('/api/status')).data;
    expect(routes.map((route) => before[route])).toEqual(routes.map(() => false));
    const options = Object.entries({
      TurnstileSiteKey: 'site-key',
      TurnstileSecretKey: 'a-secret-1',
      TurnstileCheckEnabled: 'true',
      GitHubClientId: 'client',
      GitHubClientSecret: 'a-secret-2',
      GitHubOAuthEnabled: 'true',
      LinuxDOClientId: 'client',
      LinuxDOClientSecret: 'a-secret-3',
      LinuxDOOAuthEnabled: 'true',
      TelegramBotToken: '77:a-secret-4',
      TelegramOAuthEnabled: 'true',
      'oidc.client_id': 'client',
      'oidc.client_secret': 'a-secret-5',
      'oidc.enabled': 'true',
      WeChatServerAddress: 'https://wechat.example',
      WeChatServerToken: 'a-secret-6',
      WeChatAuthEnabled: 'true',
    }).map(([key, value]) => ({ key, value }));
    expect(await root.put('/api/option/batch', { options })).toMatchObject({ success: true });
    const { data } = await app.anonymous().get('/api/status');
    expect(routes.map((route) => data[route])).toEqual(routes.map(() => true));
    expect(data).toMatchObject({ turnstile_site_key: 'site-key', github_client_id: 'client' });
    expect(JSON.stringify(data)).not.toContain('a-secret');
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
