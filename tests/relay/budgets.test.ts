// Budgets of tokens, users and the site in relayed calls.
import { describe, expect, it } from 'vitest';
import type { Budget, SiteBudget } from '#shared/budgets.ts';
import type { RateLimit } from '#shared/rate-limits.ts';
import { storedLimits } from '#server/accounts/stored-limits.ts';
import type { BudgetPeriodRecord } from '#server/db/records/budget-period.ts';
import { balanceOf } from '#server/money/account.ts';
import { createClock } from '#tests/support/clock.ts';
import { embeddedEngine, engines } from '#tests/support/engines.ts';
import { createScene, readEvents, type RelayScene, type SceneOptions, setOption, testModel, until } from '#tests/support/relay-scene.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

/** Quota of one call. */
const cost = 1_000;
const [cheap, cheapCost] = ['gpt-4o-lite', 10];
const settings = { ModelPrice: JSON.stringify({ [testModel]: 0.002, [cheap]: 0.000_02 }) };
const options: SceneOptions = { settings, channels: [{ models: `${testModel},${cheap}` }] };

const month: Budget = { id: 'b1', amount: 10 * cost, period: 'month', starts: 'calendar', at_end: 'stop' };

function textOf(budgets: readonly Budget[]): string {
  return storedLimits({ budgets }).budgets ?? '';
}

async function keyWith(scene: RelayScene, budgets: readonly Budget[], quota?: number) {
  const { token, key } = await scene.addToken({ budgets: textOf(budgets), name: 'agent', ...(quota === undefined ? {} : { quota }) });
  return { token, headers: { authorization: `Bearer ${key}`, 'accept-language': 'en' } };
}

async function edit(scene: RelayScene, token: { id: number }, budgets: readonly Budget[]): Promise<void> {
  const { db, changes } = scene.app.context;
  await db.collection('tokens').patch({ id: token.id }, { set: { budgets: textOf(budgets) }, increment: { revision: 1 } });
  await changes.announce('token', token.id);
}

async function periodsOf(scene: RelayScene, key: string): Promise<BudgetPeriodRecord[]> {
  return await scene.app.context.db.collection('budget_periods').find({ key }, { sort: [['number', 1]] });
}

async function statusesOf(count: number, call: (index: number) => Promise<Response>): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {};
  await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const response = await call(index);
      await response.text();
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
    }),
  );
  return statuses;
}

