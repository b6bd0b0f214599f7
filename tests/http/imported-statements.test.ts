// Statements of accounts that came from another gateway, whose imported calls charged nothing here.
import { describe, expect, it } from 'vitest';
import { foldLog } from '#server/logs/fold-log.ts';
import { engines } from '#tests/support/engines.ts';
import { createScene } from '#tests/support/relay-scene.ts';
import { until } from '#tests/support/until.ts';

const hour = 3600;

describe.each(engines)('statements of imported accounts on $kind', (engine) => {
  it('imported calls take nothing from the balance that came with them, before and after their rows are deleted', async () => {
    await using scene = await createScene(engine);
    const { app, user } = scene;
    const root = await app.setup();
    const { db, ledger } = app.context;
    const begun = Math.floor(app.clock.now() / 1000) - 10 * hour;
    await db.collection('users').patch({ id: user.id }, { set: { created_time: begun - hour } });
    const row = { user_id: user.id, username: user.username, type: 2, model_name: 'imported', quota: 300, created_at: begun };
    const of = {
      token_id: 0,
      token_name: '',
      channel_id: 0,
      group: 'default',
      prompt_tokens: 5,
      completion_tokens: 5,
      use_time: 1,
      imported: 1 as const,
    };
    const rest = { is_stream: false, other: null };
    for (let index = 0; index < 3; index += 1)
      await db.collection('logs').insert({ ...row, ...of, ...rest, id: await db.nextId('logs'), created_at: begun + index });
    const state = { kept_ids: [], pending: null, log_count: 3, log_left: 0, log_quota: 900 };
    await db.collection('import_sources').insert({ id: 'x', ...state });
    await ledger.open({ account: 'user', id: user.id, ref: 'import:x:user:1', kind: 'import', actorId: 0, amount: 1000, used: 900 });
    const [balance, ofRoot] = [500_001_000, 100_000_000];
    const read = async (from = 0) => (await root.get(`/api/user/${user.id}/statement?start_timestamp=${from}`)).data;
    const sum = async (from: number) => (await root.get(`/api/statement/accounts/sum?start_timestamp=${from}`)).data;
    const table = async (from: number) => {
      const { data } = await root.get(`/api/statement/accounts?start_timestamp=${from}`);
      return data.items.find((one: { user_id: number }) => one.user_id === user.id);
    };
    const check = async () => {
      for (const from of [0, begun + hour]) {
        expect(await read(from), String(from)).toMatchObject({ closing: balance, calls: [] });
        expect(await table(from), String(from)).toMatchObject({ closing: balance });
        expect(await sum(from), String(from)).toMatchObject({ closing: balance + ofRoot, spent: 0, imported: from === 0 ? 900 : 0 });
      }
    };
    await check();
    app.clock.advance(3 * hour * 1000);
    await foldLog(app.context);
    await check();
    await until(async () => {
      await root.delete(`/api/log/?target_timestamp=${begun + 10}`);
      return (await db.collection('logs').count({ model_name: 'imported' })) === 0;
    });
    await check();
  });
});
