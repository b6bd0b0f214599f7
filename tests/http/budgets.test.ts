// Budgets in the console and in calls about a key: what is left, periods, raises and resets, notices, refunds, retention.
import { describe, expect, it } from 'vitest';
import type { Budget } from '#shared/budgets.ts';
import { storedLimits } from '#server/accounts/stored-limits.ts';
import { BudgetFinder } from '#server/budgets/budget-finder.ts';
import { closePeriod } from '#server/budgets/periods.ts';
import { sweepPeriods } from '#server/budgets/sweep-periods.ts';
import { emptyMoney } from '#server/money/account.ts';
import { boundBudget, resetBudget } from '#server/slices/budgets/change-budget-period.ts';
import { engines } from '#tests/support/engines.ts';
import { afterReads, beforeReads } from '#tests/support/watched-database.ts';
import { createScene, type RelayScene, type SceneOptions, setOption, testModel, until } from '#tests/support/relay-scene.ts';

/** Quota of one call. */
const cost = 1_000;
const options: SceneOptions = { settings: { ModelPrice: JSON.stringify({ [testModel]: 0.002 }) } };
const month: Budget = { id: 'b1', name: 'Monthly', amount: 4 * cost, period: 'month', starts: 'calendar', at_end: 'stop' };
const ends = Date.UTC(2026, 1, 1) / 1000;

async function keyWith(scene: RelayScene, budgets: readonly Budget[], fields: object = {}) {
  const { token, key } = await scene.addToken({ budgets: storedLimits({ budgets }).budgets ?? '', name: 'agent', ...fields });
  const headers = { authorization: `Bearer ${key}` };
  return { token, key: `token:${token.id}:b1`, headers, call: async () => (await scene.chat({}, headers)).status };
}

