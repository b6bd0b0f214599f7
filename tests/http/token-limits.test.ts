import { describe, expect, it, vi } from 'vitest';
import { TokenStatus } from '#shared/tokens.ts';
import type { Write } from '#server/db/database.ts';
import { engines } from '#tests/support/engines.ts';
import { createToken } from '#tests/support/build-token.ts';
import { useTokenDesk } from '#tests/support/token-desk.ts';

describe.each(engines)('limits of tokens on $kind', (engine) => {
  const desk = useTokenDesk(engine);
  const { someone, createOne } = desk;
  const setLimit = async (value: number) =>
    expect(await desk.admin.put('/api/option/', { key: 'MaxTokensPerUser', value })).toMatchObject({ success: true });
  const full = { status: 200, success: false, code: 'token_limit_reached', message: '令牌数量已达上限，最多 5 个' };

  it('a user has so many tokens and no more, however many calls ask at once', async () => {
    await setLimit(5);
    const client = await someone();
    const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => client.post('/api/token/', { name: `t${index}` })));
    expect(answers.filter(({ success }) => success)).toHaveLength(5);
    for (const refused of answers.filter(({ success }) => !success)) expect(refused).toMatchObject(full);
    expect((await client.get('/api/token/')).data).toHaveLength(5);
    expect(await client.post('/api/token/', { name: 'many', count: 3 })).toMatchObject(full);
    // Others are not concerned.
    expect(await (await someone()).post('/api/token/', { name: 'many', count: 5 })).toMatchObject({ success: true });
  });

  it('a deleted token makes room, but nobody fills the table by deleting and creating', async () => {
    await setLimit(5);
    const client = await someone();
    const created: number[] = [];
    for (let round = 0; round < 10; round += 1) {
      const token = await createOne(client, { name: `t${round}` });
      created.push(token.id);
      await client.delete(`/api/token/${token.id}/`);
    }
    expect(await client.post('/api/token/', { name: 'eleventh' })).toMatchObject({
      status: 429,
      code: 'rate_limited',
      headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
    });
    expect(new Set(created).size).toBe(10);
  });

  it('batches that are refused count for nothing: what is left of the day can still be made', async () => {
    await setLimit(5);
    const client = await someone();
    const make = async (count: number) => {
      const answer = await client.post('/api/token/', { name: 'batch', count });
      if (answer.success) await client.post('/api/token/batch', { ids: answer.data.map(({ id }: { id: number }) => id) });
      return answer;
    };
    for (const count of [4, 4]) expect(await make(count)).toMatchObject({ success: true });
    for (const count of [3, 5, 4]) expect(await make(count)).toMatchObject({ status: 429, code: 'rate_limited' });
    expect(await make(2)).toMatchObject({ success: true });
    expect(await make(1)).toMatchObject({ status: 429, code: 'rate_limited' });
  });

  it('a deletion is not taken back where others have taken the room, however many calls ask at once', async () => {
    await setLimit(5);
    const client = await someone();
    const list = async () => (await client.get('/api/token/')).data;
    const first = (await client.post('/api/token/', { name: 'first', count: 5 })).data.map(({ id }: { id: number }) => id);
    expect(await client.post('/api/token/batch', { ids: first })).toMatchObject({ success: true });
    const second = (await client.post('/api/token/', { name: 'second', count: 5 })).data.map(({ id }: { id: number }) => id);
    expect(await client.post('/api/token/restore', { ids: first })).toMatchObject(full);
    expect(await list()).toHaveLength(5);
    // Existing tokens do not count against the limit again.
    expect(await client.post('/api/token/restore', { ids: second })).toMatchObject({ success: true, data: 0 });
    await client.post('/api/token/batch', { ids: second.slice(0, 3) });
    expect(await client.post('/api/token/restore', { ids: first })).toMatchObject(full);
    expect(await list()).toHaveLength(2);
    const answers = await Promise.all(first.map((id: number) => client.post('/api/token/restore', { ids: [id] })));
    expect(answers.filter(({ success }) => success)).toHaveLength(3);
    expect(await list()).toHaveLength(5);
  });

  it('who has more than the limit from before keeps them and can use and edit them', async () => {
    await setLimit(100);
    const client = await someone();
    const tokens = (await client.post('/api/token/', { name: 'old', count: 7 })).data;
    await setLimit(5);
    expect(await client.post('/api/token/', { name: 'new' })).toMatchObject(full);
    expect(await client.put('/api/token/', { id: tokens[0].id, name: 'renamed' })).toMatchObject({ success: true });
    expect((await client.get('/api/token/')).data).toHaveLength(7);
    expect(
      (await client.get('/api/token/search?keyword=old')).data.every(({ status }: { status: number }) => status === TokenStatus.exhausted),
    ).toBe(true);
  });

  it('changes of quota, which the ledger keeps for ever, are limited, and nothing is stored of one too many', async () => {
    await setLimit(5);
    const client = await someone();
    const token = await createOne(client, { unlimited_quota: false, remain_quota: 10 });
    const limits = desk.app.context.db.collection('limits');
    const usedUp = { count: 1000, reset_at: desk.app.context.now() + 60_000 };
    const key = `token-quota:${client.userId}`;
    await limits.patch({ id: key }, { set: usedUp }, { insertIfMissing: { id: key, ...usedUp } });
    expect(await client.put('/api/token/', { id: token.id, name: 'renamed', remain_quota: 20 })).toMatchObject({
      status: 429,
      code: 'rate_limited',
      headers: { 'retry-after': '60' },
    });
    expect(await desk.record(token.id)).toMatchObject({ name: 'key', revision: token.revision });
    // Who sends the same amount back changes none.
    expect(await client.put('/api/token/', { id: token.id, name: 'renamed', remain_quota: 10 })).toMatchObject({ success: true });
  });

  it('a search looks at few tokens at a time, whatever there are', async () => {
    const { context } = desk.app;
    const user = await desk.app.createUser();
    const { token, key } = await createToken(context, user.id, { name: 'wanted' });
    const copies = Array.from({ length: 1500 }, (_, index): Write => {
      const id = 1_000_000 * user.id + index;
      return {
        insert: {
          ...token,
          id,
          name: `copy ${index}`,
          key_hash: `hash ${id}`,
          key_cipher: context.secrets.encrypt('0'.repeat(48), 'token_key'),
        },
        into: 'tokens',
      };
    });
    await context.db.write(copies);
    const { decrypt } = context.secrets;
    let inThisTurn = 0;
    let most = 0;
    vi.spyOn(context.secrets, 'decrypt').mockImplementation((cipher, purpose) => {
      if (inThisTurn === 0) setImmediate(() => (inThisTurn = 0));
      inThisTurn += 1;
      most = Math.max(most, inThisTurn);
      return decrypt(cipher, purpose);
    });
    const answer = await (await desk.app.as(user)).get(`/api/token/search?token=${key}`);
    expect(answer.data).toMatchObject([{ id: token.id, name: 'wanted' }]);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(51);
    // One user's searches are not everybody's wait.
    const client = await desk.app.as(user);
    const searches = await Promise.all(Array.from({ length: 30 }, () => client.get(`/api/token/search?token=${key}`)));
    expect(searches.some(({ status, code }) => status === 429 && code === 'rate_limited')).toBe(true);
    expect(searches.filter(({ success }) => success).length).toBeGreaterThan(0);
    vi.restoreAllMocks();
  });
});
