import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settingsWithoutEffect } from '#shared/settings.ts';
import { storeEarlierOption } from '#tests/support/earlier-option.ts';
import { engines } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import type { TestApp } from '#tests/support/test-app.ts';

describe.each(engines)('switches without an effect on $kind', (engine) => {
  let app: TestApp;
  let root: TestClient;
  const valueOf = async (key: string) => {
    const { data } = await root.get('/api/option/');
    return data.find((option: { key: string }) => option.key === key)?.value;
  };
  beforeAll(async () => {
    app = await createTestApp(engine);
    root = await app.setup();
    const filled = ['GitHubClientId', 'oidc.client_id', 'LinuxDOClientId', 'TurnstileSiteKey', 'TelegramBotToken'];
    for (const key of filled) await root.put('/api/option/', { key, value: 'filled' });
    await root.put('/api/option/', { key: 'WeChatServerAddress', value: 'https://wechat.example' });
  });
  afterAll(() => app.close());

  it.each([...settingsWithoutEffect])('%s is off, and is not turned on', async (key) => {
    expect(await valueOf(key)).toBe('false');
    for (const value of ['true', true, ' 1 ']) {
      expect(await root.put('/api/option/', { key, value })).toMatchObject({
        status: 200,
        success: false,
        code: 'option_not_built',
        field: key,
        message: `此版本还没有这项功能，无法开启：${key}`,
      });
    }
    const english = { headers: { 'accept-language': 'en' } };
    expect((await root.put('/api/option/', { key, value: 'true' }, english)).message).toBe(
      `This version does not have that feature yet, so ${key} cannot be turned on`,
    );
    const group = [
      { key: 'SystemName', value: 'renamed' },
      { key, value: 'true' },
    ];
    expect(await root.put('/api/option/batch', { options: group })).toMatchObject({ code: 'option_not_built', field: key });
    expect(await valueOf('SystemName')).toBe('Tidegate');
    // Old clients send all switches of a screen as they read them, or a key without its value.
    expect(await root.put('/api/option/', { key, value: 'false' })).toMatchObject({ success: true });
    expect(await root.put('/api/option/', { key })).toMatchObject({ success: true });
  });

  it('what an earlier version turned on can be sent back, and be turned off', async () => {
    const key = 'StopOnSensitiveEnabled';
    await storeEarlierOption(app.context.db, key, 'true');
    await app.context.settings.reload();
    expect(await root.put('/api/option/', { key, value: 'true' })).toMatchObject({ success: true, data: { value: 'true', revision: 7 } });
    expect(await root.put('/api/option/', { key, value: 'false' })).toMatchObject({ success: true, data: { value: 'false' } });
    expect(await root.put('/api/option/', { key, value: 'true' })).toMatchObject({ code: 'option_not_built' });
  });
});
