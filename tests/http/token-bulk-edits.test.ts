// One change of many tokens: all or none, and once.
import { describe, expect, it } from 'vitest';
import { audit } from '#server/money/audit.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { engines } from '#tests/support/engines.ts';
import { useTokenDesk } from '#tests/support/token-desk.ts';

describe.each(engines)('edits of many tokens on $kind', (engine) => {
  const desk = useTokenDesk(engine);
  const { someone, createOne, record } = desk;
  const limited = { unlimited_quota: false, remain_quota: 100 };
  let edits = 0;
  const edit = (client: TestClient, ids: readonly number[], fields: Record<string, unknown>) => {
    edits += 1;
    return client.put('/api/token/batch', { ids, ref: `edit-of-many-${edits}`, ...fields });
  };

  it('changes what was given in each, leaves the rest, and counts what changed', async () => {
    const client = await someone();
    const one = await createOne(client, { ...limited, model_limits_enabled: true, model_limits: 'a', allow_ips: '10.0.0.1' });
    const two = await createOne(client, { unlimited_quota: true, expired_time: 4_000_000_000 });
    const other = await createOne(client);
    expect((await edit(client, [one.id, two.id, two.id], { expired_time: 4_000_000_000 })).data).toEqual({ changed: 1, same: 1 });
    const fields = { model_limits_enabled: true, model_limits: 'sea-1, sea-2', session_budget: 5 };
    expect((await edit(client, [one.id, two.id], fields)).data).toEqual({ changed: 2, same: 0 });
    const stored = { model_limits_enabled: true, model_limits: 'sea-1,sea-2', session_budget: 5, expired_time: 4_000_000_000 };
    expect(await record(one.id)).toMatchObject({ ...stored, name: one.name, allow_ips: '10.0.0.1', remain_quota: 100 });
    expect(await record(two.id)).toMatchObject({ ...stored, unlimited_quota: true });
    expect(await record(other.id)).toMatchObject({ revision: 1, model_limits: '', expired_time: -1 });
    expect((await edit(client, [one.id, two.id], fields)).data).toEqual({ changed: 0, same: 2 });
  });

  it('refills once however often it is sent, and the books know each', async () => {
    const client = await someone();
    const ids = [(await createOne(client, limited)).id, (await createOne(client, { unlimited_quota: false })).id];
    const body = { ids, ref: 'refill-of-monday', refill: 250 };
    expect((await client.put('/api/token/batch', body)).data).toEqual({ changed: 2, same: 0 });
    expect((await client.put('/api/token/batch', body)).data).toEqual({ changed: 0, same: 2 });
    expect([(await record(ids[0] ?? 0)).remain_quota, (await record(ids[1] ?? 0)).remain_quota]).toEqual([350, 250]);
    const entries = await desk.app.context.db.collection('ledger').find({ kind: 'token_edit', account_id: { in: ids } });
    expect(entries.map(({ amount, state, actor_id }) => [amount, state, actor_id])).toEqual([
      [250, 'done', client.userId],
      [250, 'done', client.userId],
    ]);
    expect((await audit(desk.app.context.db)).findings).toEqual([]);
  });

  it('sets the limit of each, and lifts it', async () => {
    const client = await someone();
    const ids = [(await createOne(client, limited)).id, (await createOne(client)).id];
    expect((await edit(client, ids, { unlimited_quota: false, remain_quota: 40 })).data).toEqual({ changed: 2, same: 0 });
    for (const id of ids) expect(await record(id)).toMatchObject({ unlimited_quota: false, remain_quota: 40, full_mark: 40 });
    expect((await edit(client, ids, { unlimited_quota: true })).data).toEqual({ changed: 2, same: 0 });
    for (const id of ids) expect(await record(id)).toMatchObject({ unlimited_quota: true, remain_quota: 40 });
    expect((await audit(desk.app.context.db)).findings).toEqual([]);
  });

  it.each([
    ['a name', { name: 'x' }, { code: 'invalid_field', field: 'name' }],
    ['a key', { key: 'x' }, { code: 'invalid_field', field: 'key' }],
    ['nothing', {}, { code: 'invalid_field', field: 'ids' }],
    ['a group that is closed to the owner', { group: 'moon' }, { code: 'token_group_denied', field: 'group' }],
    ['an address that is none', { allow_ips: '10.0.0.300' }, { code: 'token_ips_invalid', field: 'allow_ips' }],
    ['a refill and a balance', { refill: 1, remain_quota: 1 }, { code: 'invalid_field', field: 'refill' }],
    ['a refill that takes', { refill: -1 }, { code: 'invalid_field', field: 'refill' }],
    ['an expiry that is no time', { expired_time: 0 }, { code: 'token_expiry_invalid', field: 'expired_time' }],
    ['more than a balance holds', { refill: Number.MAX_SAFE_INTEGER }, { code: 'balance_too_large', field: 'refill' }],
  ])('refuses %s by its name and changes nothing', async (_name, fields, refusal) => {
    const client = await someone();
    const ids = [(await createOne(client, limited)).id, (await createOne(client, limited)).id];
    expect(
      await edit(client, ids, { session_budget: 9, ...fields, ...(Object.keys(fields).length === 0 ? { session_budget: undefined } : {}) }),
    ).toMatchObject({
      success: false,
      ...refusal,
    });
    for (const id of ids) expect(await record(id)).toMatchObject({ revision: 1, remain_quota: 100 });
  });

  it('changes none where one is of somebody else, gone, or has no limit to refill', async () => {
    const client = await someone();
    const own = await createOne(client, limited);
    const foreign = await createOne(await someone(), limited);
    const gone = await createOne(client, limited);
    const unlimited = await createOne(client, { name: 'endless' });
    await client.delete(`/api/token/${gone.id}`);
    for (const other of [foreign, gone]) {
      const refused = await edit(client, [own.id, other.id], { session_budget: 9 });
      expect(refused).toMatchObject({ success: false, code: 'tokens_missing', field: 'ids' });
    }
    const refused = await edit(client, [own.id, unlimited.id], { refill: 5, session_budget: 9 });
    expect(refused).toMatchObject({ success: false, code: 'tokens_unlimited', field: 'refill' });
    expect(refused.message).toContain('endless');
    expect(await record(own.id)).toMatchObject({ revision: 1, remain_quota: 100 });
    expect(await record(foreign.id)).toMatchObject({ revision: 1 });
  });
});
