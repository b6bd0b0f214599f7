import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { saidReason } from '#shared/failure-reasons.ts';
import { z } from 'zod';
import { Role } from '#shared/roles.ts';
import { deliverDue } from '#server/notify/deliver.ts';
import { alertOfChannel, queueNotification, sweepNotifications } from '#server/notify/notifications.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { publicAddress, publicName, startFakeInternet } from '#tests/support/fake-internet.ts';
import { createMailDesk } from '#tests/support/mail-desk.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';
import { trustLocalhost } from '#tests/support/trust-localhost.ts';

const minute = 60_000;
const hookUrl = `https://${publicName}/hook`;

function queue(app: TestApp, userId: number, key = 'one') {
  return queueNotification(app.context, { key, userId, event: { code: 'quota_exceed', balance: 250_000 } });
}
const rows = (app: TestApp) => app.context.db.collection('notifications').find({});
/** Stored as a save would: the name of the stand-in would be refused as an address. */
async function useHook(app: TestApp, id: number, secret?: string) {
  const setting = JSON.stringify({ notify_type: 'webhook', webhook_url: hookUrl });
  const cipher = secret === undefined ? {} : { webhook_secret: app.context.secrets.encrypt(secret, 'webhook_secret') };
  await app.context.db.collection('users').patch({ id }, { set: { setting, ...cipher } });
}

