import { describe, expect, it } from 'vitest';
import { type Log, LogOther } from '#shared/logs.ts';
import { AppError, errorText } from '#shared/errors.ts';
import { csvLine } from '#server/features/logs/log-lines.ts';
import { storedIds, mostOfUser, mostUnknownModels } from '#server/logs/refusal-counters.ts';
import { createRefusalLog, sweepRefusedRequests, sweepUndatedRefusals } from '#server/logs/refusal-log.ts';
import { audit } from '#server/money/audit.ts';
import { createToken } from '#tests/support/build-token.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { makeFreezable } from '#tests/support/freezable-database.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';
import { until } from '#tests/support/until.ts';

const messages = [{ role: 'user', content: 'hi' }];

async function ask(app: TestApp, key: string, body: Record<string, unknown> | string = {}): Promise<{ status: number; requestId: string }> {
  const response = await fetch(`${app.origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: typeof body === 'string' ? body : JSON.stringify({ model: 'gpt-4o-mini', messages, ...body }),
  });
  await response.text();
  return { status: response.status, requestId: response.headers.get('x-oneapi-request-id') ?? '' };
}

// Rows of a minute are written some seconds later: they wait for them together.
describe.each(oneEngine)('refused calls on $kind', { concurrent: true }, (engine) => {
  const scene = async () => {
    const app = await createTestApp(engine);
    const root = await app.setup();
    await root.post('/api/channel/', { name: 'main', key: 'sk-up', models: 'gpt-4o-mini', base_url: 'http://127.0.0.1:9' });
    const user = await app.createUser({ username: 'mei' });
    const client = await app.as(user);
    const { key, token } = await createToken(app.context, user.id);
    const own = async (query = ''): Promise<Log[]> => (await client.get(`/api/log/self${query}`)).data.items;
    /** The rows once there are so many refusals in them. */
    const refused = async (count: number): Promise<Log[]> => {
      // What came after a row was first written is added when its minute is over.
      app.clock.advance(60_000);
      const total = (rows: Log[]) => rows.reduce((sum, row) => sum + (factsOf(row)?.count ?? 0), 0);
      await until(async () => total(await own('?result=refused')) === count);
      return own('?result=refused');
    };
    return { app, root, user, client, key, token, own, refused, [Symbol.asyncDispose]: () => app.close() };
  };
  const factsOf = (row: Log | undefined) => (row === undefined ? undefined : LogOther.parse(JSON.parse(row.other)).refusal);

  it('are one row per key, reason and minute, uncharged, with the reason in both languages', async () => {
    await using the = await scene();
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1) ids.push((await ask(the.app, the.key)).requestId);
    await ask(the.app, the.key, { model: 'no-such-model' });
    const rows = await the.refused(4);
    expect(rows).toHaveLength(2);
    const poor = rows.find((row) => factsOf(row)?.code === 'insufficient_user_quota');
    expect(poor).toMatchObject({ type: 5, quota: 0, token_name: the.token.name, model_name: 'gpt-4o-mini', username: 'mei', channel: 0 });
    expect(factsOf(poor)).toMatchObject({ count: 3, status: 403, request_ids: ids });
    // One sentence for both: clients know it.
    expect(factsOf(poor)?.reason.zh).toMatch(/^(?:chat pre-consumed quota failed, )?user quota/);
    expect(factsOf(poor)?.reason.en).toBe(factsOf(poor)?.reason.zh);
    expect(poor?.content).toBe(factsOf(poor)?.reason.zh);
    const unknown = rows.find((row) => factsOf(row)?.code === 'model_not_found');
    expect(factsOf(unknown)?.reason.zh).toBe(errorText('model_not_found', 'zh', { model: 'no-such-model' }));
    expect((await the.client.get('/api/log/self/stat')).data).toEqual({ quota: 0, rpm: 0, tpm: 0 });
    expect((await audit(the.app.context.db)).findings).toEqual([]);
    expect((await the.root.get('/api/log/?result=refused&username=mei')).data.items).toHaveLength(2);
    expect((await the.root.get('/api/log/?result=refused&username=root')).data.items).toEqual([]);
  });

  it('are those of what is kept, too', async () => {
    await using the = await scene();
    const requested = async (path: string, method = 'GET') => {
      const answer = await fetch(`${the.app.origin}${path}`, { method, headers: { authorization: `Bearer ${the.key}` } });
      await answer.text();
      return { status: answer.status, id: answer.headers.get('x-oneapi-request-id') };
    };
    const gone = [await requested('/v1/responses/resp_1'), await requested('/v1/responses/resp_1', 'DELETE')];
    const page = await requested('/v1/responses/resp_1/input_items?limit=0');
    expect([...gone, page].map(({ status }) => status)).toEqual([404, 404, 400]);
    const rows = await the.refused(3);
    expect(rows).toHaveLength(2);
    const facts = rows.map(factsOf);
    expect(facts.find((one) => one?.code === 'response_not_found')).toMatchObject({ count: 2, request_ids: gone.map(({ id }) => id) });
    expect(facts.find((one) => one?.code === 'invalid_request')).toMatchObject({ count: 1, status: 400, request_ids: [page.id] });
    expect(rows).toMatchObject(rows.map(() => ({ type: 5, quota: 0, model_name: '', token_name: the.token.name })));
  });

  it('are counted by model: each that is served, a few that are not, and the others together, which says so', async () => {
    await using the = await scene();
    const { app, root, user, token } = the;
    const served = Array.from({ length: 6 }, (_, index) => `served-${index}`);
    await root.post('/api/channel/', { name: 'more', key: 'sk-up', models: served.join(','), base_url: 'http://127.0.0.1:9' });
    await until(() => app.context.channels.groupsOf('served-5').length > 0);
    const ids: string[] = [];
    for (const model of ['nope-1', 'nope-2', 'nope-1', 'nope-3', 'nope-4', 'nope-5', ...served, 'served-0']) {
      ids.push((await ask(the.app, the.key, { model })).requestId);
    }
    const rows = await the.refused(13);
    const unknown = rows.filter((row) => factsOf(row)?.code === 'model_not_found');
    const counts = (found: Log[]) => Object.fromEntries(found.map((row) => [row.model_name, factsOf(row)?.count]));
    expect(unknown).toHaveLength(mostUnknownModels + 1);
    expect(counts(unknown)).toEqual({ 'nope-1': 2, 'nope-2': 1, 'nope-3': 1, '': 2 });
    expect(counts(rows.filter((row) => !unknown.includes(row)))).toEqual({
      ...Object.fromEntries(served.map((name) => [name, 1])),
      'served-0': 2,
    });
    expect(rows.map((row) => [row.model_name, factsOf(row)?.is_others]).filter(([, isOthers]) => isOthers)).toEqual([['', true]]);
    const others = unknown.find((row) => row.model_name === '');
    expect(factsOf(others)?.request_ids).toEqual(ids.slice(4, 6));
    const lines = unknown.map((row) => csvLine(row, { isForAdmins: false, namesMembers: false, quotaPerUsd: 500_000 }));
    expect(lines.filter((line) => line.includes(',(others),'))).toHaveLength(1);
    expect(lines.filter((line) => line.includes(',nope-1,'))).toHaveLength(1);
    // The next minute starts from zero, and many tokens with models of their own retain their rows.
    const log = createRefusalLog(app.context);
    for (let tokenId = 1; tokenId <= 30; tokenId += 1)
      for (let name = 0; name < 20; name += 1) {
        const model = `random-${tokenId}-${name}`;
        log.note({
          user,
          token: { ...token, id: 50_000 + tokenId },
          model,
          requestId: model,
          error: new AppError('model_not_found', { model }),
        });
      }
    expect(log.size).toBeLessThanOrEqual(mostOfUser + 1);
    await log.stop();
  });

  it('are found by the request id that the caller got, also the older ones of a row', async () => {
    await using the = await scene();
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1) ids.push((await ask(the.app, the.key)).requestId);
    const [row] = await the.refused(3);
    for (const id of ids) {
      expect((await the.own(`?request_id=${id}`)).map((found) => found.id)).toEqual([row?.id]);
      expect((await the.root.get(`/api/log/?request_id=${id}`)).data.items).toHaveLength(1);
    }
    const stranger = await the.app.as(await the.app.createUser());
    expect((await stranger.get(`/api/log/self?request_id=${ids[0]}`)).data.items).toEqual([]);
    expect(await the.own('?request_id=nothing')).toEqual([]);
  });

  it('of a disabled key, a denied model, a wrong address and an unreadable body are kept; of unknown keys nothing is', async () => {
    await using the = await scene();
    const { app, user } = the;
    const disabled = await createToken(app.context, user.id, { status: 2 });
    const limited = await createToken(app.context, user.id, { model_limits_enabled: true, model_limits: 'other' });
    const away = await createToken(app.context, user.id, { allow_ips: '10.9.9.9' });
    await ask(app, disabled.key);
    await ask(app, limited.key);
    await ask(app, away.key);
    await ask(app, the.key, '{');
    await ask(app, 'sk-nobodyhasthiskey');
    const rows = await the.refused(4);
    expect(new Set(rows.map((row) => factsOf(row)?.code))).toEqual(new Set(['invalid_json', 'ip_denied', 'key_disabled', 'model_denied']));
    expect(await app.context.db.collection('logs').count({ type: 5 })).toBe(4);
  });

  it('of a prompt that was only to be counted are kept too, and the guide hears of them', async () => {
    await using the = await scene();
    const { app, user, key } = the;
    await app.context.ledger.change({ account: 'user', id: user.id, amount: 1_000_000, ref: 'test', kind: 'test', actorId: 0 });
    const guide = async () => (await the.client.get('/api/first-call')).data.refusal;
    expect(await guide()).toBeNull();
    const response = await fetch(`${app.origin}/v1/messages/count_tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: JSON.stringify({ model: 'no-such-model', messages }),
    });
    expect(response.status).toBe(404);
    const requestId = response.headers.get('request-id');
    const [row] = await the.refused(1);
    expect(row).toMatchObject({ model_name: 'no-such-model', request_id: requestId });
    expect(factsOf(row)?.code).toBe('model_not_found');
    expect((await the.root.get(`/api/log/?request_id=${requestId}`)).data.items).toHaveLength(1);
    await until(async () => (await guide())?.request_id === requestId);
  });

  it('a failed call is found by its request id and by its result', async () => {
    await using the = await scene();
    await the.app.context.ledger.change({ account: 'user', id: the.user.id, amount: 1_000_000, ref: 'test', kind: 'test', actorId: 0 });
    const { requestId, status } = await ask(the.app, the.key);
    expect(status).toBe(502);
    await until(async () => (await the.own('?result=failed')).length === 1);
    expect((await the.own(`?request_id=${requestId}`)).map((row) => row.type)).toEqual([2]);
    expect(await the.own('?result=success')).toEqual([]);
    expect(await the.client.get('/api/log/self?result=bad')).toMatchObject({ success: false, code: 'invalid_field', field: 'result' });
  });

  it('are found by every id for a month, and by the newest as long as their row is there', async () => {
    await using the = await scene();
    const { app } = the;
    const ids: string[] = [];
    for (let index = 0; index < 2; index += 1) ids.push((await ask(app, the.key)).requestId);
    const [row] = await the.refused(2);
    const stored = () => app.context.db.collection('refused_requests').count({});
    await until(async () => (await stored()) === 2);
    app.clock.advance(29 * 86_400_000);
    await sweepRefusedRequests(app.context);
    expect(await stored()).toBe(2);
    app.clock.advance(2 * 86_400_000);
    await sweepRefusedRequests(app.context);
    expect(await stored()).toBe(0);
    expect(row?.request_id).toBe(ids.at(-1));
    expect(await app.context.db.collection('logs').count({ type: 5 })).toBe(1);
  });

  it('of an earlier version, stored without a time, are removed, and no others', async () => {
    await using the = await scene();
    const refused = the.app.context.db.collection('refused_requests');
    for (let index = 0; index < 3; index += 1) await refused.insert({ id: `earlier ${index}`, log_id: 1 });
    await refused.insert({ id: 'dated', log_id: 1, created_at: 1 });
    expect(await sweepUndatedRefusals(the.app.context)).toBe(3);
    expect((await refused.find({})).map(({ id }) => id)).toEqual(['dated']);
  });

  it('cannot fill the log or the memory, whatever a caller sends', async () => {
    await using the = await scene();
    const { app, user, token } = the;
    const log = createRefusalLog(app.context);
    const note = (tokenId: number, minute: number, model = 'm') =>
      log.note({
        user,
        token: { ...token, id: tokenId },
        model,
        requestId: `id-${tokenId}-${minute}-${Math.random()}`,
        error: new AppError('model_denied', { model }),
      });
    for (let index = 0; index < 20_000; index += 1) note(token.id, 0, `${'模'.repeat(50_000)}\0\uD800`);
    expect(log.size).toBe(1);
    for (let index = 1; index < 5_000; index += 1) note(10_000 + index, 0);
    expect(log.size).toBeLessThanOrEqual(mostOfUser + 1);
    app.clock.advance(60_000);
    await log.flush();
    expect(log.size).toBe(0);
    const rows = await app.context.db.collection('logs').find({ type: 5 });
    expect(rows.length).toBeLessThanOrEqual(mostOfUser + 1);
    expect(rows.reduce((sum, row) => sum + Number(LogOther.parse(row.other).refusal?.count), 0)).toBe(24_999);
    for (const row of rows) expect(JSON.stringify(row).length).toBeLessThan(4_000);
    expect(await app.context.db.collection('refused_requests').count({})).toBeLessThanOrEqual(storedIds * rows.length);
    await log.stop();
  });

  it('of several processes add up in one row, and wait for a database that is away', async () => {
    await using the = await scene();
    const { app, user, token } = the;
    const db = makeFreezable(app.context.db);
    const logs = [createRefusalLog({ ...app.context, db }), createRefusalLog(app.context)];
    const note = (index: number) =>
      logs[index % 2]?.note({ user, token, model: 'm', requestId: `id-${index}`, error: new AppError('key_disabled') });
    for (let index = 0; index < 10; index += 1) note(index);
    db.failAt(1, 'before');
    await Promise.all(logs.map((log) => log.flush()));
    expect(logs[0]?.size).toBe(1);
    for (let index = 10; index < 20; index += 1) note(index);
    for (const log of logs) await log.stop();
    const rows = await app.context.db.collection('logs').find({ type: 5 });
    expect(rows).toHaveLength(1);
    expect(LogOther.parse(rows[0]?.other).refusal?.count).toBe(20);
  });
});
