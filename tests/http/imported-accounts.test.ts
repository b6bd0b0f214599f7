// Accounts of other gateways: their password hashes, names and balances, as a person meets them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importedNameFields, importedUsername } from '#server/accounts/imported-names.ts';
import { importedPasswordHash } from '#server/accounts/imported-passwords.ts';
import { foldName } from '#server/accounts/folded-name.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { audit } from '#server/money/audit.ts';
import { engines } from '#tests/support/engines.ts';
import { buildUserRecord, fastHash } from '#tests/support/build.ts';
import { createToken } from '#tests/support/build-token.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';
import { testPassword } from '#tests/support/test-app.ts';

const decomposed = 'cafe\u0301-12345';
/** [hash as the other program stores it, password, password that is wrong] */
const hashes = [
  // Written by new-api and one-api, cost 10.
  ['$2a$10$KcOdbg3yrWlsVnB2j/onoeiimAm/1C3GOuTd8s/42EJDCdRKHp/3a', '12345678', '12345679'],
  // By libxcrypt: of text that is not in NFC, and of 72 bytes, behind which nothing counts.
  ['$2y$05$abcdefghijklmnopqrstuunQ4vPMpLHkn3isVnbNgGB2dhkllcOR.', decomposed, 'cafe-12345'],
  ['$2b$04$abcdefghijklmnopqrstuubzadhGtS2zEF.gu0yd0opP6cVzb.e0i', `${'x'.repeat(72)}-and-more`, 'x'.repeat(71)],
  // LiteLLM's three.
  ['scrypt:YV7zXzDkm0guFcrnUAcgHhW3+l9fpeBMpb3Mrp/xGS0TKrkGJSYpOcw/KhmQzYMv', 'pass-bruno-1234', 'pass-cleo-1234'],
  ['pbkdf2:AAECAwQFBgcICQoLDA0OD4GALM0aasVcQIEL08BGyOYtXUX+1lZbQqXly2VrGnE7', 'pass-pbkdf2-1234', 'pass-pbkdf2-1235'],
  ['9dd64b7de7f1f9339f5e58406bdb07c2c77edfef885b842a630c87f4a8824063', 'old-pass', 'old-pass '],
] as const;

