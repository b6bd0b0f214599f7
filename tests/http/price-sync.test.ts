// Prices of a catalogue: reviewed, guarded, planned, by the schedule; and prices by date.
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Role } from '#shared/roles.ts';
import { UserStatus } from '#shared/user.ts';
import type { PriceSyncRecord } from '#server/db/records/price-sync.ts';
import type { PriceReview, PriceSyncOverview, PriceSyncRun } from '#shared/price-sync.ts';
import { applyPlans, syncPrices } from '#server/slices/prices/tend-prices.ts';
import { buildChannel } from '#tests/support/build-channel.ts';
import { engines } from '#tests/support/engines.ts';
import { type FakeInternet, publicAddress, publicName, startFakeInternet } from '#tests/support/fake-internet.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { setOption } from '#tests/support/relay-scene.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';
import { trustLocalhost } from '#tests/support/trust-localhost.ts';

afterAll(trustLocalhost());

const hour = 3_600_000;

describe.each(engines)('price syncs on $kind', (engine) => {
  let app: TestApp;
  let internet: FakeInternet;
  let root: TestClient;
  let document: string;

  beforeAll(async () => {
    internet = await startFakeInternet();
    app = await createTestApp(engine, { network: internet.network });
    root = await app.setup();
    const id = await app.context.db.nextId('channels');
    await app.context.db.collection('channels').insert(buildChannel({ models: 'old,new,kept', id }, app.context.secrets));
    await app.context.changes.announce('channel', id);
    internet.serve((_visit, response) => response.end(document));
    await setOption(app, 'PriceSyncUrl', `https://${publicName}/api.json`);
  });
  afterAll(async () => {
    await app.close();
    await internet[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    const { db } = app.context;
    for (const name of ['price_reviews', 'price_plans', 'price_syncs', 'option_changes', 'notifications'] as const)
      for await (const { id } of db.collection<typeof name>(name).each({})) await db.collection<typeof name>(name).remove({ id });
    await setOption(app, 'ModelRatio', JSON.stringify({ old: 1, kept: 2 }));
    for (const key of ['CompletionRatio', 'LongInputPrice', 'TierPrice']) await setOption(app, key, '{}');
    await setOption(app, 'PriceSyncApply', 'none');
    await setOption(app, 'PriceSyncHours', '0');
    await setOption(app, 'PriceSyncModels', 'offered');
    offer({ old: 3, new: 4, kept: 4 });
  });

  /** Prices of input per million tokens; output costs the same. */
  const offer = (models: Record<string, number>): void => {
    const listed = Object.entries(models).map(([id, input]) => [id, { id, cost: { input, output: input } }]);
    document = JSON.stringify({ openai: { id: 'openai', models: Object.fromEntries(listed) } });
  };
  const run = async (): Promise<PriceSyncRun> => (await root.post('/api/price/sync')).data;
  const overview = async (): Promise<PriceSyncOverview> => (await root.get('/api/price/sync')).data;
  const named = ({ reviews }: { reviews: readonly PriceReview[] }) => reviews.map(({ model, revision }) => ({ model, revision }));
  const ratios = () => app.context.settings.get('ModelRatio');
  const history = async (model: string) => (await root.get(`/api/price/history?model=${model}`)).data.events;
  const notices = async () => (await app.context.db.collection('notifications').find({})).map(({ event }) => event);

  it('differences wait for a review, are applied as reviewed, and are in the history and the audit log', async () => {
    expect(await run()).toMatchObject({ state: 'done', format: 'models_dev', compared: 3, applied: 0, waiting: 2, source: publicName });
    const found = await overview();
    expect(found.reviews).toMatchObject([
      {
        model: 'new',
        is_new: true,
        guards: [],
        lines: [
          { name: 'input', after: 4 },
          { name: 'output', after: 4 },
        ],
        provider: 'openai',
      },
      {
        model: 'old',
        is_new: false,
        guards: ['moved'],
        lines: [
          { name: 'input', before: 2, after: 3 },
          { name: 'output', before: 2, after: 3 },
        ],
      },
    ]);
    expect(ratios()).toEqual({ old: 1, kept: 2 });
    expect(await notices()).toEqual([{ code: 'price_review', source: publicName, count: 2, models: 'new, old' }]);
    const { data } = await root.post('/api/price/sync/apply', { changes: named(found) });
    expect(data).toEqual({ done: ['new', 'old'], refused: [] });
    expect(ratios()).toEqual({ old: 1.5, kept: 2, new: 2 });
    expect((await overview()).reviews).toEqual([]);
    expect(await history('old')).toMatchObject([
      {
        username: 'root',
        source: publicName,
        lines: [
          { name: 'input', before: 2, after: 3 },
          { name: 'output', before: 2, after: 3 },
        ],
      },
    ]);
    const { data: audit } = await root.get('/api/audit_log/?kind=price');
    expect(audit.items[0]).toMatchObject({ kind: 'price', name: 'ModelRatio', actor: { name: 'root' } });
  });

  it('what was reviewed is applied, or nothing', async () => {
    await run();
    const before = named(await overview());
    offer({ old: 3.5, new: 5, kept: 4 });
    await run();
    expect((await root.post('/api/price/sync/apply', { changes: before })).data).toEqual({
      done: [],
      refused: [
        { model: 'new', reason: 'renewed' },
        { model: 'old', reason: 'renewed' },
      ],
    });
    // Edited by hand since.
    const reviewed = named(await overview());
    await root.put('/api/option/', { key: 'ModelRatio', value: JSON.stringify({ old: 7, kept: 2 }) });
    expect((await root.post('/api/price/sync/apply', { changes: reviewed })).data).toEqual({
      done: ['new'],
      refused: [{ model: 'old', reason: 'changed' }],
    });
    expect(ratios()).toEqual({ old: 7, kept: 2, new: 2.5 });
    await run();
    expect((await overview()).reviews).toMatchObject([{ model: 'old', lines: [{ before: 14, after: 3.5 }, {}] }]);
  });

  it('an entry that was written since is not replaced, even if it means the same price', async () => {
    document = JSON.stringify({ openai: { id: 'openai', models: { old: { id: 'old', cost: { input: 3, output: 6 } } } } });
    await run();
    const reviewed = named(await overview());
    await root.put('/api/option/', { key: 'CompletionRatio', value: JSON.stringify({ old: 1 }) });
    const { data } = await root.post('/api/price/sync/apply', { changes: reviewed });
    expect(data).toEqual({ done: [], refused: [{ model: 'old', reason: 'changed' }] });
    expect(app.context.settings.get('CompletionRatio')).toEqual({ old: 1 });
  });

  it('two administrators who apply at once, and a hand edit in between, lose nothing', async () => {
    await run();
    const changes = named(await overview());
    const edit = () => root.put('/api/option/', { key: 'CompletionRatio', value: '{"kept":3}' });
    const [one, , other] = await Promise.all([
      root.post('/api/price/sync/apply', { changes }),
      edit(),
      root.post('/api/price/sync/apply', { changes }),
    ]);
    expect([...one.data.done, ...other.data.done]).toEqual(expect.arrayContaining(['new', 'old']));
    expect([...one.data.refused, ...other.data.refused].every(({ reason }: { reason: string }) => reason === 'gone')).toBe(true);
    expect(ratios()).toEqual({ old: 1.5, kept: 2, new: 2 });
    expect(app.context.settings.get('CompletionRatio')).toEqual({ kept: 3 });
    expect(await history('old')).toHaveLength(1);
  });

  it('by the schedule it applies within the guard, once a day for a model, and reports the rest to a person', async () => {
    await setOption(app, 'PriceSyncHours', '1');
    await setOption(app, 'PriceSyncApply', 'all');
    offer({ old: 2.2, new: 4, kept: 0 });
    await syncPrices(app.context);
    await syncPrices(app.context);
    expect(ratios()).toEqual({ old: 1.1, kept: 2, new: 2 });
    expect(await overview()).toMatchObject({
      reviews: [{ model: 'kept', guards: ['free'] }],
      runs: [{ trigger: 'schedule', applied: 2, waiting: 1 }],
    });
    expect(await history('new')).toMatchObject([{ username: '', source: publicName }]);
    // Small steps do not add up.
    offer({ old: 2.4, new: 4, kept: 0 });
    app.clock.advance(hour);
    await syncPrices(app.context);
    expect(ratios()).toMatchObject({ old: 1.1 });
    expect((await overview()).reviews).toMatchObject([{ model: 'kept' }, { model: 'old', guards: ['again'] }]);
    app.clock.advance(24 * hour);
    await syncPrices(app.context);
    expect(ratios()).toMatchObject({ old: 1.2 });
    expect(await notices()).toHaveLength(2);
  });

  it('a dismissed change returns when the catalogue changes its price', async () => {
    await run();
    expect((await root.post('/api/price/sync/dismiss', { changes: named(await overview()) })).data.done).toEqual(['new', 'old']);
    expect(await run()).toMatchObject({ waiting: 0 });
    offer({ old: 3, new: 6, kept: 4 });
    expect(await run()).toMatchObject({ waiting: 1 });
    expect((await overview()).reviews).toMatchObject([{ model: 'new' }]);
  });

  it('a planned change applies at its time, unless its price was edited since', async () => {
    await run();
    const at = Math.floor(app.clock.now() / 1000) + 3600;
    const past = await root.post('/api/price/sync/apply', { changes: named(await overview()), at: at - 7200 });
    expect(past).toMatchObject({ success: false, code: 'invalid_field' });
    await root.post('/api/price/sync/apply', { changes: named(await overview()), at });
    expect(await overview()).toMatchObject({
      reviews: [],
      plans: [
        { model: 'new', at, username: 'root' },
        { model: 'old', state: 'waiting' },
      ],
    });
    // The catalogue's price is planned already.
    expect(await run()).toMatchObject({ waiting: 0 });
    await applyPlans(app.context);
    expect(ratios()).toEqual({ old: 1, kept: 2 });
    await root.put('/api/option/', { key: 'ModelRatio', value: JSON.stringify({ old: 1.9, kept: 2 }) });
    app.clock.advance(hour);
    await applyPlans(app.context);
    expect(ratios()).toEqual({ old: 1.9, kept: 2, new: 2 });
    const { plans } = await overview();
    expect(plans).toMatchObject([{ model: 'old', state: 'changed' }]);
    expect(await history('new')).toMatchObject([{ username: 'root', source: publicName }]);
    expect(await notices()).toContainEqual({ code: 'price_plan_changed', count: 1, models: 'old' });
    expect(await root.delete(`/api/price/plan/${plans[0]?.id}`)).toMatchObject({ success: true });
    expect((await overview()).plans).toEqual([]);
  });

  it('a plan whose author may not change prices any more waits for a review at its time', async () => {
    const { db } = app.context;
    const keeper = await app.createUser({ username: 'keeper', role: Role.admin });
    const client = await app.as(keeper);
    const at = () => Math.floor(app.clock.now() / 1000) + 3600;
    const plan = async () => client.post('/api/price/sync/apply', { changes: named(await overview()), at: at() });
    for (const change of [{ role: Role.user }, { status: UserStatus.banned }, { DeletedAt: new Date(app.clock.now()).toISOString() }]) {
      await run();
      expect(await plan()).toMatchObject({ success: true, data: { done: ['new', 'old'] } });
      await db.collection('users').patch({ id: keeper.id }, { set: change });
      expect((await overview()).plans.map(({ state }) => state)).toEqual(['held', 'held']);
      app.clock.advance(hour);
      await applyPlans(app.context);
      expect(ratios()).toEqual({ old: 1, kept: 2 });
      const { reviews, plans } = await overview();
      expect(plans).toEqual([]);
      expect(reviews).toMatchObject([
        { model: 'new', guards: ['author'], is_new: true },
        { model: 'old', guards: ['author'], is_new: false },
      ]);
      expect(await notices()).toContainEqual({ code: 'price_review', source: publicName, count: 2, models: 'new, old' });
      await db.collection('users').patch({ id: keeper.id }, { set: { role: Role.admin, status: UserStatus.active, DeletedAt: null } });
      await app.context.changes.announce('user', keeper.id);
    }
    expect((await root.post('/api/price/sync/apply', { changes: named(await overview()) })).data.done).toEqual(['new', 'old']);
    expect(ratios()).toEqual({ old: 1.5, kept: 2, new: 2 });
  });

  it('what was reviewed in dollars is not applied when its ratios mean other dollars', async () => {
    const offerCached = (cached: number) => {
      document = JSON.stringify({ openai: { models: { kept: { id: 'kept', cost: { input: 4, output: 4, cache_read: cached } } } } });
    };
    offerCached(1);
    await run();
    const reviewed = named(await overview());
    const changes = { done: [], refused: [{ model: 'kept', reason: 'changed' }] };
    // The review is of the price of cached tokens alone, whose ratio is relative to that of input.
    await setOption(app, 'ModelRatio', JSON.stringify({ old: 1, kept: 4 }));
    expect((await root.post('/api/price/sync/apply', { changes: reviewed })).data).toEqual(changes);
    await setOption(app, 'ModelRatio', JSON.stringify({ old: 1, kept: 2 }));
    const at = Math.floor(app.clock.now() / 1000) + 3600;
    expect((await root.post('/api/price/sync/apply', { changes: reviewed, at })).data.done).toEqual(['kept']);
    await setOption(app, 'QuotaPerUnit', '1000000');
    app.clock.advance(hour);
    await applyPlans(app.context);
    expect((await overview()).plans).toMatchObject([{ model: 'kept', state: 'changed' }]);
    expect(app.context.settings.get('CacheRatio')).not.toHaveProperty('kept');
    // The next comparison shows the price of today.
    await run();
    const renewed = await overview();
    expect(renewed.reviews).toMatchObject([{ lines: [{ name: 'input', before: 2, after: 4 }, {}, {}] }]);
    await setOption(app, 'QuotaPerUnit', '500000');
    expect((await root.post('/api/price/sync/apply', { changes: named(renewed) })).data).toEqual(changes);
  });

  it('prices that no map can have leave their model out, and a plan that is refused holds up no other', async () => {
    document = JSON.stringify({
      openai: { models: { new: { id: 'new', cost: { input: 1e-6, output: 1e6 } }, old: { id: 'old', cost: { input: 3, output: 3 } } } },
    });
    await setOption(app, 'PriceSyncApply', 'new');
    expect(await run()).toMatchObject({ state: 'done', waiting: 1, invalid: ['new'] });
    const at = Math.floor(app.clock.now() / 1000) + 3600;
    await root.post('/api/price/sync/apply', { changes: named(await overview()), at: at + 1 });
    const { db } = app.context;
    const refused = {
      id: await db.nextId('price_plans'),
      model: 'new',
      at,
      state: 'waiting' as const,
      user_id: 1,
      created_at: 0,
      source: '',
    };
    await db.collection('price_plans').insert({ ...refused, entries: [{ key: 'ModelRatio', name: 'new', after: 1e12 }], lines: [] });
    app.clock.advance(2 * hour);
    await applyPlans(app.context);
    expect(ratios()).toEqual({ old: 1.5, kept: 2 });
    expect((await overview()).plans).toMatchObject([{ model: 'new', state: 'changed' }]);
  });

  it('a model may have the name of what every object has', async () => {
    await setOption(app, 'PriceSyncModels', 'all');
    offer({ constructor: 3 });
    await run();
    const reviewed = named(await overview());
    expect(reviewed).toMatchObject([{ model: 'constructor' }]);
    await setOption(app, 'QuotaPerUnit', '1000000');
    await setOption(app, 'QuotaPerUnit', '500000');
    expect(await history('constructor')).toEqual([]);
    expect((await root.post('/api/price/sync/apply', { changes: reviewed })).data.done).toEqual(['constructor']);
    expect(await history('constructor')).toMatchObject([{ lines: [{ name: 'input', after: 3 }, {}] }]);
  });

  it('a save by hand has its reason in the history, on one line', async () => {
    const options = [{ key: 'ModelRatio', value: JSON.stringify({ old: 4, kept: 2 }) }];
    expect(await root.put('/api/option/batch', { options, note: ' new contract\nof May ' })).toMatchObject({ success: true });
    expect(await history('old')).toMatchObject([{ username: 'root', note: 'new contract of May', lines: [{ before: 2, after: 8 }, {}] }]);
    expect((await root.get('/api/option/history?keys=ModelRatio')).data.items[0]).toMatchObject({ note: 'new contract of May' });
  });

  it('a history of more saves than a page continues on the next one', async () => {
    const { db } = app.context;
    const saves = 51;
    await db.collection('option_changes').remove({ id: { gte: 0 } });
    await setOption(app, 'ModelRatio', JSON.stringify({ old: saves + 1, kept: 2 }));
    await db.collection('option_changes').remove({ id: { gte: 0 } });
    const changes = Array.from({ length: saves }, (_, index) => ({
      id: (index + 1) * 1000,
      key: 'ModelRatio',
      revision: index + 1,
      actor_id: 0,
      created_at: 1_700_000_000 + index,
      entries: [{ name: 'old', before: index + 1, after: index + 2 }],
    }));
    await db.write(changes.map((insert) => ({ insert, into: 'option_changes' as const })));
    const { events, next } = (await root.get('/api/price/history?model=old')).data;
    expect(events).toHaveLength(saves - 1);
    expect(events.at(-1)).toMatchObject({ lines: [{ before: 4, after: 6 }, {}] });
    const rest = (await root.get(`/api/price/history?model=old&before=${next}`)).data;
    expect(rest).toMatchObject({ events: [{ lines: [{ before: 2, after: 4 }, {}] }] });
    expect(rest.next).toBeUndefined();
  });

  it('a list of another Tidegate is followed, also in what it drops', async () => {
    await setOption(app, 'PriceSyncModels', 'priced');
    const list = (ModelRatio: Record<string, number>) => {
      document = JSON.stringify({ format: 'tidegate-prices', quota_per_unit: 1_000_000, ModelRatio, TierPrice: { 'flex:ne*': 0.4 } });
    };
    list({ old: 2, kept: 4, new: 3 });
    expect(await run()).toMatchObject({ format: 'tidegate', waiting: 2 });
    expect((await overview()).reviews).toMatchObject([
      { model: 'ne*', lines: [{ name: 'tier:flex', unit: 'factor', after: 0.4 }] },
      {
        model: 'new',
        lines: [
          { name: 'input', after: 3 },
          { name: 'output', after: 3 },
        ],
      },
    ]);
    list({ old: 2 });
    await run();
    expect((await overview()).reviews).toMatchObject([
      { model: 'kept', guards: ['lost'], lines: [{ before: 4 }, { before: 4 }] },
      { model: 'ne*' },
    ]);
  });

  it('its own list is public if the site says so, and is read back as no difference', async () => {
    const address = `${app.origin}/api/price/list`;
    expect((await app.anonymous().get('/api/price/list')).code).toBe('not_found');
    await setOption(app, 'PriceListPublic', 'true');
    document = await (await fetch(address)).text();
    expect(JSON.parse(document)).toMatchObject({ format: 'tidegate-prices', currency: 'USD', ModelRatio: { old: 1, kept: 2 } });
    await setOption(app, 'PriceSyncModels', 'all');
    expect(await run()).toMatchObject({ state: 'done', waiting: 0, invalid: [] });
    await setOption(app, 'PriceListPublic', 'false');
  });

  it.each([
    ['http_status', () => internet.serve((_visit, response) => response.writeHead(500).end()), '500'],
    [
      'refused_address',
      () => internet.serve((_visit, response) => response.writeHead(302, { location: 'https://inner/' }).end()),
      'private_address',
    ],
    ['too_large', () => internet.serve((_visit, response) => pour(response)), 'too_large'],
    ['not_json', () => internet.serve((_visit, response) => response.end('{"a": NaN}')), undefined],
  ] as const)('%s fails visibly and changes nothing', async (failure, serve, detail) => {
    internet.name('inner', ['10.0.0.1']);
    serve();
    expect(await run()).toMatchObject({ state: 'failed', failure, ...(detail === undefined ? {} : { detail }) });
    internet.serve((_visit, response) => response.end(document));
    expect(ratios()).toEqual({ old: 1, kept: 2 });
    expect((await overview()).runs).toMatchObject([{ state: 'failed', failure }]);
    expect(internet.connections.every((address) => address.startsWith(publicAddress))).toBe(true);
  });

  it('one runs at a time, and a failed scheduled one alerts once a day', async () => {
    await app.context.db
      .collection('price_syncs')
      .insert({ ...stopped, id: 0, state: 'running', running: 1, started_at: Math.floor(app.clock.now() / 1000) });
    expect(await root.post('/api/price/sync')).toMatchObject({ success: false, code: 'price_sync_running' });
    app.clock.advance(hour);
    document = '[]';
    await setOption(app, 'PriceSyncHours', '5');
    await syncPrices(app.context);
    await syncPrices(app.context);
    app.clock.advance(hour);
    await syncPrices(app.context);
    const { runs } = await overview();
    expect(runs.map(({ failure }) => failure)).toEqual(['unknown_format', 'unknown_format', 'interrupted']);
    expect(await notices()).toEqual([{ code: 'price_sync_failed', source: publicName, reason: 'unknown_format', detail: '' }]);
  });
});

const stopped: Omit<PriceSyncRecord, 'id' | 'state' | 'started_at'> = {
  trigger: 'console',
  user_id: 0,
  source: '',
  compared: 0,
  applied: 0,
  waiting: 0,
  invalid: [],
  unplaced: [],
};

/** Without an end. */
function pour(response: ServerResponse): void {
  const chunk = Buffer.alloc(1024 * 1024, ' ');
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  more();
}