describe.each(engines)('budgets on $kind', (engine) => {
  it('owners see, raise and reset those of their tokens, once for each reference', async () => {
    await using scene = await createScene(engine, options);
    const { token, key, call } = await keyWith(scene, [month]);
    const owner = await scene.app.as(scene.user);
    const path = `/api/budget/?token_id=${token.id}`;
    const unused = {
      key,
      scope: 'token',
      amount: 4 * cost,
      left: 4 * cost,
      used: 0,
      calls: 0,
      starts_at: 0,
      ends_at: 0,
      is_editable: true,
    };
    expect((await owner.get(path)).data).toMatchObject([unused]);
    expect([await call(), await call()]).toEqual([200, 200]);
    const used = { amount: 4 * cost, left: 2 * cost, used: 2 * cost, calls: 2, refused: 0, ends_at: ends };
    expect((await owner.get(path)).data).toMatchObject([used]);
    const listed = (await owner.get('/api/token/?p=0')).data.find(({ id }: { id: number }) => id === token.id);
    expect(listed.tightest_budget).toEqual({ left: 2 * cost, amount: 4 * cost, period: 'month', ends_at: ends });
    const raise = { key, amount: 3 * cost, ref: 'raise-of-the-day' };
    const raised = { amount: 7 * cost, left: 5 * cost };
    for (const data of [await owner.post('/api/budget/raise', raise), await owner.post('/api/budget/raise', raise)])
      expect(data.data).toMatchObject(raised);
    const reset = { key, ref: 'reset-of-the-day' };
    expect((await owner.post('/api/budget/reset', reset)).data).toMatchObject({ amount: 4 * cost, left: 4 * cost, used: 0 });
    expect(await call()).toBe(200);
    expect((await owner.post('/api/budget/reset', reset)).data).toMatchObject({ amount: 4 * cost, left: 3 * cost, used: cost });
    const { data } = await owner.get(`/api/budget/periods?key=${key}`);
    expect(data).toMatchObject({
      total: 2,
      items: [
        { used: cost, calls: 1 },
        { amount: 7 * cost, used: 2 * cost, calls: 2 },
      ],
    });
    await scene.checkBooks();
  });

  it('a reset that is made twice at the same time ends one period', async () => {
    await using scene = await createScene(engine, options);
    const { key, call } = await keyWith(scene, [month]);
    expect(await call()).toBe(200);
    const { context } = scene.app;
    const bound = await boundBudget(context, key);
    const reset = (db = context.db) => resetBudget({ ...context, db }, bound, 'reset-of-the-day');
    // Before the second request reads the period, the first one ends it, and a call opens the next.
    let isFirst = true;
    const db = beforeReads(context.db, 'budget_periods', async () => {
      if (!isFirst) return;
      isFirst = false;
      await reset();
      expect(await call()).toBe(200);
    });
    await reset(db);
    expect(isFirst).toBe(false);
    const periods = await context.db.collection('budget_periods').find({ key }, { sort: [['number', 1]] });
    expect(periods.map(({ used_quota: used, closed_at: closed }) => [used, closed !== undefined])).toEqual([
      [cost, true],
      [cost, false],
    ]);
    // Another reference is another reset.
    await resetBudget(context, bound, 'reset-of-another-day');
    expect(await context.db.collection('budget_periods').count({ key, closed_at: { exists: true } })).toBe(2);
  });

  it('a reset of a period that has ended leaves its end', async () => {
    await using scene = await createScene(engine, options);
    const { key, call } = await keyWith(scene, [{ ...month, period: 'day' }]);
    const owner = await scene.app.as(scene.user);
    expect(await call()).toBe(200);
    const [first] = (await owner.get(`/api/budget/periods?key=${key}`)).data.items;
    scene.app.clock.advance(3 * 24 * 3_600_000);
    expect((await owner.post('/api/budget/reset', { key, ref: 'late-reset' })).data).toMatchObject({ used: 0 });
    expect(await call()).toBe(200);
    expect((await owner.get(`/api/budget/periods?key=${key}`)).data.items).toMatchObject([{ used: cost }, first]);
  });

  it('a reset that overtakes the read of a period is not missed', async () => {
    await using scene = await createScene(engine, options);
    const { token, key, call } = await keyWith(scene, [month]);
    expect(await call()).toBe(200);
    const { context } = scene.app;
    const period = await context.db.collection('budget_periods').first({ key });
    if (period === null) throw new Error('There is no period');
    let isClosed = false;
    const db = afterReads(context.db, 'budget_periods', async () => {
      if (isClosed) return;
      isClosed = true;
      await closePeriod(context, period, Math.floor(context.now() / 1000));
    });
    const finder = new BudgetFinder({ ...context, db });
    const found = await finder.of({ token, user: scene.user, group: 'default' }, testModel);
    expect(found.map(({ id }) => id)).toEqual([expect.any(Number)]);
    expect(found[0]?.id).not.toBe(period.id);
    await finder.stop();
  });

  it('what binds callers is changed by administrators, and seen by those whom it concerns', async () => {
    await using scene = await createScene(engine, options);
    await scene.app.context.db.collection('users').patch({ id: scene.user.id }, { set: storedFields([{ ...month, id: 'own' }]) });
    await scene.app.context.changes.announce('user', scene.user.id);
    await setOption(
      scene.app,
      'SiteBudgets',
      JSON.stringify([
        { ...month, id: 'all', counted: 'all' },
        { ...month, id: 'each', counted: 'user' },
      ]),
    );
    const { token, key } = await keyWith(scene, [month], { held: 'budgets' });
    const [owner, other, admin] = [
      await scene.app.as(scene.user),
      await scene.app.as(await scene.app.createUser()),
      await scene.app.as(await scene.app.createUser({ role: 10 })),
    ];
    const path = `/api/budget/?token_id=${token.id}`;
    const keys = [key, `user:${scene.user.id}:own`, `site:each:user:${scene.user.id}`];
    const seen = (await owner.get(path)).data.map((state: { key: string; is_editable: boolean }) => [state.key, state.is_editable]);
    expect(seen).toEqual(keys.map((one) => [one, false]));
    expect((await admin.get(path)).data).toHaveLength(4);
    const body = { amount: 5, ref: 'a-reference' };
    for (const one of keys) {
      expect(await owner.post('/api/budget/raise', { ...body, key: one })).toMatchObject({ success: false });
      expect(await other.post('/api/budget/raise', { ...body, key: one })).toMatchObject({ success: false, code: 'not_found' });
      expect(await other.get(`/api/budget/periods?key=${one}`)).toMatchObject({ success: false, code: 'not_found' });
      expect((await admin.post('/api/budget/raise', { ...body, key: one })).data).toMatchObject({ amount: 4 * cost + 5 });
    }
    expect(await owner.get('/api/budget/periods?key=site:all:all')).toMatchObject({ success: false, code: 'not_found' });
    expect((await admin.post('/api/budget/reset', { key: 'site:all:all', ref: 'a-reference' })).data).toMatchObject({ left: 4 * cost });
    expect(await admin.get('/api/budget/periods?key=token:1')).toMatchObject({ success: false, code: 'not_found' });
    await scene.checkBooks();
  });

  it('calls about a key report its budgets, in the words of several gateways', async () => {
    await using scene = await createScene(engine, options);
    const { headers, call } = await keyWith(scene, [month, { ...month, id: 'b2', name: 'Once', period: 'once', amount: 100 * cost }]);
    expect(await call()).toBe(200);
    const ask = async (path: string) => (await fetch(`${scene.app.origin}${path}`, { headers })).json();
    expect(await ask('/v1/usage')).toMatchObject({
      object: 'usage',
      key: { name: 'agent', used: 0.002, remaining: null, expires_at: null },
      budgets: [
        { name: 'Monthly', period: 'month', limit: 0.008, remaining: 0.006, used: 0.002, resets_at: ends, at_end: 'stop' },
        { name: 'Once', period: 'once', limit: 0.2, remaining: 0.198, resets_at: null },
      ],
    });
    expect(await ask('/v1/key')).toMatchObject({
      data: { label: 'agent', usage: 0.002, limit: 0.008, limit_remaining: 0.006, limit_reset: 'monthly' },
    });
    expect(await ask('/key/info')).toMatchObject({ info: { spend: 0.002, max_budget: 0.008, budget_duration: '1mo' } });
    const info = { key_alias: 'agent', spend: 0.002, max_budget: 0.008 };
    for (const path of ['/user/info', '/v2/user/info']) {
      expect(await ask(path)).toMatchObject({
        user_id: String(scene.user.id),
        // Without a budget of the account, its balance is the limit.
        user_info: { spend: 0.002, max_budget: 1000, budget_duration: null },
        keys: [{ ...info, user_id: String(scene.user.id) }],
        teams: [],
      });
    }
    expect(await ask('/v1/dashboard/billing/subscription')).toMatchObject({ hard_limit_usd: 0.008 });
  });

  it('owners and administrators get a notice at each mark, once', async () => {
    await using scene = await createScene(engine, options);
    await setOption(scene.app, 'SiteBudgets', JSON.stringify([{ ...month, id: 'all', amount: 8 * cost, notes: [25], counted: 'all' }]));
    const admin = await scene.app.createUser({ role: 10, setting: JSON.stringify({ channel_alerts: true }) });
    const { call } = await keyWith(scene, [month]);
    const notices = async () => {
      await scene.app.context.budgets.check();
      const rows = await scene.app.context.db.collection('notifications').find({}, { sort: [['id', 1]] });
      return new Set(
        rows.map(({ user_id: id, event }) => `${id} ${event.code === 'budget_used' ? `${event.scope} ${event.percent}` : event.code}`),
      );
    };
    expect(await call()).toBe(200);
    expect(await notices()).toEqual(new Set());
    expect(await call()).toBe(200);
    const half = [`${scene.user.id} token 50`, `${admin.id} site 25`];
    expect(await notices()).toEqual(new Set(half));
    expect([await call(), await call(), await call()]).toEqual([200, 200, 402]);
    expect(await notices()).toEqual(new Set([...half, `${scene.user.id} token 100`]));
    expect(await scene.app.context.db.collection('notifications').count({})).toBe(3);
  });

  it('a refund goes to the period that was charged, also after its end', async () => {
    await using scene = await createScene(engine, options);
    const { key, call } = await keyWith(scene, [{ ...month, period: 'day' }]);
    expect(await call()).toBe(200);
    const [row] = await scene.logs(1);
    scene.app.clock.advance(24 * 3_600_000);
    expect(await call()).toBe(200);
    const root = await scene.app.as(await scene.app.createUser({ role: 100 }));
    const refund = { amount: 600, reason: 'the answer was empty', ref: 'refund-one' };
    await until(async () => ((await root.post(`/api/log/${row?.id}/refund`, refund)).success ? true : null));
    const { db } = scene.app.context;
    const read = async () => await db.collection('budget_periods').find({ key }, { sort: [['number', 1]] });
    expect((await read()).map(({ used_quota }) => used_quota)).toEqual([cost - 600, cost]);
    await scene.checkBooks();
  });

  it('periods rest a day after their end once no process has a lease, and are removed after 400 days', async () => {
    await using scene = await createScene(engine, options);
    const { db } = scene.app.context;
    const now = Math.floor(scene.app.clock.now() / 1000);
    const day = 24 * 3600;
    const of = {
      user_id: 0,
      token_id: 0,
      terms: 'day calendar UTC',
      opened: 5,
      base: 5,
      revision: 0,
      quota: 5,
      used_quota: 0,
      calls: 0,
      refused: 0,
    };
    const add = async (number: number, age: number, fields: object = {}) => {
      const [id, end] = [await db.nextId('budget_periods'), now - age * day];
      const period = {
        ...emptyMoney(),
        ...of,
        id,
        key: 'token:9:b1',
        number,
        starts_at: end - day,
        ends_at: end,
        active: 1 as const,
        ...fields,
      };
      await db.collection('budget_periods').insert(period);
    };
    await add(1, 401);
    await add(2, 2);
    await add(3, 2, { leases: { pother: 0 } });
    await add(4, 0.5);
    await add(5, 401, { ends_at: 0 });
    const once: Budget = { ...month, period: 'once' };
    const { call, key: living } = await keyWith(scene, [once]);
    expect(await call()).toBe(200);
    await sweepPeriods(scene.app.context);
    const ofLiving = await db.collection('budget_periods').first({ key: living });
    expect(ofLiving?.closed_at).toBeUndefined();
    const left = await db.collection('budget_periods').find({ key: 'token:9:b1' }, { sort: [['number', 1]] });
    // The token of the last one, which has no end, is gone.
    expect(left.map(({ closed_at }) => closed_at)).toEqual([undefined, undefined, undefined, now]);
    expect(left.map(({ number, active }) => [number, active])).toEqual([
      [2, undefined],
      [3, 1],
      [4, 1],
      [5, 1],
    ]);
  });
});

function storedFields(budgets: readonly Budget[]): { budgets: string } {
  return { budgets: storedLimits({ budgets }).budgets ?? '' };
}