describe.each(engines)('imported accounts on $kind', (engine) => {
  let scene: RelayScene;
  let admin: TestClient;
  let lastId = 1000;
  beforeAll(async () => {
    scene = await createScene(engine);
    admin = await scene.app.setup();
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  /** As an importer stores it: the folded name only if no other account has it. */
  async function moveIn(name: string, fields: Partial<UserRecord> = {}): Promise<UserRecord> {
    const users = scene.app.context.db.collection('users');
    const username = importedUsername(name);
    if (username === null) throw new Error(`${name} cannot be a name`);
    const folded = foldName(username);
    const taken = (await users.first({ username_folded: folded })) === null ? [] : [folded];
    lastId += 1;
    const { username_folded: _, ...record } = buildUserRecord({ id: lastId, password_hash: fastHash(testPassword), ...fields });
    const user = { ...record, ...importedNameFields(username, new Set(taken)) };
    await users.insert(user);
    return user;
  }
  const signIn = (username: string, password = testPassword) => scene.app.anonymous().post('/api/user/login', { username, password });
  const hashOf = async ({ id }: UserRecord) => (await scene.app.context.db.collection('users').get(id))?.password_hash;

  it.each(hashes)('a password is accepted by the hash %s, which ours replaces then', async (hash, password, wrong) => {
    const password_hash = importedPasswordHash(hash) ?? '';
    const user = await moveIn(`hash ${lastId}`, { password_hash });
    expect(await signIn(user.username, wrong)).toMatchObject({ success: false, code: 'login_failed' });
    expect(await hashOf(user)).toBe(password_hash);
    const answer = await signIn(user.username, password);
    expect(answer).toMatchObject({ success: true, data: { id: user.id } });
    expect(JSON.stringify(answer.body)).not.toContain(password_hash);
    expect(await hashOf(user)).toMatch(/^scrypt\$15\$/);
    expect(await signIn(user.username, wrong)).toMatchObject({ success: false });
    expect(await signIn(user.username, password.normalize('NFC'))).toMatchObject({ success: true });
  });

  it('a hash that cannot be used is none', async () => {
    for (const text of ['', 'in clear', '$2a$31$' + 'a'.repeat(53), '$2a$10$short', 'scrypt:AAAA', 'pbkdf2:', 'md5:x']) {
      expect(importedPasswordHash(text), text).toBeNull();
    }
    const user = await moveIn('unusable', { password_hash: '$2a$31$' + 'a'.repeat(53) });
    expect(await signIn(user.username)).toMatchObject({ success: false, code: 'login_failed' });
  });

  it('names may be long, be addresses, and differ from another by case only; new ones may not', async () => {
    const long = `${'n'.repeat(60)}漢字-1`;
    const [address, lower, upper] = ['bruno.very.long@example.com', 'mallory', 'MALLORY'];
    expect([importedUsername(`${long}x`), importedUsername(' ')]).toEqual([null, null]);
    const users = [];
    for (const name of [long, address, lower, upper]) users.push(await moveIn(name));
    for (const user of users) {
      expect((await signIn(user.username)).data, user.username).toMatchObject({ id: user.id });
      // Old clients send the whole record back.
      const { data: record } = await admin.get(`/api/user/${user.id}`);
      const edit = { ...record, display_name: 'renamed', quota: 5000, used_quota: 0 };
      expect(await admin.put('/api/user/', edit)).toMatchObject({
        success: true,
        data: { username: user.username, display_name: 'renamed', quota: 5000 },
      });
      const own = await scene.app.as(user);
      expect(await own.put('/api/user/self', { username: user.username, display_name: 'mine' })).toMatchObject({ success: true });
      expect(await admin.post('/api/user/manage', { id: user.id, action: 'disable' })).toMatchObject({ success: true });
    }
    const register = (username: string) => scene.app.anonymous().post('/api/user/register', { username, password: testPassword });
    expect(await register('Mallory')).toMatchObject({ success: false, code: 'username_taken' });
    expect(await register('n'.repeat(13))).toMatchObject({ success: false, code: 'invalid_input' });
    expect(await register('a@b.org')).toMatchObject({ success: false, code: 'invalid_input' });
  });

  it('an opening may be a debt: calls are refused until a credit brings the balance up, and the books balance', async () => {
    const { context } = scene.app;
    const user = await moveIn('debtor');
    const request = { account: 'user', id: user.id, ref: `import:users:${user.id}`, kind: 'import', actorId: 0 } as const;
    const opened = await context.ledger.open({ ...request, amount: -1234, used: 98_765 });
    expect(opened).toEqual({ isNew: true, amount: -1234, balance: -1234 });
    expect(await context.ledger.open({ ...request, amount: -1234, used: 98_765 })).toMatchObject({ isNew: false, balance: -1234 });
    const { token, key } = await createToken(context, user.id, { unlimited_quota: false });
    await context.ledger.open({
      ...request,
      account: 'token',
      id: token.id,
      ref: `import:tokens:${token.id}`,
      amount: 5_000_000,
      used: 77,
    });
    const stored: TokenRecord | null = await context.db.collection('tokens').get(token.id);
    expect(stored).toMatchObject({ remain_quota: 5_000_000, used_quota: 77, full_mark: 5_000_000 });
    expect(stored?.charged_quota ?? 0).toBe(0);

    const call = () => scene.chat({}, { authorization: `Bearer ${key}` });
    const refused = await call();
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('insufficient_user_quota')]);
    const own = await scene.app.as(user);
    expect((await own.get('/api/user/self')).data).toMatchObject({ quota: -1234, used_quota: 98_765, full_mark: 0 });
    expect((await own.get('/api/user/topup/history')).data.items).toMatchObject([{ kind: 'import', amount: -1234 }]);
    await context.ledger.change({ ...request, ref: 'top-up of the debtor', kind: 'topup', amount: 5_001_234 });
    expect((await call()).status).toBe(200);
    await context.ledger.idle(5000);
    const after = await context.db.collection('users').get(user.id);
    expect(after?.used_quota).toBeGreaterThan(98_765);
    expect((await audit(context.db)).findings).toEqual([]);
  });
});
