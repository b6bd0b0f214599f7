import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashPassword, passwordWork, verifyPassword } from '#server/accounts/password.ts';
import { engines } from '#tests/support/engines.ts';
import { createTestApp, testPassword } from '#tests/support/test-app.ts';
import type { TestApp } from '#tests/support/test-app.ts';

const tooMany = { status: 429, success: false, code: 'rate_limited', headers: { 'retry-after': expect.stringMatching(/^\d+$/) } };

/** Takes every turn and every place of `source` until told to let go. */
function occupy(source: string): () => Promise<void> {
  let letGo = () => {};
  const held = new Promise<void>((resolve) => (letGo = resolve));
  const work: Promise<unknown>[] = [];
  for (let turn = passwordWork.running; turn < 8; turn += 1) work.push(passwordWork.run(`other:${turn}`, () => held));
  for (let place = 0; place < 12; place += 1) work.push(passwordWork.run(source, () => held));
  return async () => {
    letGo();
    await Promise.all(work);
  };
}

describe.each(engines)('the work of passwords on $kind', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
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
    const free = occupy('address:127.0.0.1');
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

  it('registrations and administrators wait in the same queue', async () => {
    const root = await app.login('root');
    const free = occupy('address:127.0.0.1');
    const freeRoot = occupy(`user:${root.userId}`);
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
  const letGo = occupy('elsewhere');
  const known = verifyPassword('wrong', stored, 'known').then(() => started.push('known'));
  const unknown = verifyPassword('wrong', null, 'unknown').then(() => started.push('unknown'));
  expect(passwordWork.waiting).toBeGreaterThanOrEqual(2);
  expect(started).toEqual([]);
  await Promise.all([letGo(), known, unknown]);
  expect(started.sort()).toEqual(['known', 'unknown']);
});
