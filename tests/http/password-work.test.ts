import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashPassword, ownerSource, passwordWork, strangerSource, verifyPassword } from '#server/accounts/password.ts';
import type { Source } from '#server/queues/fair-queue.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { createTestApp, type TestApp, testPassword } from '#tests/support/test-app.ts';
import { until } from '#tests/support/until.ts';

const tooMany = { status: 429, success: false, code: 'rate_limited', headers: { 'retry-after': expect.stringMatching(/^\d+$/) } };

/** Takes every turn until released. */
function hold(): () => Promise<void> {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const work: Promise<unknown>[] = [];
  while (passwordWork.waiting === 0) work.push(passwordWork.run('held', () => held));
  return async () => {
    release();
    await Promise.all(work);
  };
}

/** Takes every turn and every slot of `source` until released. */
function occupy(source: Source | string): () => Promise<void> {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const work: Promise<unknown>[] = [];
  for (let turn = passwordWork.running; turn < 8; turn += 1) work.push(passwordWork.run(`other:${turn}`, () => held));
  for (let place = 0; place < 12; place += 1) work.push(passwordWork.run(source, () => held));
  return async () => {
    release();
    await Promise.all(work);
  };
}

describe.each(oneEngine)('the work of passwords on $kind', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine, { env: { TRUSTED_PROXIES: '127.0.0.1' } });
    await app.setup();
  });
  afterAll(() => app.close());

  it('four hundred changes of one account at once are few, and hold up nobody else', async () => {
    const caller = await app.as(await app.createUser());
    const other = await app.createUser();
    let most = 0;
    const changes = Array.from({ length: 400 }, async (_, index) => {
      const answer = await caller.put('/api/user/self', { password: `new-password-${index}` });
      most = Math.max(most, passwordWork.running);
      return answer;
    });
    const login = await app.login(other.username);
    const waitingThen = passwordWork.waiting;
    const answers = await Promise.all(changes);
    expect(login.userId).toBe(other.id);
    expect(waitingThen).toBeLessThanOrEqual(12);
    expect(most).toBeLessThanOrEqual(2);
    const done = answers.filter(({ success }) => success);
    expect(done.length).toBeGreaterThan(0);
    expect(done.length).toBeLessThanOrEqual(10);
    for (const answer of answers.filter(({ success }) => !success)) expect(answer).toMatchObject(tooMany);
  });

  it('who comes when all places of the address are taken is told so, whether the name exists or not', async () => {
    const user = await app.createUser();
    const free = occupy(strangerSource('127.0.0.1'));
    try {
      const known = await app.anonymous().post('/api/user/login', { username: user.username, password: testPassword });
      const unknown = await app.anonymous().post('/api/user/login', { username: 'nobody', password: testPassword });
      expect(known).toMatchObject(tooMany);
      expect(unknown).toMatchObject(tooMany);
      expect(unknown.body).toEqual(known.body);
    } finally {
      await free();
    }
    expect(await app.login(user.username)).toMatchObject({ userId: user.id });
  });

  describe('when a crowd tries passwords', () => {
    const logIn = (ip: string, username: string, password = testPassword) =>
      app.anonymous().post('/api/user/login', { username, password }, { headers: { 'x-forwarded-for': ip } });
    const done = { status: 200, success: true };

    it('from one network of many networks, strangers elsewhere still have places', async () => {
      const user = await app.createUser();
      const release = hold();
      let refused = 0;
      const crowd = Array.from({ length: 150 }, async (_, index) => {
        const answer = await logIn(`2001:db8:1:${index.toString(16)}::1`, `nobody${index}`);
        if (answer.status === 429) refused += 1;
      });
      await until(() => refused === 130);
      const waitingThen = passwordWork.waiting;
      const others = [logIn('198.51.100.7', user.username), logIn('2001:db8:2::1', user.username)];
      await until(() => passwordWork.waiting === waitingThen + others.length);
      await release();
      for (const answer of await Promise.all(others)) expect(answer).toMatchObject(done);
      await Promise.all(crowd);
      expect(refused).toBe(130);
    });

    it('from everywhere, owners of accounts still have theirs', async () => {
      const user = await app.createUser();
      const known = '203.0.113.7';
      expect(await logIn(known, user.username)).toMatchObject(done);
      const caller = await app.as(user);
      const release = hold();
      let lost = 0;
      const crowd = Array.from({ length: 200 }, (_, index) =>
        passwordWork.run(strangerSource(`198.18.${index}.1`), async () => {}).catch(() => (lost += 1)),
      );
      await until(() => passwordWork.waiting === 60);
      expect(await logIn('192.0.2.7', user.username)).toMatchObject(tooMany);
      const lostThen = lost;
      const login = logIn(known, user.username);
      await until(() => lost === lostThen + 1);
      const change = caller.put('/api/user/self', { password: 'another-one', original_password: testPassword });
      await until(() => lost === lostThen + 2);
      await release();
      expect(await login).toMatchObject(done);
      expect(await change).toMatchObject(done);
      await Promise.all(crowd);
    });
  });

  it('registrations and administrators wait in the same queue', async () => {
    const root = await app.login('root');
    const free = occupy(strangerSource('127.0.0.1'));
    const freeRoot = occupy(ownerSource(Number(root.userId)));
    try {
      const fields = { username: 'late', password: testPassword };
      expect(await app.anonymous().post('/api/user/register', fields)).toMatchObject(tooMany);
      expect(await root.post('/api/user/', { ...fields, display_name: 'late' })).toMatchObject(tooMany);
      expect(await root.put('/api/user/', { id: root.userId, password: 'another-one' })).toMatchObject(tooMany);
    } finally {
      await Promise.all([free(), freeRoot()]);
    }
  });
});

it('an unknown user costs as much as a known one', async () => {
  const stored = await hashPassword('a-password', 'test');
  const started: string[] = [];
  const release = occupy('elsewhere');
  const known = verifyPassword('wrong', stored, 'known').then(() => started.push('known'));
  const unknown = verifyPassword('wrong', null, 'unknown').then(() => started.push('unknown'));
  expect(passwordWork.waiting).toBeGreaterThanOrEqual(2);
  expect(started).toEqual([]);
  await Promise.all([release(), known, unknown]);
  expect(started.sort()).toEqual(['known', 'unknown']);
});
