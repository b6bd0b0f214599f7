import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { OptionChange } from '#shared/options.ts';
import { longestChange } from '#server/settings/option-changes.ts';
import { sweepAuditEntries } from '#server/settings/sweep-audit-entries.ts';
import { finishOptionWrites } from '#server/settings/option-writes.ts';
import { engines } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

describe.each(engines)('history of options on $kind', (engine) => {
  let app: TestApp;
  let root: TestClient;
  let admin: TestClient;

  beforeAll(async () => {
    app = await createTestApp(engine);
    root = await app.setup();
    admin = await app.as(await app.createUser({ role: 10, username: 'ops' }));
  });
  afterAll(() => app.close());

  const save = (key: string, value: unknown, client = root) => client.put('/api/option/', { key, value });
  const history = async (query = '', client = root): Promise<OptionChange[]> =>
    (await client.get(`/api/option/history${query}`)).data.items;
  const newest = async (key: string, client = root): Promise<OptionChange> => {
    const [change] = await history(`?keys=${key}`, client);
    if (change === undefined) throw new Error(`Nothing was kept of ${key}`);
    return change;
  };
  const undo = (id: number, client = root) => client.post(`/api/option/history/${id}/undo`);
  const valueOf = async (key: string) => (await root.get('/api/option/')).data.find((option: { key: string }) => option.key === key)?.value;

  it('is for administrators only', async () => {
    const user = await app.as(await app.createUser());
    expect(await app.anonymous().get('/api/option/history')).toMatchObject({ status: 401 });
    expect(await user.get('/api/option/history')).toMatchObject({ status: 403, code: 'forbidden' });
    expect(await app.anonymous().post('/api/option/history/1/undo')).toMatchObject({ status: 401 });
    expect(await user.post('/api/option/history/1/undo')).toMatchObject({ status: 403, code: 'forbidden' });
  });

  it('tells who changed what from what to what, and when', async () => {
    const seconds = () => Math.floor(app.clock.now() / 1000);
    const since = seconds();
    await save('SystemName', 'Harbour', admin);
    const harbour = await newest('SystemName');
    expect(harbour).toMatchObject({ before: 'Tidegate', after: 'Harbour', username: 'ops', can_undo: true });
    expect(harbour.created_at).toBeGreaterThanOrEqual(since);
    expect(harbour.created_at).toBeLessThanOrEqual(seconds());
    await save('SystemName', 'Quay');
    const [second, first] = await history('?keys=SystemName');
    expect(second).toMatchObject({ before: 'Harbour', after: 'Quay', username: 'root', can_undo: true });
    // What came after it is not taken back with it.
    expect(first).toMatchObject({ after: 'Harbour', can_undo: false });
    expect(second?.revision).toBe((first?.revision ?? 0) + 1);
  });

  it('keeps of a map what differs', async () => {
    const before = JSON.parse(await valueOf('ModelRatio'));
    const { 'gpt-4o': old, ...rest } = before;
    await save('ModelRatio', JSON.stringify({ ...rest, 'gpt-4o-mini': 0.2, 'new.model': 3, __proto__x: 1 }));
    const { entries, before: text } = await newest('ModelRatio');
    expect(text).toBeUndefined();
    expect(entries).toHaveLength(4);
    expect(entries).toEqual(
      expect.arrayContaining([
        { name: 'gpt-4o', before: old },
        { name: 'gpt-4o-mini', before: before['gpt-4o-mini'], after: 0.2 },
        { name: 'new.model', after: 3 },
      ]),
    );
    // The same in another writing is no change that anybody wants to read about.
    const [newestId] = (await history()).map(({ id }) => id);
    await save('ModelRatio', `${await valueOf('ModelRatio')} `);
    expect((await history())[0]?.id).toBe(newestId);
    await save('DemoSiteEnabled', 'false');
    expect(await history('?keys=DemoSiteEnabled')).toEqual([]);
  });

  it('never holds a secret, only that there was one', async () => {
    await save('SMTPToken', 'first-hidden');
    await save('SMTPToken', 'second-hidden');
    await save('SMTPToken', '');
    const changes = await history('?keys=SMTPToken');
    expect(changes.map(({ was_set, is_set }) => [was_set, is_set])).toEqual([
      [true, false],
      [true, true],
      [false, true],
    ]);
    expect(JSON.stringify(changes)).not.toContain('hidden');
    const stored = await app.context.db.collection('option_changes').find({ key: 'SMTPToken' });
    expect(stored.every(({ before, after, entries }) => before === undefined && after === undefined && entries === undefined)).toBe(true);
    expect(changes.some(({ can_undo }) => can_undo)).toBe(false);
    expect(await undo(changes[0]?.id ?? 0)).toMatchObject({ status: 200, success: false, code: 'option_change_not_kept' });
  });

  it('is listed by page, of all options or of some', async () => {
    for (let step = 0; step < 5; step += 1) await save('Footer', `step ${step}`);
    await save('About', 'about');
    const page = async (query: string) => (await root.get(`/api/option/history?${query}`)).data;
    const all = await page('p=1&page_size=3');
    expect(all.items.map((change: OptionChange) => change.after)).toEqual(['about', 'step 4', 'step 3']);
    expect(all.total).toBeGreaterThan(6);
    const footer = await page('p=2&page_size=3&keys=Footer,Logo');
    expect(footer.items.map((change: OptionChange) => change.after)).toEqual(['step 1', 'step 0']);
    expect(footer.total).toBe(5);
    expect(await page('keys=no.such.key')).toMatchObject({ items: [], total: 0 });
    expect((await page('p=9999')).items).toEqual([]);
  });

  describe('taking a change back', () => {
    it('is a change of its own, and can itself be taken back', async () => {
      await save('RetryTimes', 7);
      const change = await newest('RetryTimes');
      expect(await undo(change.id)).toMatchObject({ success: true, data: { key: 'RetryTimes', value: '3' } });
      expect(app.context.settings.get('RetryTimes')).toBe(3);
      const back = await newest('RetryTimes');
      expect(back).toMatchObject({ before: '7', after: '3', username: 'root', can_undo: true });
      expect(await undo(back.id)).toMatchObject({ success: true, data: { value: '7' } });
      expect((await history('?keys=RetryTimes')).length).toBe(3);
    });

    it('is refused where the same was changed since, with what it is now', async () => {
      await save('Notice', 'one');
      const change = await newest('Notice');
      await save('Notice', 'two', admin);
      expect(await undo(change.id)).toMatchObject({
        status: 200,
        success: false,
        code: 'revision_conflict',
        data: { key: 'Notice', value: 'two', updated_by: 'ops' },
      });
      expect(await valueOf('Notice')).toBe('two');
    });

    it('of a map leaves alone what others changed in it', async () => {
      await save('ModelPrice', '{"a":1,"b":2}');
      await save('ModelPrice', '{"a":5,"b":2,"c":9}');
      const mine = await newest('ModelPrice');
      await save('ModelPrice', '{"a":5,"b":7,"c":9}', admin);
      expect(await undo(mine.id)).toMatchObject({ success: true });
      expect(JSON.parse(await valueOf('ModelPrice'))).toEqual({ a: 1, b: 7 });
      // The entries are not as that change left them any more.
      expect(await undo(mine.id)).toMatchObject({ code: 'revision_conflict' });
      expect((await history('?keys=ModelPrice')).find(({ id }) => id === mine.id)?.can_undo).toBe(false);
    });

    it('needs the right to change that option', async () => {
      await save('ServerAddress', 'https://quay.example');
      const change = await newest('ServerAddress', admin);
      expect(change.can_undo).toBe(false);
      expect(await undo(change.id, admin)).toMatchObject({ status: 403, code: 'option_denied', field: 'ServerAddress' });
      expect(await valueOf('ServerAddress')).toBe('https://quay.example');
      expect((await newest('ServerAddress')).can_undo).toBe(true);
    });

    it('is judged like every edit', async () => {
      await save('ModelRequestRateLimitCount', 5);
      const { id } = await newest('ModelRequestRateLimitCount');
      // A value that a later version does not take any more.
      await app.context.db.collection('option_changes').patch({ id }, { set: { before: '-7' } });
      expect(await undo(id)).toMatchObject({ status: 200, success: false, code: 'option_out_of_range' });
      expect(await valueOf('ModelRequestRateLimitCount')).toBe('5');
    });

    it.each(['999999999', '0'])('of nothing (%s) is refused', async (id) => {
      expect(await root.post(`/api/option/history/${id}/undo`)).toMatchObject({ success: false, code: 'option_change_not_found' });
    });

    it('happens once, however many ask for it at the same time', async () => {
      await save('Logo', '/one.png');
      await save('Logo', '/two.png');
      const { id } = await newest('Logo');
      const answers = await Promise.all(Array.from({ length: 8 }, () => undo(id)));
      expect(answers.every(({ status }) => status === 200)).toBe(true);
      expect(answers.some(({ success }) => success === true)).toBe(true);
      expect(await valueOf('Logo')).toBe('/one.png');
      expect((await history('?keys=Logo')).map(({ after }) => after)).toEqual(['/one.png', '/two.png', '/one.png']);
    });
  });

  it('knows a save whose process died before it was copied, once', async () => {
    const facts = app.context.db.collection('facts');
    await save('Footer', 'before the end');
    const change = await newest('Footer');
    const { seq } = z.object({ seq: z.int() }).parse((await facts.get('option_writes'))?.value);
    const row = { id: 'Footer', value: 'committed', revision: change.revision + 1, updated_at: 5, updated_by: 1 };
    const stored = {
      id: (seq + 1) * 1000,
      key: 'Footer',
      revision: row.revision,
      created_at: 5,
      actor_id: 1,
      before: 'before the end',
      after: 'committed',
    };
    const value = { seq: seq + 1, pending: [row], changes: [stored], state: 'pending' };
    await facts.patch({ id: 'option_writes' }, { set: { value } });
    await Promise.all([finishOptionWrites(app.context), finishOptionWrites(app.context), history()]);
    // A late process copies it again.
    await facts.patch({ id: 'option_writes' }, { set: { value } });
    expect((await history('?keys=Footer')).slice(0, 2).map(({ after }) => after)).toEqual(['committed', 'before the end']);
  });

  it('does not keep values that are too long, and says so', async () => {
    await save('HomePageContent', 'x'.repeat(longestChange));
    const change = await newest('HomePageContent');
    expect(change).toMatchObject({ can_undo: false });
    expect(change.after).toBeUndefined();
    expect(await undo(change.id)).toMatchObject({ code: 'option_change_not_kept' });
  });

  it('is stored as long as the audit log, whose entries refer to it', async () => {
    const changes = app.context.db.collection('option_changes');
    const before = await changes.count({});
    const old = { key: 'Footer', revision: 1, created_at: 0, actor_id: 0 };
    // Ids are in the order of time.
    await app.context.db.write([1, 2].map((id) => ({ insert: { ...old, id }, into: 'option_changes' as const })));
    expect(before).toBeGreaterThan(10);
    await sweepAuditEntries(app.context);
    expect(await changes.count({})).toBe(before);
    expect(await changes.first({ id: { lte: 2 } })).toBeNull();
  });

  it('lists what an option would be without changes, where it is another', async () => {
    await save('MinTopUp', 4);
    const { data } = await root.get('/api/option/');
    const option = (key: string) => data.find((one: { key: string }) => one.key === key);
    expect(option('MinTopUp')).toMatchObject({ value: '4', default: '1' });
    expect(option('SMTPPort')).not.toHaveProperty('default');
    expect(option('SMTPToken')).not.toHaveProperty('default');
    expect(JSON.parse(option('ModelRatio').default)['gpt-4o']).toBe(1.25);
  });
});
