import { describe, expect, it } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { agree, comeBack, createSignInDesk, type SignInDesk, signInWith, startSignIn } from '#tests/support/sign-in-desk.ts';
import { testPassword } from '#tests/support/test-app.ts';

const providers = ['github', 'oidc', 'linuxdo'] as const;
const shownFields = { github: 'github_id', oidc: 'oidc_id', linuxdo: 'linux_do_id' } as const;
const taken = {
  github: '该 GitHub 账户已被绑定',
  oidc: '该 OIDC 账户已被绑定',
  linuxdo: '该 Linux DO 账户已被绑定',
} as const;

async function member(desk: SignInDesk, username: string) {
  await desk.app.createUser({ username });
  return desk.app.login(username);
}

describe.each(oneEngine)('bindings on $kind', (engine) => {
  it.each(providers)('%s: bound to the own account, one signs in with it', async (provider) => {
    await using desk = await createSignInDesk(engine);
    const mei = await member(desk, 'mei');
    expect(await signInWith(mei, provider)).toMatchObject({ success: true, message: 'bind', data: undefined });
    const own = (await mei.get('/api/user/self')).data;
    expect(own[shownFields[provider]]).not.toBe('');
    expect((await signInWith(desk.app.anonymous(), provider)).data.id).toBe(own.id);
  });

  it.each(providers)('%s: what is bound to one is refused to another, also at the same time', async (provider) => {
    await using desk = await createSignInDesk(engine);
    const clients = await Promise.all(['mei', 'ana', 'tom'].map((name) => member(desk, name)));
    const answers = await Promise.all(clients.map((client) => signInWith(client, provider)));
    expect(answers.filter(({ message }) => message === 'bind')).toHaveLength(1);
    expect(answers.filter(({ success, message }) => !success && message === taken[provider])).toHaveLength(2);
    // Nor is it taken from a deleted account.
    const id = clients.find((_client, index) => answers[index]?.message === 'bind')?.userId;
    await desk.root.post('/api/user/manage', { id, action: 'delete' });
    expect(await signInWith(await member(desk, 'late'), provider)).toMatchObject({ success: false, message: taken[provider] });
  });

  it('a binding counts for who began it: another account in the same browser gets nothing', async () => {
    await using desk = await createSignInDesk(engine);
    const mei = await member(desk, 'mei');
    const back = await agree(await startSignIn(mei, 'github'));
    const ana = await member(desk, 'ana');
    const wrong = { status: 403, code: 'state_mismatch' };
    mei.setCookie(ana.cookie);
    expect(await comeBack(mei, 'github', back)).toMatchObject(wrong);
    mei.setCookie(null);
    const again = await member(desk, 'third');
    const other = await agree(await startSignIn(again, 'github'));
    again.setCookie(null);
    expect(await comeBack(again, 'github', other)).toMatchObject(wrong);
    expect(await desk.app.context.db.collection('users').count({ github_subject: { exists: true } })).toBe(0);
  });

  it('unbind: gone, and free for somebody else', async () => {
    await using desk = await createSignInDesk(engine);
    const mei = await member(desk, 'mei');
    for (const provider of providers) {
      await signInWith(mei, provider);
      expect(await mei.delete(`/api/oauth/${provider}/bind`)).toMatchObject({ success: true, data: { [shownFields[provider]]: '' } });
      expect(await mei.delete(`/api/oauth/${provider}/bind`)).toMatchObject({ success: false, code: 'binding_missing' });
      expect(await signInWith(await member(desk, `for ${provider}`), provider)).toMatchObject({ message: 'bind' });
    }
    expect(await mei.delete('/api/oauth/nonsense/bind')).toMatchObject({ status: 200, success: false });
    expect(await desk.app.anonymous().delete('/api/oauth/github/bind')).toMatchObject({ status: 401 });
  });

  it('unbind: the only way in stays, until there is another one', async () => {
    await using desk = await createSignInDesk(engine);
    const client = desk.app.anonymous();
    await signInWith(client, 'github');
    expect(await client.delete('/api/oauth/github/bind')).toMatchObject({ success: false, code: 'last_way_in' });
    await signInWith(client, 'linuxdo');
    // A way that is switched off is none.
    await desk.save({ LinuxDOOAuthEnabled: 'false' });
    expect(await client.delete('/api/oauth/github/bind')).toMatchObject({ code: 'last_way_in' });
    await desk.save({ LinuxDOOAuthEnabled: 'true' });
    // Both at once: one of them is the last.
    const both = await Promise.all(['github', 'linuxdo'].map((provider) => client.delete(`/api/oauth/${provider}/bind`)));
    expect(both.map(({ code }) => code ?? 'done').toSorted((one, other) => one.localeCompare(other))).toEqual(['done', 'last_way_in']);
    await client.put('/api/user/self', { password: testPassword });
    const left = await desk.app.context.db.collection('users').first({ github_subject: { exists: true } });
    expect(await client.delete(`/api/oauth/${left === null ? 'linuxdo' : 'github'}/bind`)).toMatchObject({ success: true });
  });

  it('WeChat: a code signs in, makes an account, binds, and counts once', async () => {
    await using desk = await createSignInDesk(engine);
    const { weChatCodes } = desk.services;
    const client = desk.app.anonymous();
    client.setUser(-1);
    weChatCodes.set('123456', 'openid-1');
    const first = await client.get('/api/oauth/wechat?code=123456');
    expect(first).toMatchObject({ success: true, data: { display_name: 'WeChat User', wechat_id: 'openid-1' } });
    expect(await client.get('/api/oauth/wechat?code=123456')).toMatchObject({ success: false, message: '验证码错误或已过期' });
    expect(await client.get('/api/oauth/wechat')).toMatchObject({ success: false, message: '无效的参数' });
    weChatCodes.set('a&b=c d', 'openid-1');
    expect((await client.get(`/api/oauth/wechat?code=${encodeURIComponent('a&b=c d')}`)).data.id).toBe(first.data.id);
    const mei = await member(desk, 'mei');
    weChatCodes.set('222222', 'openid-1').set('333333', 'openid-2').set('444444', 'openid-2');
    expect(await mei.get('/api/oauth/wechat/bind?code=222222')).toMatchObject({ success: false, message: '该微信账号已被绑定' });
    expect(await mei.get('/api/oauth/wechat/bind?code=333333')).toMatchObject({ success: true, message: '' });
    expect((await client.get('/api/oauth/wechat?code=444444')).data.username).toBe('mei');
    await desk.save({ WeChatServerToken: 'wrong' });
    expect(await client.get('/api/oauth/wechat?code=1')).toMatchObject({ success: false, message: '令牌无效' });
    await desk.save({ WeChatAuthEnabled: 'false' });
    expect(await client.get('/api/oauth/wechat?code=1')).toMatchObject({ message: '管理员未开启通过微信登录以及注册' });
    expect(await desk.app.anonymous().get('/api/oauth/wechat/bind?code=1')).toMatchObject({ status: 401 });
  });

  it('WeChat and Telegram: a foreign page signs nobody in', async () => {
    await using desk = await createSignInDesk(engine);
    desk.services.weChatCodes.set('123456', 'openid-1');
    const foreign: Record<string, string>[] = [{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'none' }, {}];
    for (const headers of foreign) {
      const refused = { status: 403, code: 'foreign_page_refused' };
      expect(await desk.app.anonymous().get('/api/oauth/wechat?code=123456', { headers })).toMatchObject(refused);
      expect(await desk.app.anonymous().get('/api/oauth/telegram/login?id=1', { headers })).toMatchObject(refused);
    }
    const own = { headers: { 'sec-fetch-site': 'same-origin' } };
    expect(await desk.app.anonymous().get('/api/oauth/wechat?code=123456', own)).toMatchObject({ success: true });
  });

  it('Telegram: binds by what it signs, then opens that account, and no other', async () => {
    await using desk = await createSignInDesk(engine);
    const { services } = desk;
    const query = (values: Record<string, string>) => new URLSearchParams(values).toString();
    const guest = desk.app.anonymous();
    guest.setUser(-1);
    const signed = () => services.telegram({ id: '99', first_name: '林 & Co', username: 'lin' });
    expect(await guest.get(`/api/oauth/telegram/login?${query(signed())}`)).toMatchObject({ message: '该 Telegram 账户未绑定' });
    desk.app.clock.advance(1000);
    const mei = await member(desk, 'mei');
    expect(await mei.get(`/api/oauth/telegram/bind?${query(signed())}&lang=zh`)).toMatchObject({ success: true });
    desk.app.clock.advance(1000);
    const answer = signed();
    expect((await guest.get(`/api/oauth/telegram/login?${query(answer)}`)).data).toMatchObject({ username: 'mei', telegram_id: '99' });
    // A second time the same answer counts as a stolen copy.
    expect(await guest.get(`/api/oauth/telegram/login?${query(answer)}`)).toMatchObject({ message: '无效的请求' });
    desk.app.clock.advance(1000);
    expect(await (await member(desk, 'ana')).get(`/api/oauth/telegram/bind?${query(signed())}`)).toMatchObject({
      message: '该 Telegram 账户已被绑定',
    });
    // The widget itself opens the address.
    desk.app.clock.advance(1000);
    const widget = await member(desk, 'widget');
    widget.setUser(null);
    const opened = await widget.get(`/api/oauth/telegram/bind?${query(services.telegram({ id: '100' }))}`, {
      headers: { 'sec-fetch-site': 'same-origin' },
    });
    expect(opened).toMatchObject({ status: 302, headers: { location: '/setting' } });
  });

  it.each([
    ['changed', (fields: Record<string, string>) => ({ ...fields, id: '2' })],
    ['unsigned', ({ hash: _hash, ...fields }: Record<string, string>) => fields],
    ['of another kind', (fields: Record<string, string>) => ({ ...fields, hash: 'ff' })],
    ['with a name added', (fields: Record<string, string>) => ({ ...fields, last_name: 'x' })],
  ])('Telegram: an answer that is %s is refused', async (_what, change) => {
    await using desk = await createSignInDesk(engine);
    const guest = desk.app.anonymous();
    guest.setUser(-1);
    const changed = Object.entries<string | undefined>(change(desk.services.telegram({ id: '1' })));
    const query = new URLSearchParams(changed.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
    expect(await guest.get(`/api/oauth/telegram/login?${query.toString()}`)).toMatchObject({ success: false, message: '无效的请求' });
  });

  it('Telegram: what it signed is not read as if it were cut at other places', async () => {
    await using desk = await createSignInDesk(engine);
    await desk.app.createUser({ username: 'victim', telegram_id: '7', telegram_subject: '7' });
    const guest = desk.app.anonymous();
    guest.setUser(-1);
    // Who has number 42 has chosen a name of several lines.
    const { hash = '', auth_date = '' } = desk.services.telegram({ id: '42', first_name: 'x\nid=7\nlast_name=y', username: 'u' });
    const recut = new URLSearchParams({ auth_date, first_name: 'x', id: '7', last_name: 'y\nid=42', username: 'u', hash });
    expect(await guest.get(`/api/oauth/telegram/login?${recut.toString()}`)).toMatchObject({ success: false, message: '无效的请求' });
  });

  it('Telegram: an old answer is refused; banned and switched off are said', async () => {
    await using desk = await createSignInDesk(engine);
    const { services } = desk;
    const guest = desk.app.anonymous();
    guest.setUser(-1);
    const login = async (fields: Record<string, string>) =>
      (await guest.get(`/api/oauth/telegram/login?${new URLSearchParams(services.telegram(fields)).toString()}`)).message;
    const before = String(Math.floor(desk.app.clock.now() / 1000) - 601);
    expect(await login({ id: '1', auth_date: before })).toBe('无效的请求');
    expect(await login({ id: '1', auth_date: String(Number(before) + 1000) })).toBe('无效的请求');
    await desk.app.createUser({ username: 'banned', telegram_id: '1', telegram_subject: '1', status: 2 });
    expect(await login({ id: '1' })).toBe('用户已被封禁');
    await desk.save({ TelegramOAuthEnabled: 'false' });
    expect(await login({ id: '1' })).toBe('管理员未开启通过 Telegram 登录以及注册');
    expect(await guest.post('/api/oauth/start', { provider: 'telegram' })).toMatchObject({ success: false, code: 'telegram_disabled' });
  });

  it('Telegram by redirect: the answer counts in the browser that asked, for what it asked', async () => {
    await using desk = await createSignInDesk(engine);
    const answerOf = (back: URL): string => {
      const packed = /tgAuthResult=(.+)$/.exec(back.hash)?.[1] ?? '';
      const fields: Record<string, unknown> = JSON.parse(Buffer.from(packed, 'base64url').toString());
      return new URLSearchParams([
        ...Object.entries(fields).map(([name, value]) => [name, String(value)]),
        ...back.searchParams.entries(),
      ]).toString();
    };
    const mei = await member(desk, 'mei');
    const url = await startSignIn(mei, 'telegram');
    expect(url.searchParams.get('bot_id')).toBe('7000001');
    const bound = answerOf(await agree(url));
    const stranger = await member(desk, 'stranger');
    expect(await stranger.get(`/api/oauth/telegram/bind?${bound}`)).toMatchObject({ status: 403, code: 'state_mismatch' });
    expect(await mei.get(`/api/oauth/telegram/bind?${bound}`)).toMatchObject({ success: true });
    desk.app.clock.advance(1000);
    const guest = desk.app.anonymous();
    guest.setUser(-1);
    const back = answerOf(await agree(await startSignIn(guest, 'telegram')));
    // A sign-in is no binding.
    const ana = await member(desk, 'ana');
    expect(await ana.get(`/api/oauth/telegram/bind?${back}`)).toMatchObject({ code: 'state_mismatch' });
    expect((await guest.get(`/api/oauth/telegram/login?${back}`)).data).toMatchObject({ username: 'mei' });
  });
});
