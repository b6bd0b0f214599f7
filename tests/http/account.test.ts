import { describe, expect, it } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { createTestApp, testPassword } from '#tests/support/test-app.ts';

const newPassword = 'a new password';

describe.each(engines)('account on $kind', (engine) => {
  it('self: the own record with balance and invite code, without a secret', async () => {
    await using app = await createTestApp(engine);
    const user = await app.createUser({ quota: 300, access_token_hash: 'a hash' });
    const client = await app.as(user);
    const self = await client.get('/api/user/self');
    expect(self.data).toMatchObject({ id: user.id, quota: 300, full_mark: 300, aff_code: user.aff_code, password: '', DeletedAt: null });
    expect(JSON.stringify(self.body)).not.toMatch(/hash|scrypt|access_token"|leases/);
    expect(self.headers['cache-control']).toBe('no-store');
  });

  it('edit: empty and absent fields stay, nothing else can be changed', async () => {
    await using app = await createTestApp(engine);
    const user = await app.createUser({ username: 'mei', display_name: 'Mei' });
    const client = await app.as(user);
    const wish = { display_name: '梅', username: '', role: 100, status: 1, quota: 1_000_000, group: 'vip', email: 'root@example.org' };
    expect(await client.put('/api/user/self', wish)).toMatchObject({ status: 200, success: true });
    expect((await client.get('/api/user/self')).data).toMatchObject({
      username: 'mei',
      display_name: '梅',
      role: 1,
      quota: 0,
      group: 'default',
      email: '',
      revision: 2,
    });
  });

  it('edit: refuses names that are taken or not allowed', async () => {
    await using app = await createTestApp(engine);
    await app.createUser({ username: 'lin' });
    const client = await app.as(await app.createUser({ username: 'mei' }));
    expect(await client.put('/api/user/self', { username: 'lin' })).toMatchObject({
      code: 'username_taken',
      message: '用户名已存在，或已注销',
    });
    expect(await client.put('/api/user/self', { username: 'a@b' })).toMatchObject({ code: 'invalid_input', field: 'username' });
    expect(await client.put('/api/user/self', { display_name: 'x'.repeat(21) })).toMatchObject({
      code: 'invalid_input',
      field: 'display_name',
    });
    for (const name of ['\u200b\u3164', 'mei\u202egpj', 'mei\u2028lin']) {
      expect(await client.put('/api/user/self', { display_name: name })).toMatchObject({ code: 'invalid_input', field: 'display_name' });
    }
    for (const name of ['👨‍👩‍👧', '梅'.repeat(20)])
      expect(await client.put('/api/user/self', { display_name: name })).toMatchObject({ success: true });
  });

  it('edit: a new password ends the other sessions and keeps this one', async () => {
    await using app = await createTestApp(engine);
    await app.createUser({ username: 'mei' });
    const here = await app.login('mei');
    const elsewhere = await app.login('mei');
    expect(await here.put('/api/user/self', { password: newPassword, original_password: 'not this one' })).toMatchObject({
      success: false,
      code: 'current_password_wrong',
      field: 'original_password',
    });
    expect(await elsewhere.get('/api/user/self')).toMatchObject({ status: 200 });
    expect(await here.put('/api/user/self', { password: newPassword, original_password: testPassword })).toMatchObject({ success: true });
    expect(await here.get('/api/user/self')).toMatchObject({ status: 200 });
    expect(await elsewhere.get('/api/user/self')).toMatchObject({ status: 401 });
    expect(await app.anonymous().post('/api/user/login', { username: 'mei', password: testPassword })).toMatchObject({
      code: 'login_failed',
    });
    await app.login('mei', newPassword);
  });

  it('edit: an outdated revision changes nothing', async () => {
    await using app = await createTestApp(engine);
    const client = await app.as(await app.createUser({ display_name: 'Mei' }));
    await client.put('/api/user/self', { display_name: 'first', revision: 1 });
    const late = await client.put('/api/user/self', { display_name: 'second', revision: 1 });
    expect(late).toMatchObject({ code: 'revision_conflict', data: { display_name: 'first', revision: 2 } });
  });

  it('setting: the low-water mark is stored as clients send it, and only for its owner', async () => {
    await using app = await createTestApp(engine);
    const user = await app.createUser({ username: 'mei' });
    const other = await app.createUser({ username: 'lin' });
    const client = await app.as(user);
    const whole = {
      notify_type: 'email',
      quota_warning_threshold: 1_000_000,
      webhook_url: '',
      webhook_secret: '',
      notification_email: ' mei@example.org ',
      accept_unset_model_ratio_model: false,
    };
    const saved = await client.put('/api/user/setting', whole);
    expect(saved).toMatchObject({ status: 200, success: true, message: '设置已更新' });
    expect(saved.data).toMatchObject({ id: user.id, revision: 2 });
    const settingOf = async () => JSON.parse((await client.get('/api/user/self')).data.setting);
    expect(await settingOf()).toEqual({
      notify_type: 'email',
      quota_warning_threshold: 1_000_000,
      notification_email: 'mei@example.org',
      accept_unset_model_ratio_model: false,
      has_webhook_secret: false,
      language: 'zh',
    });
    // What is not given stays; an empty address is taken away.
    await client.put('/api/user/setting', { notify_type: 'email', quota_warning_threshold: 0.5 });
    expect(await settingOf()).toMatchObject({ quota_warning_threshold: 1, notification_email: 'mei@example.org' });
    await client.put('/api/user/setting', { notification_email: '' });
    expect(await settingOf()).toMatchObject({ notify_type: 'email', quota_warning_threshold: 1 });
    expect(await settingOf()).not.toHaveProperty('notification_email');
    expect((await app.context.db.collection('users').get(other.id))?.setting).toBe('');
    expect(await app.anonymous().put('/api/user/setting', whole)).toMatchObject({ status: 401 });
  });

  it('setting: refuses what is no notice, no amount and no address', async () => {
    await using app = await createTestApp(engine);
    const user = await app.createUser();
    const client = await app.as(user);
    const refused = [
      [{ notify_type: 'pigeon' }, 'notify_type_invalid', '无效的预警类型'],
      [{ quota_warning_threshold: 0 }, 'warning_threshold_invalid', '预警阈值必须大于0'],
      [{ quota_warning_threshold: -5 }, 'warning_threshold_invalid', '预警阈值必须大于0'],
      [{ quota_warning_threshold: 1e300 }, 'warning_threshold_invalid', '预警阈值必须大于0'],
      [{ notification_email: 'nobody' }, 'notification_email_invalid', '无效的邮箱地址'],
      [{ notify_type: 'webhook' }, 'webhook_url_required', 'Webhook地址不能为空'],
      ...[
        'http://example.org/hook',
        'example.org/hook',
        '/hook',
        'ftp://example.org/',
        'https://me:pw@example.org/',
        'https://localhost/hook',
        'https://printer/hook',
        'https://db.internal/',
        'https://127.0.0.1/hook',
        'https://0x7f.1/',
        'https://[::1]/',
        'https://169.254.169.254/latest/meta-data/',
      ].map((webhook_url) => [{ notify_type: 'webhook', webhook_url }, 'webhook_url_invalid', '无效的Webhook地址'] as const),
      [{ webhook_secret: '秘密' }, 'webhook_secret_invalid', undefined],
      [{ webhook_secret: 'a\r\nX-Evil: 1' }, 'webhook_secret_invalid', undefined],
      [{ accept_unset_model_ratio_model: 'yes' }, undefined, undefined],
      [{ quota_warning_threshold: '5' }, undefined, undefined],
    ] as const;
    for (const [body, code, message] of refused) {
      const refusal = await client.put('/api/user/setting', body);
      expect(refusal, JSON.stringify(body)).toMatchObject({ success: false });
      if (code !== undefined) expect(refusal).toMatchObject({ status: 200, code });
      if (message !== undefined) expect(refusal).toMatchObject({ message });
    }
    expect(await app.context.db.collection('users').get(user.id)).toMatchObject({ setting: '', revision: 1 });
  });

  it('setting: a webhook is kept with a secret that nobody reads, and that does not move elsewhere', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    const user = await app.createUser();
    const client = await app.as(user);
    const record = async () => app.context.db.collection('users').get(user.id);
    const hook = { notify_type: 'webhook', webhook_url: 'https://hooks.example.org/T0/s3cr3t-path', webhook_secret: 'wh-s3cr3t' };
    const saved = await client.put('/api/user/setting', hook);
    expect(JSON.parse(saved.data.setting)).toMatchObject({
      notify_type: 'webhook',
      webhook_url: hook.webhook_url,
      has_webhook_secret: true,
    });
    expect(JSON.stringify(saved.body)).not.toContain('wh-s3cr3t');
    expect(JSON.stringify(await record())).not.toContain('wh-s3cr3t');
    // Administrators do not see where it goes.
    for (const path of [`/api/user/${user.id}`, '/api/user/', `/api/user/search?keyword=${user.username}`]) {
      const seen = await root.get(path);
      expect(seen).toMatchObject({ success: true });
      expect(JSON.stringify(seen.body)).not.toMatch(/hooks\.example|s3cr3t/);
    }
    const late = await root.put('/api/user/', { id: user.id, display_name: 'x', revision: 1 });
    expect(late).toMatchObject({ code: 'revision_conflict' });
    expect(JSON.stringify(late.body)).not.toMatch(/hooks\.example/);
    // Old clients send what they read: no secret.
    const cipher = (await record())?.webhook_secret;
    await client.put('/api/user/setting', { ...hook, webhook_url: 'https://hooks.example.org/T0/other', webhook_secret: '' });
    expect((await record())?.webhook_secret).toBe(cipher);
    await client.put('/api/user/setting', { webhook_url: 'https://evil.example.org/' });
    expect(await record()).not.toHaveProperty('webhook_secret');
    await client.put('/api/user/setting', { webhook_secret: 'another' });
    await client.put('/api/user/setting', { remove_webhook_secret: true });
    expect(await record()).not.toHaveProperty('webhook_secret');
    // The other kind of notification retains its fields.
    await client.put(
      '/api/user/setting',
      { notify_type: 'email', accept_unset_model_ratio_model: true },
      { headers: { 'accept-language': 'en' } },
    );
    expect(JSON.parse((await client.get('/api/user/self')).data.setting)).toEqual({
      notify_type: 'email',
      webhook_url: 'https://evil.example.org/',
      accept_unset_model_ratio_model: true,
      has_webhook_secret: false,
      language: 'en',
    });
  });

  it('setting: an outdated revision changes nothing and answers what is', async () => {
    await using app = await createTestApp(engine);
    const client = await app.as(await app.createUser());
    await client.put('/api/user/setting', { quota_warning_threshold: 10, revision: 1 });
    const late = await client.put('/api/user/setting', { quota_warning_threshold: 20, revision: 1 });
    expect(late).toMatchObject({ code: 'revision_conflict', data: { revision: 2 } });
    expect(JSON.parse(late.data.setting)).toMatchObject({ quota_warning_threshold: 10 });
  });

  it('delete: the account is gone for its owner', async () => {
    await using app = await createTestApp(engine);
    await app.setup();
    const user = await app.createUser({ username: 'mei' });
    const client = await app.login('mei');
    expect(await client.delete('/api/user/self')).toMatchObject({ status: 200, success: true });
    expect(await client.get('/api/user/self')).toMatchObject({ status: 401 });
    expect(await app.anonymous().post('/api/user/login', { username: 'mei', password: testPassword })).toMatchObject({
      code: 'login_failed',
    });
    expect((await app.context.db.collection('users').get(user.id))?.DeletedAt).not.toBeNull();
  });

  it('models and groups: what the groups of the caller offer', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    const channel = { type: 1, key: 'sk-x', base_url: 'http://127.0.0.1:9', status: 1, priority: 0, weight: 0 };
    const options = {
      GroupRatio: '{"default":1,"vip":0.5,"hidden":2,"staff":3}',
      UserUsableGroups: '{"default":"everybody","ghost":"no ratio"}',
    };
    for (const [key, value] of Object.entries(options))
      expect(await root.put('/api/option/', { key, value })).toMatchObject({ success: true });
    for (const [name, group, models] of [
      ['one', 'default', 'b-model,a-model'],
      ['two', 'hidden', 'hidden-model'],
      ['three', 'staff,default', 'a-model,c-model'],
    ]) {
      expect(await root.post('/api/channel/', { ...channel, name, group, models })).toMatchObject({ success: true });
    }
    const client = await app.as(await app.createUser());
    expect((await client.get('/api/user/models')).data).toEqual(['a-model', 'b-model', 'c-model']);
    expect((await client.get('/api/user/self/groups')).data).toEqual({ default: { ratio: 1, desc: 'everybody' } });
    // A session is not looked at.
    for (const caller of [app.anonymous(), client])
      expect((await caller.get('/api/user/groups')).data).toEqual({ default: { ratio: 1, desc: 'everybody' } });
    const insider = await app.as(await app.createUser({ group: 'hidden' }));
    expect((await insider.get('/api/user/models')).data).toContain('hidden-model');
    expect((await insider.get('/api/user/self/groups')).data).toEqual({
      default: { ratio: 1, desc: 'everybody' },
      hidden: { ratio: 2, desc: '用户分组' },
    });
  });

  it('models: an empty list, not nothing, where there are none', async () => {
    await using app = await createTestApp(engine);
    const client = await app.as(await app.createUser());
    expect((await client.get('/api/user/models')).data).toEqual([]);
  });
});
