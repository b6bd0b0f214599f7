// A key renewed in place: whatever is known of the token stays, programs have time to take the new secret.
import { describe, expect, it } from 'vitest';
import { createTokenGate, type TokenGate } from '#server/call/admission/token-gate.ts';
import { engines } from '#tests/support/engines.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import { useTokenDesk } from '#tests/support/token-desk.ts';
import { until } from '#tests/support/until.ts';
import { watchReads } from '#tests/support/watched-database.ts';

const hour = 3600;

describe.each(engines)('renewed tokens on $kind', (engine) => {
  const desk = useTokenDesk(engine);
  const { someone, createOne, record } = desk;
  const statusOf = async (key: string, origin = desk.app.origin) =>
    (await fetch(`${origin}/v1/models`, { headers: { authorization: `Bearer sk-${key}` } })).status;
  const codeOf = async (gate: TokenGate, key: string) => {
    try {
      await gate.admit({ headers: new Headers({ authorization: `Bearer sk-${key}` }), url: '/v1/models' });
      return undefined;
    } catch (failure) {
      return (failure as { code?: string }).code;
    }
  };

  it('gets a new secret and keeps id, name, balance and use; the old one is accepted until its time', async () => {
    const client = await someone();
    const before = await createOne(client, { name: 'night watch', unlimited_quota: false, remain_quota: 900 });
    const gate = createTokenGate(desk.app.context);
    expect(await codeOf(gate, before.key)).toBeUndefined();
    const requested = Math.floor(desk.app.clock.now() / 1000);
    const { data: renewed } = await client.post(`/api/token/${before.id}/renew`, { old_key_seconds: hour, revision: before.revision });
    const endsAt = renewed.old_key_until;
    expect(endsAt).toBeGreaterThanOrEqual(requested + hour);
    expect(endsAt).toBeLessThanOrEqual(desk.app.clock.now() / 1000 + hour);
    expect(renewed).toEqual({ ...before, key: renewed.key, old_key_until: endsAt, revision: before.revision + 1 });
    expect(renewed.key).toMatch(/^[0-9a-zA-Z]{48}$/);
    expect(renewed.key).not.toBe(before.key);
    expect(JSON.stringify(await record(before.id))).not.toContain(renewed.key);
    for (const key of [before.key, renewed.key]) expect([await codeOf(gate, key), await statusOf(key)]).toEqual([undefined, 200]);
    expect((await client.get('/api/token/')).data[0]).toMatchObject({ key: renewed.key, old_key_until: endsAt });

    desk.app.clock.advance((hour / 2) * 1000);
    expect(await codeOf(gate, before.key)).toBeUndefined();
    desk.app.clock.advance((hour / 2) * 1000);
    // Also where it was seen a moment ago.
    expect([await codeOf(gate, before.key), await statusOf(before.key)]).toEqual(['key_replaced', 401]);
    expect([await codeOf(gate, renewed.key), await statusOf(renewed.key)]).toEqual([undefined, 200]);
    expect((await client.get(`/api/token/${before.id}`)).data.old_key_until).toBe(0);
    gate.stop();
  });

  it('lets the old secret end at once, and later when asked to', async () => {
    const client = await someone();
    const now = await createOne(client);
    expect((await client.post(`/api/token/${now.id}/renew`, { old_key_seconds: 0, revision: 1 })).data.old_key_until).toBe(0);
    expect(await statusOf(now.key)).toBe(401);

    const later = await createOne(client);
    const { data: renewed } = await client.post(`/api/token/${later.id}/renew`, { old_key_seconds: 7 * 24 * hour, revision: 1 });
    expect(await statusOf(later.key)).toBe(200);
    const ended = await client.delete(`/api/token/${later.id}/old_key`);
    expect(ended).toMatchObject({ success: true, data: { old_key_until: 0, revision: 3 } });
    expect(ended.data.key).not.toBe(renewed.key);
    expect([await statusOf(later.key), await statusOf(renewed.key)]).toEqual([401, 200]);
    // Nothing is left to end.
    expect(await client.delete(`/api/token/${later.id}/old_key`)).toMatchObject({ success: true, data: { revision: 3 } });
  });

  it('is renewed once by a request that is sent twice, and earlier secrets keep their time', async () => {
    const client = await someone();
    const { id, key: first } = await createOne(client);
    const renewal = { old_key_seconds: hour, revision: 1 };
    const second = (await client.post(`/api/token/${id}/renew`, renewal)).data.key;
    const repeated = await client.post(`/api/token/${id}/renew`, renewal);
    expect(repeated).toMatchObject({ success: false, code: 'revision_conflict', data: { id, revision: 2 } });
    expect(JSON.stringify(repeated)).not.toContain(second);
    expect([await statusOf(first), await statusOf(second)]).toEqual([200, 200]);
    const third = (await client.post(`/api/token/${id}/renew`, { ...renewal, revision: 2 })).data.key;
    expect([await statusOf(first), await statusOf(second), await statusOf(third)]).toEqual([200, 200, 200]);
    const fourth = (await client.post(`/api/token/${id}/renew`, { old_key_seconds: 0, revision: 3 })).data;
    // The replaced one ends at once, the promises before it hold.
    expect(fourth).toMatchObject({ old_key_until: 0, earlier_keys_until: [expect.any(Number), expect.any(Number)] });
    const all = async () => Promise.all([first, second, third, fourth.key].map((key) => statusOf(key)));
    expect(await all()).toEqual([200, 200, 401, 200]);
    expect((await client.delete(`/api/token/${id}/old_key`)).data).toMatchObject({ old_key_until: 0, earlier_keys_until: [] });
    expect(await all()).toEqual([401, 401, 401, 200]);
  });

  it('keeps five old secrets: of more an ended one goes first, then the oldest', async () => {
    const client = await someone();
    const made = await createOne(client);
    const keys = [made.key];
    for (const seconds of [hour, 0, hour, hour, hour]) {
      const body = { old_key_seconds: seconds, revision: keys.length };
      keys.push((await client.post(`/api/token/${made.id}/renew`, body)).data.key);
    }
    const gate = createTokenGate(desk.app.context);
    const codes = () => Promise.all(keys.map((key) => codeOf(gate, key)));
    expect(await codes()).toEqual([undefined, 'key_replaced', undefined, undefined, undefined, undefined]);
    const renew = async () => {
      const body = { old_key_seconds: hour, revision: keys.length };
      const { data } = await client.post(`/api/token/${made.id}/renew`, body);
      keys.push(data.key);
      return data;
    };
    expect((await renew()).earlier_keys_until).toHaveLength(4);
    expect(await Promise.all(keys.map((key) => statusOf(key)))).toEqual([200, 401, 200, 200, 200, 200, 200]);
    expect((await renew()).earlier_keys_until).toHaveLength(4);
    expect(await Promise.all(keys.map((key) => statusOf(key)))).toEqual([401, 401, 200, 200, 200, 200, 200, 200]);
    gate.stop();
  });

  it('is renewed by its owner alone, within bounds', async () => {
    const client = await someone();
    const { id, key } = await createOne(client);
    const body = { old_key_seconds: 0, revision: 1 };
    for (const stranger of [await someone(), desk.admin]) {
      expect(await stranger.post(`/api/token/${id}/renew`, body)).toMatchObject({ success: false, code: 'not_found' });
      expect(await stranger.delete(`/api/token/${id}/old_key`)).toMatchObject({ success: false, code: 'not_found' });
    }
    expect(await desk.app.anonymous().post(`/api/token/${id}/renew`, body)).toMatchObject({ status: 401 });
    for (const wrong of [{ ...body, old_key_seconds: -1 }, { ...body, old_key_seconds: 91 * 86_400 }, { old_key_seconds: 0 }, {}]) {
      expect(await client.post(`/api/token/${id}/renew`, wrong)).toMatchObject({ success: false, code: 'invalid_field' });
    }
    expect(await statusOf(key)).toBe(200);
  });

  it('refuses both secrets once it is disabled or deleted', async () => {
    const client = await someone();
    const { id, key: old } = await createOne(client);
    const { key } = (await client.post(`/api/token/${id}/renew`, { old_key_seconds: hour, revision: 1 })).data;
    await client.put('/api/token/?status_only=1', { id, status: 2 });
    expect([await statusOf(old), await statusOf(key)]).toEqual([401, 401]);
    await client.put('/api/token/?status_only=1', { id, status: 1 });
    expect([await statusOf(old), await statusOf(key)]).toEqual([200, 200]);
    await client.delete(`/api/token/${id}`);
    expect([await statusOf(old), await statusOf(key)]).toEqual([401, 401]);
  });

  it('looks for a current key once, and for an old secret where nobody has the key now', async () => {
    const client = await someone();
    const { id, key: old } = await createOne(client);
    const { key } = (await client.post(`/api/token/${id}/renew`, { old_key_seconds: hour, revision: 1 })).data;
    const watched = watchReads(desk.app.context.db, 'tokens');
    const gate = createTokenGate({ ...desk.app.context, db: watched.db });
    const readsOf = async (one: string) => {
      const before = watched.count();
      await codeOf(gate, one);
      return watched.count() - before;
    };
    expect([await readsOf(key), await readsOf(key), await readsOf(old), await readsOf(old)]).toEqual([1, 0, 2, 0]);
    // Whether there are keys known by their SHA-256 is read once, for the first unknown key.
    await readsOf('w'.repeat(48));
    // Four indexes of earlier secrets, in one turn.
    expect([await readsOf('x'.repeat(48)), await readsOf('x'.repeat(48))]).toEqual([6, 0]);
    gate.stop();
  });

  it('has its old secret ended in other processes too', async () => {
    const client = await someone();
    await using other = await createTestApp(engine, { database: desk.app.database, clock: desk.app.clock });
    const { id, key: old } = await createOne(client);
    expect(await statusOf(old, other.origin)).toBe(200);
    const { key } = (await client.post(`/api/token/${id}/renew`, { old_key_seconds: hour, revision: 1 })).data;
    expect([await statusOf(old, other.origin), await statusOf(key, other.origin)]).toEqual([200, 200]);
    await client.delete(`/api/token/${id}/old_key`);
    await until(async () => (await statusOf(old, other.origin)) === 401);
    expect(await statusOf(key, other.origin)).toBe(200);
  });
});
