import { describe, expect, it } from 'vitest';
import { effectiveStatus } from '#server/features/tokens/token-status.ts';
import { engines } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { useTokenDesk } from '#tests/support/token-desk.ts';

describe.each(engines)('tokens: balance and status on $kind', (engine) => {
  const desk = useTokenDesk(engine);
  const { someone, createOne, record } = desk;

  describe('the balance', () => {
    /** What a settlement does to a limited token. */
    const spend = (id: number, amount: number) =>
      desk.app.context.db
        .collection('tokens')
        .patch({ id }, { increment: { remain_quota: -amount, used_quota: amount, charged_quota: amount } });

    it('an edit based on an older view loses nothing of what was spent meanwhile', async () => {
      const client = await someone();
      const { id } = await createOne(client, { unlimited_quota: false, remain_quota: 1000 });
      const { revision: _old, ...seen } = (await client.get(`/api/token/${id}`)).data;
      await spend(id, 300);
      const answer = await client.put('/api/token/', { ...seen, remain_quota: seen.remain_quota + 500 });
      expect(answer.data).toMatchObject({ remain_quota: 1200, used_quota: 300 });
      expect((await client.put('/api/token/', { ...seen, name: 'renamed' })).data).toMatchObject({ remain_quota: 700, used_quota: 300 });
    });

    it('a use that cannot have been seen gives nothing, and an edit leaves no debts', async () => {
      const client = await someone();
      const { id } = await createOne(client, { unlimited_quota: false, remain_quota: 1000 });
      await spend(id, 300);
      expect((await client.put('/api/token/', { id, remain_quota: 700, used_quota: 9_000 })).data).toMatchObject({ remain_quota: 700 });
      expect((await client.put('/api/token/', { id, remain_quota: 100, used_quota: 0 })).data).toMatchObject({ remain_quota: 0 });
    });

    it('that a call left below zero is sent back, not forgiven', async () => {
      const client = await someone();
      const { id } = await createOne(client, { unlimited_quota: false, remain_quota: 100 });
      await spend(id, 137);
      const seen = (await client.get(`/api/token/${id}`)).data;
      expect((await client.put('/api/token/', { ...seen, name: 'renamed' })).data).toMatchObject({
        name: 'renamed',
        remain_quota: -37,
        used_quota: 137,
      });
      const deeper = await client.put('/api/token/', { id, name: 'changed', remain_quota: -38 });
      expect(deeper).toMatchObject({ status: 200, code: 'invalid_field', field: 'remain_quota' });
      expect(await record(id)).toMatchObject({ name: 'renamed', remain_quota: -37 });
    });

    it('without a known use the balance is what was sent', async () => {
      const client = await someone();
      const { id } = await createOne(client, { unlimited_quota: false, remain_quota: 1000 });
      await spend(id, 300);
      expect((await client.put('/api/token/', { id, remain_quota: 50 })).data).toMatchObject({ remain_quota: 50, used_quota: 300 });
      expect((await client.put('/api/token/', { id, remain_quota: 0 })).data).toMatchObject({ remain_quota: 0, status: 4 });
    });

    it('from unlimited to limited the balance is what was sent, whatever was used before', async () => {
      const client = await someone();
      const { id } = await createOne(client);
      // What an unlimited token uses does not come from its balance.
      await desk.app.context.db.collection('tokens').patch({ id }, { increment: { used_quota: 900 } });
      const answer = await client.put('/api/token/', { id, unlimited_quota: false, remain_quota: 200, used_quota: 0 });
      expect(answer.data).toMatchObject({ unlimited_quota: false, remain_quota: 200, used_quota: 900, status: 1 });
    });

    it('counts what running processes hold of it', async () => {
      const client = await someone();
      const { id } = await createOne(client, { unlimited_quota: false, remain_quota: 1000 });
      await desk.app.context.db
        .collection('tokens')
        .patch({ id }, { set: { 'leases.elsewhere': 1000 }, increment: { remain_quota: -1000 } });
      expect((await client.get(`/api/token/${id}`)).data).toMatchObject({ remain_quota: 1000, status: 1 });
      expect((await client.put('/api/token/', { id, remain_quota: 1500 })).data).toMatchObject({ remain_quota: 1500 });
      expect(await record(id)).toMatchObject({ remain_quota: 500, leases: { elsewhere: 1000 } });
    });

    it('many edits at once leave the balance of one of them', async () => {
      const client = await someone();
      const { id } = await createOne(client, { unlimited_quota: false, remain_quota: 1000 });
      const targets = Array.from({ length: 12 }, (_, index) => 100 + index);
      const answers = await Promise.all(targets.map((remain_quota) => client.put('/api/token/', { id, remain_quota })));
      expect(answers.every((answer) => answer.success)).toBe(true);
      expect(targets).toContain((await client.get(`/api/token/${id}`)).data.remain_quota);
      const entries = await desk.app.context.db.collection('ledger').find({ account: 'token', account_id: id });
      const sum = entries.reduce((total, entry) => total + entry.amount, 0);
      expect(sum).toBe((await record(id)).remain_quota);
    });

    it('what a token had does not come back to its owner, nor from them', async () => {
      const user = await desk.app.createUser({ quota: 5000 });
      const client = await desk.app.as(user);
      const { id } = await createOne(client, { unlimited_quota: false, remain_quota: 1_000_000 });
      await client.delete(`/api/token/${id}/`);
      expect((await client.get('/api/user/self')).data.quota).toBe(5000);
    });
  });

  describe('the status', () => {
    const now = () => Math.floor(desk.app.clock.now() / 1000);
    const statusOf = async (client: TestClient, id: number) => (await client.get(`/api/token/${id}`)).data.status;
    const setStatus = (client: TestClient, id: number, status: unknown) => client.put('/api/token/?status_only=true', { id, status });

    it('is switched on and off, and nothing else is written then', async () => {
      const client = await someone();
      const { id } = await createOne(client);
      const off = await client.put('/api/token/?status_only=true', { id, status: 2, name: 'ignored', unlimited_quota: false });
      expect(off.data).toMatchObject({ status: 2, name: 'key', unlimited_quota: true, revision: 2 });
      expect((await setStatus(client, id, 1)).data).toMatchObject({ status: 1 });
    });

    it.each([0, 3, 4, 5, -1, 1.5, '1', null, undefined])('cannot be set to %j', async (status) => {
      const client = await someone();
      const { id } = await createOne(client);
      expect(await setStatus(client, id, status)).toMatchObject({ status: 200, success: false, field: 'status' });
      expect(await statusOf(client, id)).toBe(1);
    });

    it('is not touched by an edit of other fields', async () => {
      const client = await someone();
      const { id } = await createOne(client);
      await setStatus(client, id, 2);
      expect((await client.put('/api/token/', { id, name: 'still off', status: 1 })).data).toMatchObject({ name: 'still off', status: 2 });
    });

    it('follows the expiry; an edit that moves the expiry revives the token', async () => {
      const client = await someone();
      const { id } = await createOne(client, { expired_time: now() - 10 });
      expect(await statusOf(client, id)).toBe(3);
      expect(await setStatus(client, id, 1)).toMatchObject({
        success: false,
        code: 'token_expired_enable',
        message: '令牌已过期，无法启用，请先修改令牌过期时间，或者设置为永不过期',
      });
      expect((await client.put('/api/token/', { id, expired_time: now() + 1000, status: 3 })).data).toMatchObject({ status: 1 });
      expect(await setStatus(client, id, 1)).toMatchObject({ success: true });
    });

    it('follows the balance; an edit that fills it up revives the token', async () => {
      const client = await someone();
      const { id } = await createOne(client, { unlimited_quota: false });
      expect(await statusOf(client, id)).toBe(4);
      expect(await setStatus(client, id, 1)).toMatchObject({
        success: false,
        code: 'token_exhausted_enable',
        message: '令牌可用额度已用尽，无法启用，请先修改令牌剩余额度，或者设置为无限额度',
      });
      expect((await client.put('/api/token/', { id, remain_quota: 1 })).data).toMatchObject({ status: 1 });
      await client.put('/api/token/', { id, remain_quota: 0 });
      expect((await client.put('/api/token/', { id, unlimited_quota: true })).data).toMatchObject({ status: 1 });
    });

    it('a stored expired or exhausted counts only as long as its cause', async () => {
      const client = await someone();
      const { id } = await createOne(client);
      await desk.app.context.db.collection('tokens').patch({ id }, { set: { status: 4 } });
      expect(await statusOf(client, id)).toBe(1);
      await client.put('/api/token/', { id, name: 'edited' });
      expect((await record(id)).status).toBe(1);
    });

    it('turns at the second of the expiry', async () => {
      const client = await someone();
      const token = await record((await createOne(client, { expired_time: 2_000_000_000 })).id);
      expect(effectiveStatus(token, 1_999_999_999_999)).toBe(1);
      expect(effectiveStatus(token, 2_000_000_000_000)).toBe(3);
    });
  });
});
