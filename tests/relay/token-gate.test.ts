// The gate's memory of keys: strangers choose them, so their requests must not make it grow.
import { describe, expect, test } from 'vitest';
import { createTokenGate, type TokenGate } from '#server/call/admission/token-gate.ts';
import { createToken } from '#tests/support/build-token.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { createTestApp } from '#tests/support/test-app.ts';

const admit = async (gate: TokenGate, authorization: string) => gate.admit({ headers: new Headers({ authorization }), url: '/v1/models' });
const codeOf = (gate: TokenGate, authorization: string) =>
  admit(gate, authorization).then(
    () => undefined,
    (failure: { code?: string }) => failure.code,
  );

describe.each(oneEngine)('the token gate on $kind', (engine) => {
  test('a key is found in every header and in the address, and in the address of a task it is not looked for', async () => {
    await using app = await createTestApp(engine);
    const { key } = await createToken(app.context, (await app.createUser()).id);
    const list = async (query: string, headers: Record<string, string> = {}, path = '/v1/models') =>
      (await fetch(`${app.origin}${path}${query}`, { headers })).status;
    for (const name of ['x-api-key', 'api-key', 'x-goog-api-key', 'mj-api-secret']) expect(await list('', { [name]: key }), name).toBe(200);
    expect(await list(`?pageSize=1&key=${key}`)).toBe(200);
    expect(await list('?key=sk-nobody')).toBe(401);
    expect(await list(`?key=sk-nobody`, { authorization: `Bearer ${key}` })).toBe(200);
    expect(await list(`?key=${key}`, {}, '/mj/task/1/fetch')).toBe(401);
  });

  test('however a key is spelled and whatever is appended to it, it is kept once', async () => {
    await using app = await createTestApp(engine);
    const user = await app.createUser({ role: 10 });
    const { key } = await createToken(app.context, user.id);
    const gate = createTokenGate(app.context);
    for (let count = 0; count < 200; count += 1) {
      await admit(gate, `${count % 2 === 0 ? 'Bearer' : 'bearer'} ${' '.repeat(count)}${key}`);
      const pinned = await admit(gate, `${key}-${count}-${'x'.repeat(5_000)}`);
      expect(pinned.pinnedChannel).toBe(count);
    }
    expect((await admit(gate, key)).pinnedChannel).toBeUndefined();
    expect(gate.size).toBe(1);
    gate.stop();
  });

  test('keys that do not exist are forgotten, and too long ones are not looked up', async () => {
    await using app = await createTestApp(engine);
    const gate = createTokenGate(app.context);
    for (let count = 0; count < 1_500; count += 1) expect(await codeOf(gate, `sk-nobody${count}`)).toBe('key_invalid');
    expect(gate.size).toBeLessThanOrEqual(1_000);
    const before = gate.size;
    expect(await codeOf(gate, `Bearer sk-${'x'.repeat(15_000)}`)).toBe('key_invalid');
    expect(gate.size).toBe(before);
    gate.stop();
  });

  test('a deleted key is refused at once, and works at once when its deletion is taken back', async () => {
    await using app = await createTestApp(engine);
    const user = await app.createUser();
    const client = await app.as(user);
    const gate = createTokenGate(app.context);
    const { token, key } = await createToken(app.context, user.id);
    expect(await codeOf(gate, key)).toBeUndefined();
    await client.post('/api/token/batch', { ids: [token.id] });
    expect(await codeOf(gate, key)).toBe('key_invalid');
    await client.post('/api/token/restore', { ids: [token.id] });
    expect(await codeOf(gate, key)).toBeUndefined();
    gate.stop();
  });

  test('a key that was refused works as soon as it exists', async () => {
    await using app = await createTestApp(engine);
    const user = await app.createUser();
    const gate = createTokenGate(app.context);
    const { token, key } = await createToken(app.context, user.id);
    await app.context.db.collection('tokens').remove({ id: token.id });
    expect(await codeOf(gate, key)).toBe('key_invalid');
    await app.context.db.collection('tokens').insert(token);
    await app.context.changes.announce('token', token.id);
    expect(await codeOf(gate, key)).toBeUndefined();
    gate.stop();
  });

  test('what was read while the key was edited is used once and not kept', async () => {
    await using app = await createTestApp(engine);
    const user = await app.createUser();
    const { token, key } = await createToken(app.context, user.id);
    const gate = createTokenGate(app.context);
    const reading = admit(gate, key);
    expect(gate.size).toBe(1);
    await app.context.changes.announce('token', token.id);
    expect((await reading).token.id).toBe(token.id);
    expect(gate.size).toBe(0);
    await admit(gate, key);
    expect(gate.size).toBe(1);
    gate.stop();
  });

  test('an edit of a user drops all of their keys and nobody else’s', async () => {
    await using app = await createTestApp(engine);
    const [user, other] = [await app.createUser(), await app.createUser()];
    const gate = createTokenGate(app.context);
    const keys = [
      await createToken(app.context, user.id),
      await createToken(app.context, user.id),
      await createToken(app.context, other.id),
    ];
    for (const { key } of keys) await admit(gate, key);
    expect(gate.size).toBe(3);
    await app.context.changes.announce('user', user.id);
    expect(gate.size).toBe(1);
    const [, second] = keys;
    await admit(gate, second?.key ?? '');
    await app.context.changes.announce('token', second?.token.id ?? 0);
    expect(gate.size).toBe(1);
    gate.stop();
  });

  test('a key that is gone is refused for what it was, a disabled owner for what they are', async () => {
    await using app = await createTestApp(engine);
    const user = await app.createUser();
    const { token, key } = await createToken(app.context, user.id);
    const gate = createTokenGate(app.context);
    await admit(gate, key);
    await app.context.db.collection('users').patch({ id: user.id }, { set: { status: 2 } });
    await app.context.changes.announce('user', user.id);
    expect(await codeOf(gate, key)).toBe('user_banned');
    await app.context.db.collection('tokens').remove({ id: token.id });
    await app.context.changes.announce('token', token.id);
    expect(await codeOf(gate, key)).toBe('key_invalid');
    expect(await codeOf(gate, `${key}-7`)).toBe('key_invalid');
    gate.stop();
  });
});
