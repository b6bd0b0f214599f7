// The status page: what is measured, what each visitor sees, incidents of the measures and of administrators, feeds.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StatusIncident, type StatusModel, type StatusPage, statusDays } from '#shared/status-page.ts';
import { ChannelStatus } from '#shared/channels.ts';
import { modelFiguresOf } from '#server/slices/status-page/model-figures.ts';
import { incidentRetention, sweepStatus, tendStatus } from '#server/slices/status-page/tend-status.ts';
import { buildIncident } from '#tests/support/build-incident.ts';
import { createSession } from '#tests/support/build-token.ts';
import { engines } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { createScene, type RelayScene, readEvents, setOption, testModel } from '#tests/support/relay-scene.ts';

const minute = 60_000;
const hostile = `<img src=x onerror="alert(1)">&]]>`;

describe.each(engines)('status page on $kind', (engine) => {
  let scene: RelayScene;
  let admin: TestClient;

  beforeAll(async () => {
    scene = await createScene(engine, {
      settings: { StatusPage: 'public' },
      channels: [
        { models: `${testModel},tide,${hostile},text-embedding-3-small` },
        { models: 'inner', group: 'inner' },
        { models: 'vip-only', group: 'vip' },
      ],
    });
    admin = await scene.app.setup();
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  const figures = () => modelFiguresOf(scene.app.context);
  const now = () => Math.floor(scene.app.clock.now() / 1000);
  const page = async (client: TestClient = scene.app.anonymous()): Promise<StatusPage> => (await client.get('/api/status/page')).data;
  const modelOf = async (model: string, client?: TestClient): Promise<StatusModel | undefined> =>
    (await page(client)).models.find((one) => one.model === model);
  const count = (model: string, { answered = 0, failed = 0, ms = 400 }: { answered?: number; failed?: number; ms?: number }) => {
    for (let index = 0; index < answered; index += 1) figures().answered(model, 1000 + index, ms);
    for (let index = 0; index < failed; index += 1) figures().failed(model, 2000 + index);
  };
  /** So many minutes in each of which these calls end. */
  const minutes = async (times: number, calls: Record<string, Parameters<typeof count>[1]> = {}) => {
    for (let passed = 0; passed < times; passed += 1) {
      scene.app.clock.advance(minute);
      for (const [model, ended] of Object.entries(calls)) count(model, ended);
      await tendStatus(scene.app.context);
    }
  };
  const stored = () => scene.app.context.db.collection('model_figures').find({});

  it('counts what callers got: answered after a retry is answered, and faults of the caller are none', async () => {
    await figures().flush();
    for await (const { id } of scene.app.context.db.collection('model_figures').each({}))
      await scene.app.context.db.collection('model_figures').remove({ id });
    scene.upstream.queue({ status: 500 }, {});
    const second = await scene.addChannel({ base_url: scene.upstream.url });
    expect((await scene.chat()).status).toBe(200);
    scene.upstream.queue({ status: 400 });
    expect((await scene.chat()).status).toBe(400);
    const streamed = await scene.chat({ stream: true });
    await readEvents(streamed);
    expect((await scene.chat({ model: 'nobody-has-it' })).status).toBe(404);
    await scene.logs(3);
    await figures().flush();
    const [slot, ...rest] = (await stored()).filter(({ id }) => id.startsWith('s'));
    expect(rest).toEqual([]);
    expect(slot).toMatchObject({ model: testModel, answered: 2, failed: 0 });
    expect(Object.values(slot?.first_byte ?? {}).reduce((sum, one) => sum + one, 0)).toBe(1);

    scene.upstream.behave({ status: 500 });
    expect((await scene.chat()).status).toBeGreaterThanOrEqual(500);
    await scene.logs(4);
    scene.upstream.reset();
    await figures().flush();
    expect((await stored()).find(({ id }) => id.startsWith('d'))).toMatchObject({ answered: 2, failed: 1 });
    await scene.app.context.db.collection('channels').remove({ id: second });
    await scene.app.context.channels.reload();
  });

  it('measures nothing of names that no channel lists', async () => {
    for (let index = 0; index < 100_000; index += 1) figures().failed(`made-up-${index}`, 7);
    await figures().flush();
    expect((await stored()).some(({ model }) => model.startsWith('made-up'))).toBe(false);
  });

  it('shows a model that fails as down, with an incident that closes by itself', async () => {
    await minutes(3, { tide: { answered: 30 } });
    expect(await modelOf('tide')).toMatchObject({ state: 'operational', up: 100, p50: 400 });
    await minutes(10, { tide: { answered: 5, failed: 15 } });
    expect(await modelOf('tide')).toMatchObject({ state: 'down' });
    const { current, models } = await page();
    expect(models[0]?.model).toBe('tide');
    expect(current).toHaveLength(1);
    expect(current[0]).toMatchObject({ kind: 'automatic', level: 'down', models: ['tide'], failed_percent: 75 });
    expect(JSON.stringify(current)).not.toMatch(/channel|secret|http/);

    await minutes(16, { tide: { answered: 30 } });
    const after = await page();
    expect(after.current).toEqual([]);
    expect(after.past[0]).toMatchObject({ level: 'down', state: 'resolved', models: ['tide'] });
    const tide = await modelOf('tide');
    expect(tide?.state).toBe('operational');
    expect(tide?.days).toHaveLength(statusDays);
    expect(tide?.days.at(-1)).toBe('d');
    expect(tide?.marks[0]).toMatchObject({ day: statusDays - 1 });
    expect(tide?.marks[0]?.down_minutes).toBeGreaterThan(5);
  });

  it('continues the incident of a model that fails again, and one incident has all models that fail at once', async () => {
    await minutes(8, { tide: { failed: 20 }, [testModel]: { failed: 20 } });
    const { current, past } = await page();
    expect(current).toHaveLength(2);
    expect(past).toEqual([]);
    expect(new Set(current.flatMap(({ models }) => models))).toEqual(new Set([testModel, 'tide']));
    await minutes(20, { tide: { answered: 30 }, [testModel]: { answered: 30 } });
    scene.app.clock.advance(60 * minute);
    await minutes(1, { tide: { answered: 30 }, [testModel]: { answered: 30 } });
    await minutes(8, { tide: { failed: 20 }, [testModel]: { failed: 20 } });
    expect((await page()).current).toMatchObject([{ models: expect.arrayContaining(['tide', testModel]) }]);
    await minutes(20, { tide: { answered: 30 }, [testModel]: { answered: 30 } });
  });

  it('closes the incident of a model that recovered in a judgement that was cut short', async () => {
    await minutes(8, { tide: { failed: 20 } });
    expect((await page()).current).toMatchObject([{ models: expect.arrayContaining(['tide']) }]);
    const { db } = scene.app.context;
    // The state was stored, and the process ended before it closed the incident.
    await db.collection('model_states').patch({ id: 'tide' }, { set: { state: 'operational' } });
    scene.app.clock.advance(15 * minute);
    await minutes(1, { tide: { answered: 30 } });
    expect((await page()).current).toEqual([]);
  });

  it('is not fooled by one caller among several', async () => {
    for (let passed = 0; passed < 12; passed += 1) {
      scene.app.clock.advance(minute);
      for (let index = 0; index < 500; index += 1) figures().failed('tide', 666);
      count('tide', { answered: 10 });
      await tendStatus(scene.app.context);
      expect((await modelOf('tide'))?.state).toBe('operational');
    }
  });

  it('says slow against the model’s own week, and no number of calls', async () => {
    scene.app.clock.advance(26 * 3600_000);
    await minutes(2, { tide: { answered: 30 } });
    await minutes(8, { tide: { answered: 30, ms: 4000 } });
    const { current, models } = await page();
    expect(models[0]).toMatchObject({ model: 'tide', state: 'slow' });
    expect(current[0]).toMatchObject({ level: 'slow', first_token_ms: 4000, usual_ms: 400 });
    const text = JSON.stringify(await page());
    expect(text).not.toMatch(/"(?:answered|failed|calls|count|first_byte)"/);
    await minutes(20, { tide: { answered: 30 } });
  });

  it('shows visitors the models of the default group, members those of theirs, administrators all', async () => {
    const names = async (client?: TestClient) => (await page(client)).models.map(({ model }) => model).toSorted();
    const shared = [hostile, testModel, 'text-embedding-3-small', 'tide'].toSorted();
    expect(await names()).toEqual(shared);
    const inner = await scene.app.as(await scene.app.createUser({ group: 'inner' }));
    expect(await names(inner)).toEqual([...shared, 'inner', 'vip-only'].toSorted());
    const member = await scene.app.as(await scene.app.createUser({ group: 'default' }));
    expect(await names(member)).not.toContain('inner');
    expect(await names(admin)).toEqual([...shared, 'inner', 'vip-only'].toSorted());

    await minutes(8, { inner: { failed: 20 } });
    expect((await page()).current).toEqual([]);
    expect((await page(member)).current).toEqual([]);
    expect((await page(inner)).current).toMatchObject([{ models: ['inner'] }]);
    await minutes(20, { inner: { answered: 30 } });

    await setOption(scene.app, 'StatusPageHidden', 'tide');
    expect(await names()).not.toContain('tide');
    expect((await page()).past.flatMap(({ models }) => models)).not.toContain('tide');
    expect(await modelOf('tide', admin)).toMatchObject({ is_hidden: true });
    await setOption(scene.app, 'StatusPageHidden', '');
  });

  it('is for nobody, members or everybody', async () => {
    const visitor = scene.app.anonymous();
    const member = await scene.app.as(await scene.app.createUser());
    await setOption(scene.app, 'StatusPage', 'off');
    expect(await visitor.get('/api/status/page')).toMatchObject({ success: false, code: 'not_found' });
    expect(await admin.get('/api/status/page')).toMatchObject({ success: false, code: 'not_found' });
    expect((await fetch(`${scene.app.origin}/status.rss`)).status).toBe(404);
    await setOption(scene.app, 'StatusPage', 'members');
    expect(await visitor.get('/api/status/page')).toMatchObject({ success: false, code: 'not_logged_in' });
    expect((await fetch(`${scene.app.origin}/status.json`)).status).toBe(401);
    expect((await member.get('/api/status/page')).success).toBe(true);
    await setOption(scene.app, 'StatusPage', 'public');
    expect((await visitor.get('/api/status/page')).success).toBe(true);
  });

  it('reads nothing when it is reloaded, and answers a known page with 304', async () => {
    const first = await fetch(`${scene.app.origin}/api/status/page`);
    await first.arrayBuffer();
    expect(first.headers.get('cache-control')).toBe('public, max-age=30');
    expect(first.headers.get('vary')).toContain('Cookie');
    const tag = first.headers.get('etag') ?? '';
    const { db } = scene.app.context;
    const states = db.collection('model_states');
    await states.patch({ id: 'tide' }, { set: { state: 'down' } });
    const again = await fetch(`${scene.app.origin}/api/status/page`, { headers: { 'if-none-match': tag } });
    expect(again.status).toBe(304);
    expect((await modelOf('tide'))?.state).toBe('operational');
    scene.app.clock.advance(31_000);
    expect((await modelOf('tide'))?.state).toBe('down');
    await states.patch({ id: 'tide' }, { set: { state: 'operational' } });
    const headers = { cookie: await createSession(scene.app.context, scene.user), 'new-api-user': String(scene.user.id) };
    const own = await fetch(`${scene.app.origin}/api/status/page`, { headers });
    expect(own.headers.get('cache-control')).toBe('private, no-cache');
    scene.app.clock.advance(31_000);
  });

  it('shows a model whose only channel was disabled by the system as down', async () => {
    const { db, channels, changes } = scene.app.context;
    const [id = 0] = scene.channelIds;
    await db.collection('channels').patch({ id }, { set: { status: ChannelStatus.disabledBySystem }, increment: { revision: 1 } });
    await changes.announce('channel', id);
    await channels.reload();
    await minutes(2);
    expect(await modelOf('text-embedding-3-small')).toMatchObject({ state: 'down' });
    expect(await modelOf('vip-only', admin)).toMatchObject({ state: 'unknown' });
    await db.collection('channels').patch({ id }, { set: { status: ChannelStatus.disabledByHand }, increment: { revision: 1 } });
    await channels.reload();
    await minutes(1);
    expect(await modelOf('text-embedding-3-small')).toBeUndefined();
    expect((await page(admin)).current).toEqual([]);
    await db.collection('channels').patch({ id }, { set: { status: ChannelStatus.enabled }, increment: { revision: 1 } });
    await channels.reload();
    await minutes(1);
  });

  const text = (en: string, zh = '') => ({ zh, en });
  const written = { kind: 'written', title: text('Slow answers'), models: ['tide'] } as const;
  const update = { state: 'investigating', text: text('We are looking at it.') } as const;

  it('publishes what administrators write, in the audit log, and nobody else may', async () => {
    const member = await scene.app.as(await scene.app.createUser());
    expect(await member.post('/api/status/incident', { ...written, update })).toMatchObject({ success: false, code: 'forbidden' });
    const { data: made } = await admin.post('/api/status/incident', { ...written, update });
    const shown = (await page()).current.find(({ id }) => id === made.id);
    expect(shown).toMatchObject({ title: { zh: 'Slow answers', en: 'Slow answers' }, state: 'investigating', models: ['tide'] });
    const path = `/api/status/incident/${made.id}`;
    const edit = { ...written, title: text('Slow answers of tide', 'tide 变慢'), revision: made.revision };
    const { data: edited } = await admin.put(path, edit);
    expect(await admin.put(path, edit)).toMatchObject({ code: 'revision_conflict', data: { title: { zh: 'tide 变慢' } } });
    const { data: ended } = await admin.post(`${path}/update`, { state: 'resolved', text: text('Over.'), revision: edited.revision });
    expect(ended.ended_at).toBe(now());
    expect((await page()).past.find(({ id }) => id === made.id)).toMatchObject({
      updates: [{ state: 'resolved' }, { state: 'investigating' }],
    });
    const entries = await scene.app.context.db.collection('audit_entries').find({}, { sort: [['id', -1]], limit: 3 });
    expect(entries.map(({ kind, action }) => `${kind} ${action}`)).toEqual(['incident changed', 'incident changed', 'incident created']);
    expect((await admin.delete(path)).success).toBe(true);
    expect((await page()).past.some(({ id }) => id === made.id)).toBe(false);
    expect(await admin.delete(path)).toMatchObject({ code: 'not_found' });
    // A title in no language says nothing.
    expect((await admin.post('/api/status/incident', { ...written, title: text(''), update })).success).toBe(false);
  });

  it('plans maintenance, which ends by its window', async () => {
    const window = { planned_from: now() + 3600, planned_until: now() + 7200 };
    const planned = { kind: 'maintenance', title: text('Update'), models: [], update: { state: 'planned', text: text('Three minutes.') } };
    expect((await admin.post('/api/status/incident', planned)).success).toBe(false);
    const { data: made } = await admin.post('/api/status/incident', { ...planned, ...window });
    expect((await page()).current.find(({ id }) => id === made.id)).toMatchObject({ started_at: window.planned_from, state: 'planned' });
    scene.app.clock.advance(2 * 3600_000);
    await minutes(1);
    expect((await page()).past.find(({ id }) => id === made.id)).toMatchObject({ ended_at: window.planned_until, state: 'resolved' });
  });

  it('writes feeds in both languages with every text escaped', async () => {
    const { data: made } = await admin.post('/api/status/incident', {
      ...written,
      title: text(hostile),
      update: { ...update, text: text(hostile) },
    });
    const rss = await (await fetch(`${scene.app.origin}/status.rss?lang=en`)).text();
    expect(rss).not.toContain('<img');
    expect(rss).toContain('&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&amp;]]&gt;');
    expect(rss).toMatch(/<item><title>[^<]*<\/title><link>http[^<]*\/status\?incident=\d+<\/link>/);
    const response = await fetch(`${scene.app.origin}/status.json?lang=zh`);
    expect(response.headers.get('content-type')).toBe('application/feed+json; charset=utf-8');
    const feed = (await response.json()) as { language: string; items: { title: string; content_text: string }[] };
    expect(feed.language).toBe('zh');
    expect(feed.items[0]?.title).toBe(hostile);
    expect(feed.items.some(({ title }) => / 等 \d 个模型 不可用$/.test(title))).toBe(true);
    expect(
      (await fetch(`${scene.app.origin}/status.json?lang=zh`, { headers: { 'if-none-match': response.headers.get('etag') ?? '' } })).status,
    ).toBe(304);
    await admin.delete(`/api/status/incident/${made.id}`);
  });

  it('lists older incidents, and retains all for a year', async () => {
    const { db } = scene.app.context;
    for (let id = 5000; id < 5060; id += 1) {
      const { open: _open, ...ended } = buildIncident({ id, state: 'resolved', started_at: now() - 5000, ended_at: now() - 10_000 + id });
      await db.collection('status_incidents').insert(ended);
    }
    scene.app.clock.advance(31_000);
    const first = await page();
    expect(first).toMatchObject({ has_more: true, past: { length: 10 } });
    const seen: StatusIncident[] = [];
    for (let before: number | undefined, more = true; more;) {
      const { data } = await scene.app.anonymous().get(`/api/status/incident${before === undefined ? '' : `?before=${before}`}`);
      seen.push(...data.incidents);
      before = seen.at(-1)?.id;
      more = data.has_more;
    }
    expect(seen.filter(({ id }) => id >= 5000)).toHaveLength(60);
    expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
    scene.app.clock.advance(91 * 86_400_000);
    await sweepStatus(scene.app.context);
    expect((await stored()).every(({ start }) => start >= now() - 92 * 86_400)).toBe(true);
    expect(await db.collection('status_incidents').count({ id: { gte: 5000 } })).toBe(60);
    scene.app.clock.advance(incidentRetention * 1000);
    await sweepStatus(scene.app.context);
    expect(await db.collection('status_incidents').count({})).toBe(0);
  });
});