describe.each(engines)('budgets on $kind', (engine) => {
  it('a call is charged to each of its budgets, and refused by the tightest', async () => {
    const clock = createClock();
    await using scene = await createScene(engine, { ...options, clock });
    await setOption(scene.app, 'SiteBudgets', JSON.stringify([{ ...month, id: 'all', amount: 100 * cost, counted: 'all' }]));
    const day: Budget = { ...month, id: 'b2', name: 'daily', period: 'day', amount: 2 * cost };
    const { token, headers } = await keyWith(scene, [month, day]);
    const first = await scene.chat({}, headers);
    expect(first.status).toBe(200);
    expect(first.headers.get('x-tidegate-budget-limit')).toBe('0.004');
    expect(first.headers.get('x-tidegate-budget-reset')).toBe('2026-01-16T00:00:00Z');
    expect((await scene.chat({ stream: true }, headers)).status).toBe(200);
    await scene.logs(2);
    const refused = await scene.chat({}, headers);
    expect(refused.status).toBe(402);
    const seconds = Number(refused.headers.get('retry-after')) - (Date.parse('2026-01-16T00:00:00Z') - clock.now()) / 1000;
    expect(Math.abs(seconds)).toBeLessThan(5);
    expect(refused.headers.get('x-should-retry')).toBe('false');
    const { error } = await refused.json();
    expect(error).toMatchObject({ code: 'budget_reached' });
    expect(error.message).toMatch(
      /^The budget 'daily' of this key has \$0\.00 of \$0\.004 left, too little for this call\. It begins again at 2026-01-16 00:00 UTC/,
    );
    const keys = [`token:${token.id}:b1`, `token:${token.id}:b2`, 'site:all:all'];
    const periods = (await Promise.all(keys.map((key) => periodsOf(scene, key)))).flat();
    expect(periods.map(({ used_quota, calls }) => [used_quota, calls])).toEqual([
      [2 * cost, 2],
      [2 * cost, 2],
      [2 * cost, 2],
    ]);
    expect(periods.map(balanceOf)).toEqual([8 * cost, 0, 98 * cost]);
    const rows = await scene.logs(2);
    const ids = periods.map(({ id }) => id).toSorted((a, b) => a - b);
    expect(rows.map((row) => row.budgets)).toEqual([ids.join(','), ids.join(',')]);
    // The refusal is counted a moment later.
    await until(async () => ((await periodsOf(scene, `token:${token.id}:b2`))[0]?.refused === 1 ? true : null));
    // A new day.
    clock.advance(24 * 3_600_000);
    expect((await scene.chat({}, headers)).status).toBe(200);
    await scene.logs(3);
    expect(await periodsOf(scene, `token:${token.id}:b2`)).toMatchObject([
      { number: 1, ends_at: Date.parse('2026-01-16T00:00:00Z') / 1000, used_quota: 2 * cost },
      { number: 2, ends_at: Date.parse('2026-01-17T00:00:00Z') / 1000, used_quota: cost },
    ]);
    await scene.checkBooks();
  });

  it('of 200 parallel calls on two processes, exactly those that fit succeed', async () => {
    await using scene = await createScene(engine, options);
    const other = await createTestApp(engine, { database: scene.app.database, clock: scene.app.clock });
    try {
      const { token, headers } = await keyWith(scene, [month], 1_000 * cost);
      const apps: TestApp[] = [scene.app, other];
      const body = JSON.stringify({ model: testModel, messages: [{ role: 'user', content: 'Say hello' }] });
      const statuses = await statusesOf(200, (index) =>
        fetch(`${apps[index % 2]?.origin}/v1/chat/completions`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body,
        }),
      );
      expect(statuses).toEqual({ 200: 10, 402: 190 });
      const [period, ...more] = await periodsOf(scene, `token:${token.id}:b1`);
      expect(more).toEqual([]);
      expect(period).toMatchObject({ used_quota: 10 * cost, calls: 10 });
      expect(period === undefined ? undefined : balanceOf(period)).toBe(0);
      await scene.checkBooks();
    } finally {
      await other.close();
    }
  });

  it('a budget that warns counts and never refuses; one that has a cheaper model goes on with it', async () => {
    await using scene = await createScene(engine, options);
    const warns = await keyWith(scene, [{ ...month, at_end: 'warn', amount: cost }]);
    for (let call = 0; call < 3; call += 1) expect((await scene.chat({}, warns.headers)).status).toBe(200);
    const [warned] = await periodsOf(scene, `token:${warns.token.id}:b1`);
    expect(warned === undefined ? 0 : balanceOf(warned)).toBe(-2 * cost);

    const goesOn: Budget = { ...month, amount: 2 * cost, at_end: 'cheaper', cheaper_models: { [testModel]: cheap } };
    const { token, headers } = await keyWith(scene, [goesOn]);
    const models: (string | null)[] = [];
    for (let call = 0; call < 4; call += 1) {
      const response = await scene.chat(call === 3 ? { stream: true } : {}, headers);
      expect(response.status).toBe(200);
      models.push(response.headers.get('x-tidegate-model'));
      await response.text();
    }
    expect(models).toEqual([null, null, cheap, cheap]);
    expect(scene.upstream.requests.slice(-2).map(({ body }) => body)).toMatchObject([{ model: cheap }, { model: cheap }]);
    const rows = (await scene.logs(7)).slice(-2);
    expect(rows.map(({ model_name, quota }) => [model_name, quota])).toEqual([
      [cheap, cheapCost],
      [cheap, cheapCost],
    ]);
    expect(rows[0]?.other).toMatchObject({ requested_model: testModel, ended_budget: 'b1' });
    const [period] = await periodsOf(scene, `token:${token.id}:b1`);
    expect(period?.used_quota).toBe(2 * cost + 2 * cheapCost);
    expect(period === undefined ? undefined : balanceOf(period)).toBe(-2 * cheapCost);
    // A model that nothing replaces is refused, and so is one that the key may not use.
    const bound = await scene.addToken({ budgets: textOf([goesOn]), model_limits_enabled: true, model_limits: testModel });
    const statuses: number[] = [];
    for (let call = 0; call < 3; call += 1) statuses.push((await scene.chat({}, { authorization: `Bearer ${bound.key}` })).status);
    expect(statuses).toEqual([200, 200, 402]);
    // Rate limits are those of the model that takes the place.
    const rates: RateLimit[] = [{ meter: 'requests', per: 'day', amount: 1, models: [cheap] }];
    const rated = await scene.addToken({ budgets: textOf([goesOn]), rate_limits: JSON.stringify(rates) });
    const ofRated: number[] = [];
    for (let call = 0; call < 4; call += 1) ofRated.push((await scene.chat({}, { authorization: `Bearer ${rated.key}` })).status);
    expect(ofRated).toEqual([200, 200, 200, 429]);
    await scene.checkBooks();
  });

  it('edits change the running period by their difference; other terms begin a new one, and a removed budget binds nothing', async () => {
    await using scene = await createScene(engine, options);
    const { token, headers } = await keyWith(scene, [month]);
    const key = `token:${token.id}:b1`;
    expect((await scene.chat({}, headers)).status).toBe(200);
    await edit(scene, token, [{ ...month, amount: 2 * cost }]);
    expect(await statusesOf(3, () => scene.chat({}, headers))).toEqual({ 200: 1, 402: 2 });
    await edit(scene, token, [{ ...month, amount: 4 * cost }]);
    expect(await statusesOf(4, () => scene.chat({}, headers))).toEqual({ 200: 2, 402: 2 });
    expect(await periodsOf(scene, key)).toMatchObject([
      { number: 1, opened: 10 * cost, base: 4 * cost, revision: 2, used_quota: 4 * cost },
    ]);
    await edit(scene, token, [{ ...month, period: 'week', amount: cost }]);
    expect(await statusesOf(3, () => scene.chat({}, headers))).toEqual({ 200: 1, 402: 2 });
    await edit(scene, token, []);
    expect((await scene.chat({}, headers)).status).toBe(200);
    await edit(scene, token, [{ ...month, amount: 7 * cost }]);
    expect((await scene.chat({}, headers)).status).toBe(200);
    const periods = await periodsOf(scene, key);
    expect(periods.map(({ used_quota, closed_at }) => [used_quota, closed_at === undefined])).toEqual([
      [4 * cost, false],
      [cost, false],
      [cost, true],
    ]);
    await scene.checkBooks();
  });

  it('site budgets are counted by user, token and for all, of their groups and models', async () => {
    await using scene = await createScene(engine, options);
    const site: SiteBudget[] = [
      { ...month, id: 'u', amount: 3 * cost, counted: 'user', models: ['gpt-4o*'] },
      { ...month, id: 't', amount: 2 * cost, counted: 'token', groups: ['default'] },
      { ...month, id: 'other', amount: 1, counted: 'all', groups: ['vip'] },
      { ...month, id: 'model', amount: 1, counted: 'all', models: ['claude*'] },
    ];
    await setOption(scene.app, 'SiteBudgets', JSON.stringify(site));
    const [one, two] = [await keyWith(scene, []), await keyWith(scene, [])];
    expect(await statusesOf(3, () => scene.chat({}, one.headers))).toEqual({ 200: 2, 402: 1 });
    expect(await statusesOf(3, () => scene.chat({}, two.headers))).toEqual({ 200: 1, 402: 2 });
    const periods = await scene.app.context.db.collection('budget_periods').find({}, { sort: [['key', 1]] });
    expect(periods.map(({ key, calls }) => [key, calls])).toEqual([
      [`site:t:token:${one.token.id}`, 2],
      [`site:t:token:${two.token.id}`, 1],
      [`site:u:user:${scene.user.id}`, 3],
    ]);
    await scene.checkBooks();
  });
});