describe.each(oneEngine)('notices on $kind', (engine) => {
  let distrust = () => {};
  beforeAll(() => {
    distrust = trustLocalhost();
  });
  afterAll(() => distrust());

  it('mail: goes to the address for notices, else to the own, in the language of whoever saved them', async () => {
    await using desk = await createMailDesk(engine);
    const { app, smtp, root } = desk;
    await root.put('/api/option/', { key: 'ServerAddress', value: 'https://gate.example' });
    await root.put('/api/option/', { key: 'SystemName', value: '<b>Gate</b>' });
    const [mei, lin] = [await app.createUser({ email: 'mei@example.org' }), await app.createUser({ email: 'lin@example.org' })];
    await (
      await app.as(lin)
    ).put('/api/user/setting', { notification_email: 'alerts@example.org' }, { headers: { 'accept-language': 'en' } });
    await queue(app, mei.id, 'mei');
    await queue(app, lin.id, 'lin');
    expect(await deliverDue(app.context)).toBe(2);
    const byReceiver = new Map(smtp.mails.map((mail) => [mail.to[0], mail]));
    const zh = byReceiver.get('mei@example.org');
    expect(zh?.headers['subject']).toBe('您的额度即将用尽');
    expect(zh?.text).toContain(
      '您的额度即将用尽，当前剩余额度为 ＄0.500000，为了不影响您的使用，请及时充值。\n充值链接：https://gate.example/topup',
    );
    expect(zh?.html).toContain('https://gate.example/topup');
    expect(zh?.html).not.toContain('<b>Gate</b>');
    const en = byReceiver.get('alerts@example.org');
    expect(en?.headers['subject']).toBe('Your quota is running out');
    expect(en?.text).toContain('＄0.500000 is left');
    expect(await rows(app)).toMatchObject([
      { state: 'sent', attempts: 1, notify_type: 'email' },
      { state: 'sent', attempts: 1, notify_type: 'email' },
    ]);
    expect(await deliverDue(app.context)).toBe(0);
  });

  it('those under way are the last where no more are wanted; the others wait for the next process', async () => {
    await using desk = await createMailDesk(engine);
    const mei = await desk.app.createUser({ email: 'mei@example.org' });
    for (let index = 0; index < 12; index += 1) await queue(desk.app, mei.id, `notice ${index}`);
    expect(await deliverDue(desk.app.context, () => desk.smtp.mails.length === 0)).toBeLessThan(12);
    const after = await rows(desk.app);
    expect(after.filter(({ state }) => state === 'sent').length).toBeGreaterThan(0);
    expect(after.some(({ state, attempts }) => state === 'waiting' && attempts === 0)).toBe(true);
    await deliverDue(desk.app.context);
    expect((await rows(desk.app)).every(({ state }) => state === 'sent')).toBe(true);
  });

  it('mail: while nobody has said where this site is, it holds no link, and says where to go', async () => {
    await using desk = await createMailDesk(engine);
    const [mei, lin] = [await desk.app.createUser({ email: 'mei@example.org' }), await desk.app.createUser({ email: 'lin@example.org' })];
    await (await desk.app.as(lin)).put('/api/user/setting', {}, { headers: { 'accept-language': 'en' } });
    await queue(desk.app, mei.id, 'mei');
    await queue(desk.app, lin.id, 'lin');
    expect(await deliverDue(desk.app.context)).toBe(2);
    const byReceiver = new Map(desk.smtp.mails.map((mail) => [mail.to[0], mail]));
    expect(byReceiver.get('mei@example.org')?.text).toContain('请及时在控制台的钱包页充值');
    expect(byReceiver.get('lin@example.org')?.text).toContain('Top up in the console, under Wallet');
    for (const mail of byReceiver.values()) for (const part of [mail.text, mail.html]) expect(part).not.toMatch(/https?:|localhost|\{\{/);
  });

  it('webhook: a signed POST with the placeholders left in and their values beside them', async () => {
    await using internet = await startFakeInternet();
    await using app = await createTestApp(engine, { network: internet.network });
    const root = await app.setup();
    await root.put('/api/option/', { key: 'ServerAddress', value: 'https://gate.example' });
    const user = await app.createUser();
    await useHook(app, user.id, 'wh-secret');
    await queue(app, user.id);
    await deliverDue(app.context);
    expect(internet.visits).toHaveLength(1);
    const [visit] = internet.visits;
    expect(visit).toMatchObject({ method: 'POST', path: '/hook', headers: { 'content-type': 'application/json' } });
    expect(JSON.parse(visit?.text ?? '')).toEqual({
      type: 'quota_exceed',
      title: '您的额度即将用尽',
      content: "{{value}}，当前剩余额度为 {{value}}，为了不影响您的使用，请及时充值。<br/>充值链接：<a href='{{value}}'>{{value}}</a>",
      values: ['您的额度即将用尽', '＄0.500000', 'https://gate.example/topup', 'https://gate.example/topup'],
      timestamp: expect.any(Number),
    });
    expect(visit?.headers['authorization']).toBe('Bearer wh-secret');
    expect(visit?.headers['x-webhook-signature']).toBe(
      createHmac('sha256', 'wh-secret')
        .update(visit?.text ?? '')
        .digest('hex'),
    );
    expect(await rows(app)).toMatchObject([{ state: 'sent', notify_type: 'webhook' }]);
  });

  it('webhook: without a secret it is not signed; an address that became private is refused', async () => {
    await using internet = await startFakeInternet();
    await using app = await createTestApp(engine, { network: internet.network });
    const user = await app.createUser();
    await useHook(app, user.id);
    await queue(app, user.id, 'a');
    await deliverDue(app.context);
    expect(internet.visits[0]?.headers).not.toHaveProperty('authorization');
    expect(internet.visits[0]?.headers).not.toHaveProperty('x-webhook-signature');
    internet.name(publicName, ['10.0.0.5']);
    await queue(app, user.id, 'b');
    await deliverDue(app.context);
    expect(internet.connections).toEqual([`${publicAddress}:443`]);
    expect(await (await app.as(user)).get('/api/user/notifications')).toMatchObject({
      data: [{ state: 'waiting', attempts: 1, problem: 'private_address' }, { state: 'sent' }],
    });
  });

  it('webhook: goes through the worker that the operator has named, wrapped with its key', async () => {
    await using internet = await startFakeInternet({ isPlain: true });
    internet.name('worker.lan', ['10.0.0.7']);
    await using app = await createTestApp(engine, { network: internet.network });
    const root = await app.setup();
    await root.put('/api/option/', { key: 'WorkerUrl', value: 'http://worker.lan:8787' });
    await root.put('/api/option/', { key: 'WorkerValidKey', value: 'worker-key' });
    const user = await app.createUser();
    await useHook(app, user.id, 'wh-secret');
    await queue(app, user.id);
    await deliverDue(app.context);
    expect(internet.connections).toEqual(['10.0.0.7:8787']);
    expect(internet.visits[0]?.headers).not.toHaveProperty('authorization');
    expect(JSON.parse(internet.visits[0]?.text ?? '')).toMatchObject({
      url: hookUrl,
      key: 'worker-key',
      method: 'POST',
      headers: { Authorization: 'Bearer wh-secret' },
      body: { type: 'quota_exceed' },
    });
  });

  it('what fails is tried again later and later, then given up, and its owner sees why', async () => {
    await using internet = await startFakeInternet();
    await using app = await createTestApp(engine, { network: internet.network });
    const user = await app.createUser();
    await useHook(app, user.id);
    internet.serve((_visit, response) => response.writeHead(502).end());
    await queue(app, user.id);
    const waits = [1, 5, 30, 120, 360].map((minutes) => minutes * minute);
    for (const [index, wait] of waits.entries()) {
      expect(await deliverDue(app.context)).toBe(1);
      expect(await rows(app)).toMatchObject([{ state: 'waiting', attempts: index + 1, problem: 'http_status', status: 502 }]);
      app.clock.advance(wait - 2_000);
      expect(await deliverDue(app.context)).toBe(0);
      app.clock.advance(2_000);
    }
    expect(await deliverDue(app.context)).toBe(1);
    app.clock.advance(24 * 60 * minute);
    expect(await deliverDue(app.context)).toBe(0);
    expect(internet.visits).toHaveLength(6);
    expect(new Set(internet.visits.map(({ headers }) => headers['x-webhook-id'])).size).toBe(1);
    expect(await (await app.as(user)).get('/api/user/notifications')).toMatchObject({
      success: true,
      data: [
        {
          type: 'quota_exceed',
          title: '您的额度即将用尽',
          notify_type: 'webhook',
          state: 'failed',
          attempts: 6,
          problem: 'http_status',
          status: 502,
        },
      ],
    });
    // One that succeeds later has no problem any more.
    await queue(app, user.id, 'two');
    await deliverDue(app.context);
    internet.serve((_visit, response) => response.end());
    app.clock.advance(minute);
    await deliverDue(app.context);
    expect((await rows(app))[1]).toMatchObject({ state: 'sent', attempts: 2 });
    expect((await rows(app))[1]).not.toHaveProperty('problem');
  });

  it('what can never succeed is given up at once: no address, refused for good, an account that is gone', async () => {
    await using desk = await createMailDesk(engine);
    const { app, smtp } = desk;
    const [bare, refused, gone] = [
      await app.createUser(),
      await app.createUser({ email: 'nobody@example.org' }),
      await app.createUser({ email: 'gone@example.org', DeletedAt: '2026-01-01T00:00:00Z' }),
    ];
    for (const { id } of [bare, refused, gone]) await queue(app, id, `of ${id}`);
    smtp.refuse('RCPT', '550 5.1.1 no such person');
    await deliverDue(app.context);
    const problems = new Map((await rows(app)).map((row) => [row.user_id, row]));
    expect(problems.get(bare.id)).toMatchObject({ state: 'failed', problem: 'no_address', attempts: 1 });
    expect(problems.get(refused.id)).toMatchObject({ state: 'failed', problem: 'mail_failed', attempts: 1 });
    expect(problems.get(gone.id)).toMatchObject({ state: 'failed', problem: 'no_address', attempts: 1 });
    expect(smtp.mails).toEqual([]);
  });

  it('several processes send each notice once; one that a dead process had taken comes back', async () => {
    await using internet = await startFakeInternet();
    await using app = await createTestApp(engine, { network: internet.network });
    await using other = await createTestApp(engine, { database: app.database, clock: app.clock, network: internet.network });
    const user = await app.createUser();
    await useHook(app, user.id);
    for (let index = 0; index < 12; index += 1) await queue(app, user.id, `k${index}`);
    expect(await queue(app, user.id, 'k3')).toBe(false);
    await Promise.all([deliverDue(app.context), deliverDue(other.context)]);
    expect(internet.visits).toHaveLength(12);
    expect(new Set(internet.visits.map(({ headers }) => headers['x-webhook-id'])).size).toBe(12);
    // Taken by a process that never finished.
    await queue(app, user.id, 'left');
    const taken = { next_at: app.clock.now() + 120_000 };
    await app.context.db.collection('notifications').patch({ key: 'left' }, { set: taken, increment: { attempts: 1 } });
    expect(await deliverDue(other.context)).toBe(0);
    app.clock.advance(120_000);
    expect(await deliverDue(other.context)).toBe(1);
    expect(internet.visits).toHaveLength(13);
    // A notice that kills its process is not retried forever.
    await queue(app, user.id, 'poison');
    await app.context.db.collection('notifications').patch({ key: 'poison' }, { set: {}, increment: { attempts: 6 } });
    await deliverDue(app.context);
    expect(await app.context.db.collection('notifications').first({ key: 'poison' })).toMatchObject({
      state: 'failed',
      problem: 'interrupted',
    });
    await other.stop();
  });

  it('channel alerts reach the super administrator, whatever the names hold, and not over and over', async () => {
    await using desk = await createMailDesk(engine);
    const { app, smtp, root } = desk;
    await root.put('/api/user/setting', { notification_email: 'ops@example.org' });
    const channel = {
      id: 7,
      name: '<img src=x>\r\nBcc: x@y.z',
      status: 3,
      reason: saidReason(`key\u0000 dead \ud800 {{value}} {0} ${'x'.repeat(2_000)}`),
    };
    for (let index = 0; index < 3; index += 1) await alertOfChannel(app.context, channel);
    await deliverDue(app.context);
    expect(smtp.mails).toHaveLength(1);
    const [mail] = smtp.mails;
    expect(mail?.to).toEqual(['ops@example.org']);
    expect(mail?.headers['subject']).toBe('通道「<img src=x> Bcc: x@y.z」（#7）已被禁用');
    expect(mail?.headers).not.toHaveProperty('bcc');
    expect(mail?.html).not.toContain('<img');
    expect(mail?.text).toContain('通道「<img src=x> Bcc: x@y.z」（#7）已被禁用，原因：key');
    app.clock.advance(10 * minute);
    await alertOfChannel(app.context, { ...channel, name: 'main', status: 1, reason: null });
    await deliverDue(app.context);
    expect(smtp.mails[1]?.headers['subject']).toBe('通道「main」（#7）已被启用');
  });

  it('channel alerts reach every administrator who asked for them, and the super administrator unless declined', async () => {
    await using desk = await createMailDesk(engine);
    const { app, smtp, root } = desk;
    await root.put('/api/user/setting', { notification_email: 'ops@example.org' });
    const admin = await app.createUser({ role: Role.admin, email: 'ana@example.org' });
    const user = await app.createUser({ email: 'mei@example.org' });
    await app.createUser({ role: Role.admin, email: 'quiet@example.org' });
    for (const account of [admin, user]) {
      expect(await (await app.as(account)).put('/api/user/setting', { channel_alerts: true })).toMatchObject({ success: true });
    }
    const reported = async (id: number) => {
      const before = smtp.mails.length;
      await alertOfChannel(app.context, { id, name: 'main', status: 3, reason: saidReason('key refused') });
      await deliverDue(app.context);
      return smtp.mails
        .slice(before)
        .flatMap(({ to }) => to)
        .toSorted();
    };
    expect(await reported(1)).toEqual(['ana@example.org', 'ops@example.org']);
    await root.put('/api/user/setting', { channel_alerts: false });
    expect(await reported(2)).toEqual(['ana@example.org']);
    // An edit of something else leaves it; a right that is lost ends it.
    await (await app.as(admin)).put('/api/user/setting', { notify_type: 'email' });
    expect(await reported(3)).toEqual(['ana@example.org']);
    await app.context.db.collection('users').patch({ id: admin.id }, { set: { role: Role.user } });
    expect(await reported(4)).toEqual([]);
  });

  it('webhooks may go to private and plain addresses only where the super administrator has listed the host', async () => {
    await using app = await createTestApp(engine);
    const root = await app.setup();
    const mei = await app.createUser();
    const client = await app.as(mei);
    const seen: string[] = [];
    const receiver = createServer((request, response) => {
      seen.push(String(request.url));
      if (request.url === '/away') response.writeHead(302, { location: `http://localhost:${port}/elsewhere` });
      response.end();
    });
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const { port } = z.object({ port: z.number() }).parse(receiver.address());
    try {
      const save = (path: string) =>
        client.put('/api/user/setting', { notify_type: 'webhook', webhook_url: `http://127.0.0.1:${port}${path}` });
      expect(await save('/hook')).toMatchObject({ success: false, code: 'webhook_url_invalid' });
      await root.put('/api/option/', { key: 'WebhookAllowedHosts', value: `127.0.0.1, 127.0.0.1:${port}` });
      for (const [path, state] of [
        ['/hook', 'sent'],
        ['/away', 'failed'],
      ] as const) {
        expect(await save(path)).toMatchObject({ success: true });
        await queue(app, mei.id, path);
        for (let attempt = 0; attempt < 7; attempt += 1) {
          await deliverDue(app.context);
          app.clock.advance(400 * minute);
        }
        expect((await rows(app)).at(-1)).toMatchObject({ state });
      }
      expect(seen).toContain('/hook');
      expect(seen).not.toContain('/elsewhere');
      // What is taken off the list is reached no more.
      const before = seen.length;
      await save('/hook');
      await root.put('/api/option/', { key: 'WebhookAllowedHosts', value: '' });
      await queue(app, mei.id, 'later');
      await deliverDue(app.context);
      expect(seen).toHaveLength(before);
      expect((await rows(app)).at(-1)).toMatchObject({ problem: expect.stringMatching(/private_address|not_https/) });
    } finally {
      receiver.close();
    }
  });

  it('the list is the own, and only whoever is signed in has one', async () => {
    await using app = await createTestApp(engine);
    const [mei, lin] = [await app.createUser(), await app.createUser()];
    for (let index = 0; index < 12; index += 1) await queue(app, mei.id, `k${index}`);
    expect((await (await app.as(mei)).get('/api/user/notifications')).data).toHaveLength(10);
    expect((await (await app.as(lin)).get('/api/user/notifications')).data).toEqual([]);
    // Rendered in the language of the requesting console, whatever language they were sent in.
    const titles = async (language: string) => {
      const { data } = await (await app.as(mei)).get('/api/user/notifications', { headers: { 'accept-language': language } });
      return new Set((data as { title: string }[]).map(({ title }) => title));
    };
    expect(await titles('en')).toEqual(new Set(['Your quota is running out']));
    expect(await titles('zh-CN')).toEqual(new Set(['您的额度即将用尽']));
    for (const path of ['/api/user/notifications', '/api/user/notifications/test', '/api/option/test_mail']) {
      const method = path.endsWith('notifications') ? 'GET' : 'POST';
      expect(await app.anonymous().call(method, path, method === 'POST' ? {} : undefined), path).toMatchObject({ status: 401 });
    }
    await deliverDue(app.context);
    app.clock.advance(31 * 24 * 60 * minute);
    await sweepNotifications(app.context);
    expect(await rows(app)).toEqual([]);
  });

  it('test notice: sends one now the saved way, or says what is wrong; not without end', async () => {
    await using internet = await startFakeInternet();
    await using app = await createTestApp(engine, { network: internet.network });
    const user = await app.createUser();
    const client = await app.as(user);
    expect(await client.post('/api/user/notifications/test')).toMatchObject({
      success: false,
      code: 'notification_failed',
      message: '通知未送达：没有可用的收件地址',
    });
    await useHook(app, user.id, 's');
    expect(await client.post('/api/user/notifications/test')).toMatchObject({
      success: true,
      data: { notify_type: 'webhook', to: hookUrl },
    });
    expect(JSON.parse(internet.visits[0]?.text ?? '')).toMatchObject({ type: 'test', title: '测试通知' });
    internet.serve((_visit, response) => response.writeHead(403).end());
    expect(await client.post('/api/user/notifications/test', undefined, { headers: { 'accept-language': 'en' } })).toMatchObject({
      message: 'The notice was not delivered: the receiver answered HTTP 403',
    });
    for (let index = 0; index < 7; index += 1) await client.post('/api/user/notifications/test');
    expect(await client.post('/api/user/notifications/test')).toMatchObject({ status: 429 });
    // Nothing of it is in the list.
    expect((await client.get('/api/user/notifications')).data).toEqual([]);
  });

  it('test notice: an address of somebody else gets few of them, whoever asks', async () => {
    await using desk = await createMailDesk(engine);
    const ask = async (notification_email: string) => {
      const client = await desk.app.as(await desk.app.createUser());
      await client.put('/api/user/setting', { notify_type: 'email', notification_email });
      return Promise.all(Array.from({ length: 5 }, () => client.post('/api/user/notifications/test')));
    };
    const answers = [];
    for (const written of ['one@example.org', 'ONE@example.org', 'One@Example.org']) answers.push(...(await ask(written)));
    expect(answers.filter(({ success }) => success)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(5);
    expect((await ask('two@example.org')).every(({ success }) => success)).toBe(true);
    expect(desk.smtp.mails).toHaveLength(15);
    // Its owner still gets codes.
    expect(await desk.app.anonymous().get('/api/verification?email=one@example.org')).toMatchObject({ success: true });
  });

  it("test mail: the super administrator reads the mail server's own words, and nobody else may ask", async () => {
    await using desk = await createMailDesk(engine, { account: { user: 'post@tidegate.example', password: 'right' } });
    const { app, smtp, root } = desk;
    expect(await root.post('/api/option/test_mail', { to: 'ops@example.org' })).toMatchObject({
      success: true,
      data: { to: 'ops@example.org' },
    });
    expect(smtp.mails).toMatchObject([{ to: ['ops@example.org'], headers: { subject: '测试通知' } }]);
    expect(await root.post('/api/option/test_mail', {})).toMatchObject({ success: false, code: 'mail_address_invalid' });
    smtp.refuse('AUTH', '535 5.7.8 wrong credentials');
    expect(await root.post('/api/option/test_mail', { to: 'ops@example.org' })).toMatchObject({
      success: false,
      code: 'mail_test_failed',
      message: expect.stringContaining('wrong credentials'),
    });
    const admin = await app.as(await app.createUser({ role: 10 }));
    expect(await admin.post('/api/option/test_mail', { to: 'a@b.example' })).toMatchObject({ status: 403, code: 'forbidden' });
  });
});