it('budgets: each format has its own words', async () => {
  await using scene = await createScene(embeddedEngine, { ...options, channels: [{ models: `${testModel},claude-sonnet-4-5` }] });
  const { headers } = await keyWith(scene, [{ ...month, amount: 1, period: 'once' }]);
  const messages = [{ role: 'user', content: 'Say hello' }];
  const claude = await scene.post('/v1/messages', { model: testModel, max_tokens: 9, messages }, headers);
  expect([claude.status, await claude.json()]).toMatchObject([402, { type: 'error', error: { type: 'billing_error' } }]);
  const gemini = await scene.post(`/v1beta/models/${testModel}:generateContent`, { contents: [{ parts: [{ text: 'x' }] }] }, headers);
  expect([gemini.status, await gemini.json()]).toMatchObject([402, { error: { code: 402, status: 'FAILED_PRECONDITION' } }]);
  const zh = await scene.chat({ stream: true }, { ...headers, 'accept-language': 'zh' });
  expect((await zh.json()).error.message).toMatch(/^此令牌的预算“b1”共 \$0\.000002，剩余 \$0\.000002，不足以支付本次调用/);
  expect(scene.upstream.requests).toHaveLength(0);
  await scene.checkBooks();
});

it('budgets: the period in which a call began is charged, also by a call that costs more than it reserved', async () => {
  const clock = createClock();
  const priced = { SelfUseModeEnabled: 'true', ModelRatio: JSON.stringify({ [testModel]: 10 }) };
  await using scene = await createScene(embeddedEngine, { settings: priced, clock });
  const { token, headers } = await keyWith(scene, [{ ...month, period: 'day', amount: 1_000_000 }]);
  scene.upstream.behave({ holdAfter: 1 });
  const response = await scene.chat({ stream: true, max_tokens: 5 }, headers);
  clock.advance(24 * 3_600_000);
  for (const request of scene.upstream.requests) request.release();
  await readEvents(response);
  scene.upstream.behave({});
  expect((await scene.chat({}, headers)).status).toBe(200);
  const [row, next] = await scene.logs(2);
  const periods = await periodsOf(scene, `token:${token.id}:b1`);
  expect(periods.map(({ used_quota }) => used_quota)).toEqual([row?.quota, next?.quota]);
  await scene.checkBooks();
});
