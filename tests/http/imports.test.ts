import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { importReasonText } from '#shared/import-reasons.ts';
import { runImport } from '#server/slices/imports/run-import.ts';
import { embeddedEngine, engines } from '#tests/support/engines.ts';
import {
  countOf,
  importFrom,
  moneyOf,
  optionsOf,
  planImport,
  type SourceCopy,
  sourceCopy,
  type SourceFile,
  withProgram,
} from '#tests/support/import-desk.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

/** Rows and sums of each database, by its own engine. */
const known: Record<SourceFile, { users: number; tokens: number; channels: number; sums: Record<string, number> }> = {
  'new-api-2026': {
    users: 12,
    tokens: 15,
    channels: 17,
    sums: {
      user_balance: 185_307_497,
      user_used: 219_345,
      token_balance: 789_516,
      token_used: 219_335,
      code_unused: 501_250,
      log_charged: 219_345,
    },
  },
  'new-api-2025-11': {
    users: 12,
    tokens: 15,
    channels: 15,
    sums: {
      user_balance: 175_549_856,
      user_used: 218_870,
      token_balance: 799_392,
      token_used: 218_870,
      code_unused: 501_250,
      log_charged: 218_870,
    },
  },
  'new-api': { users: 8, tokens: 8, channels: 8, sums: { user_balance: 183_746_104, user_used: 6_970, token_balance: 571_001 } },
  'new-api-upgraded': { users: 8, tokens: 8, channels: 8, sums: { user_balance: 183_746_104, user_used: 6_970 } },
  'one-api': { users: 8, tokens: 15, channels: 8, sums: { user_balance: 500_000_083_743_724, user_used: 9_350, token_balance: 626_253 } },
};

describe.each(engines)('an import of new-api on $kind', (engine) => {
  let app: TestApp;
  let source: SourceCopy;
  beforeAll(async () => {
    app = await createTestApp(engine);
    source = sourceCopy('new-api-2026');
  });
  afterAll(async () => {
    await app.close();
    source[Symbol.dispose]();
  });
  const textOf = (query: string, id: number): string => {
    using database = new DatabaseSync(source.file, { readOnly: true });
    return String(database.prepare(query).get(id)?.['text'] ?? '');
  };
  const keyOf = (id: number) => textOf('SELECT key AS text FROM tokens WHERE id = ?', id);
  const models = (key: string) => fetch(`${app.origin}/v1/models`, { headers: { authorization: `Bearer sk-${key}` } });

  it('writes nothing in a dry run, stops anywhere, and resumes up to what the dry run reported', async () => {
    const { db } = app.context;
    const plan = await planImport(app, source.file);
    for (const name of ['users', 'tokens', 'options', 'import_sources'] as const) expect(await db.collection(name).count({})).toBe(0);
    await withProgram(app, source.file, async (program) => {
      for (let pages = 1; pages < 4; pages += 1) {
        const stop = new AbortController();
        let seen = 0;
        const onProgress = () => {
          seen += 1;
          if (seen > pages) stop.abort();
        };
        const run = runImport(app.context, { program, options: optionsOf(), isDry: false, signal: stop.signal, onProgress });
        await expect(run).rejects.toThrow('paused');
      }
    });
    const { report, proof } = await importFrom(app, source.file);
    expect(report.money).toEqual(plan.money);
    const unknown = plan.notes.filter(({ kind, effect, reason }) => kind === 'setting' && effect === 'left' && reason !== 'setting_needs');
    expect(unknown.map(({ reason }) => reason)).toContain('setting_unknown');
    const settings = countOf(plan, 'setting');
    expect(settings?.left).toBe(unknown.reduce((sum, { rows }) => sum + rows, 0));
    expect(settings?.source).toBe(
      ['added', 'changed', 'same', 'left'].reduce((sum, name) => sum + Number(Reflect.get(settings ?? {}, name)), 0),
    );
    // Prose is in both languages.
    expect(plan.notes.filter(({ detail, detail_texts: texts }) => texts === undefined && /[a-z]{2} [a-z]{2}/.test(detail))).toEqual([]);
    const tables = plan.notes
      .filter(({ reason }) => reason === 'table_no_place')
      .map((note) => importReasonText(note, 'zh').split('：')[1]);
    expect(tables.join()).toContain('套餐');
    expect(tables.join()).not.toMatch(/[a-z]{2}/);
    expect(countOf(report, 'user')).toEqual({ kind: 'user', source: 13, added: 0, changed: 0, same: 12, left: 1 });
    expect(moneyOf(report)).toMatchObject(known['new-api-2026'].sums);
    expect(proof).toMatchObject({ is_complete: true, unbalanced: 0, openings: 27, without_opening: 0, missing: 0 });
  });

  it('changes nothing a second time, and adds what is new', async () => {
    const before = await app.context.db.collection('ledger').count({});
    using changed = sourceCopy('new-api-2026');
    const { report } = await importFrom(app, changed.file);
    expect(report.counts.reduce((sum, { added, changed: moved }) => sum + added + moved, 0)).toBe(0);
    expect(await app.context.db.collection('ledger').count({})).toBe(before);
    {
      using database = new DatabaseSync(changed.file);
      database.exec(`INSERT INTO users (id, username, password, quota, used_quota) VALUES (900, 'newcomer', '', 77, 3);
        UPDATE users SET quota = quota + 5 WHERE username = 'anna';
        INSERT INTO logs (id, user_id, created_at, type, quota) VALUES (9000, 900, 1795899000, 2, 3)`);
    }
    const second = await importFrom(app, changed.file);
    expect(countOf(second.report, 'user')).toMatchObject({ added: 1, same: 12 });
    expect(countOf(second.report, 'log')).toMatchObject({ added: 1 });
    expect(second.report.notes).toContainEqual(expect.objectContaining({ reason: 'changed_in_source', quota: 5, names: ['anna'] }));
    expect(await app.context.db.collection('users').get(900)).toMatchObject({ username: 'newcomer', quota: 77, used_quota: 3 });
    // The proof compares with the source as it is now, which has moved by 5.
    expect(second.proof).toMatchObject({ is_complete: false, unbalanced: 0 });
  });

  it('takes over accounts: ids, balances below zero, roles, states, invitations', async () => {
    const users = app.context.db.collection('users');
    expect(await users.get(1)).toMatchObject({ username: 'root', role: 100, quota: 100_000_000 });
    expect(await users.get(7)).toMatchObject({ username: 'fritz', quota: -1234, full_mark: 0 });
    expect(await users.get(5)).toMatchObject({ username: 'dora', status: 2 });
    expect(await users.get(10)).toMatchObject({ role: 10 });
    expect(await users.get(13)).toMatchObject({ username: 'jo', inviter_id: 2, aff_code: '00uS' });
    expect(await users.first({ username: 'gone' })).toBeNull();
    expect((await app.anonymous().get('/api/setup')).data).toMatchObject({ status: true });
  });

  it('takes over keys: those of clients work, disabled and deleted ones do not', async () => {
    const open = await models(keyOf(3));
    expect(open.status).toBe(200);
    expect((await models(keyOf(7))).status).toBe(401);
    expect((await models(keyOf(8))).status).toBe(401);
    expect(await app.context.db.collection('tokens').get(4)).toMatchObject({
      user_id: 2,
      remain_quota: 121_934,
      used_quota: 2010,
      expired_time: 1_893_456_000,
      allow_ips: '127.0.0.1\n10.0.0.0/8',
    });
    expect(await app.context.db.collection('tokens').get(3)).toMatchObject({ unlimited_quota: true, remain_quota: 0, used_quota: 202_298 });
  });

  it('lets people sign in with their passwords', async () => {
    const bo = await app.login('bo', 'pass-bo-1234');
    expect((await bo.get('/api/user/self')).data).toMatchObject({ username: 'bo', group: 'vip' });
    await expect(app.login('bo', 'pass-anna-1234')).rejects.toThrow();
  });

  it('takes over channels with each of their keys, prices by expression and codes', async () => {
    const { db, settings } = app.context;
    const keys = await db.collection('channel_keys').find({ channel_id: 2 }, { sort: [['id', 1]] });
    expect(keys.map(({ ending, status }) => [ending, status])).toEqual([
      [expect.any(String), 1],
      [expect.any(String), 2],
      [expect.any(String), 1],
      [expect.any(String), 1],
    ]);
    expect(await db.collection('channels').get(1)).toMatchObject({
      name: 'multi random',
      weight: 5,
      remark: 'three keys, drawn at random',
    });
    expect(await db.collection('channel_keys').count({})).toBe(9);
    expect(await db.collection('tokens').get(5)).toMatchObject({ group: 'auto', auto_groups: 'vip,default', cross_group_retry: true });
    expect(settings.get('GroupGroupRatio')).toMatchObject({ vip: { 'team-b': 0.9 } });
    expect(settings.get('AutoGroups')).toEqual(['default', 'vip']);
    expect(await db.collection('channels').get(7)).toMatchObject({
      priority: -3,
      status_code_mapping: '{"429":"503"}',
      param_override: '{"temperature":0.2}',
    });
    expect(settings.get('ModelRatio')['mock-tiered']).toBe(1.5);
    expect(settings.get('LongInputPrice')['input>200000:mock-tiered']).toBe(2);
    expect(settings.get('SystemName')).toBe('Harbour AI 7');
    const code = textOf('SELECT key AS text FROM redemptions WHERE id = ?', 2);
    const anna = await app.as({ id: 3 });
    expect(await anna.post('/api/user/topup', { key: code })).toMatchObject({ success: true, data: 250_000 });
  });

  it('reports what has no place, with its money, and no secret', async () => {
    const report = await planImport(app, source.file);
    expect(report.notes).toContainEqual(expect.objectContaining({ effect: 'left', reason: 'plan_left', rows: 3, quota: 7_290_239 }));
    expect(report.notes).toContainEqual(expect.objectContaining({ reason: 'plan_unlimited', rows: 1 }));
    expect(report.notes).toContainEqual(expect.objectContaining({ reason: 'second_factor', names: ['user_id 4'] }));
    expect(report.notes).toContainEqual(expect.objectContaining({ reason: 'deleted', kind: 'user', quota: 13_505_585, names: ['gone'] }));
    const text = JSON.stringify(report);
    for (const secret of ['invented-epay-key', 'sk-up-7', keyOf(3), 'WHO5XDJNSETSH33ULC25MXDZ2L2ZQHPB']) expect(text).not.toContain(secret);
  });
});

test.each(['new-api-2025-11', 'new-api', 'new-api-upgraded', 'one-api'] as const)('an import of %s is proved', async (name) => {
  await using app = await createTestApp(embeddedEngine);
  using source = sourceCopy(name);
  const { report, proof } = await importFrom(app, source.file);
  expect(proof).toMatchObject({ is_complete: true });
  expect(moneyOf(report)).toMatchObject(known[name].sums);
  expect(countOf(report, 'user')).toMatchObject({ added: known[name].users });
  expect(countOf(report, 'token')).toMatchObject({ added: known[name].tokens });
  expect(countOf(report, 'channel')).toMatchObject({ added: known[name].channels });
});

test('SQL in names, tables of others and a view in place of a table are texts, and are not run', async () => {
  await using app = await createTestApp(embeddedEngine);
  using source = sourceCopy('new-api-2026');
  const attack = `x'); DROP TABLE users; --`;
  {
    using database = new DatabaseSync(source.file);
    database.prepare('UPDATE users SET display_name = ?, `group` = ? WHERE id = 2').run(attack, attack);
    database.prepare('UPDATE tokens SET name = ? WHERE id = 3').run(attack);
    database.prepare('UPDATE logs SET content = ?, model_name = ?').run(attack, attack);
    database.prepare('INSERT INTO options (key, value) VALUES (?, ?)').run(attack, attack);
    database.exec(`CREATE TABLE "${attack}" (id integer, "a""b" text);
      DROP TABLE redemptions; CREATE VIEW redemptions AS SELECT 1 AS id, 'k' AS key, 1 AS status, 9000000 AS quota`);
  }
  const { report, proof } = await importFrom(app, source.file);
  expect(proof).toMatchObject({ is_complete: true });
  expect(countOf(report, 'code')).toMatchObject({ source: 0 });
  expect(await app.context.db.collection('tokens').get(3)).toMatchObject({ name: attack });
  expect(await app.context.db.collection('users').get(2)).toMatchObject({ group: attack });
  using database = new DatabaseSync(source.file, { readOnly: true });
  expect(database.prepare('SELECT COUNT(*) AS users FROM users').get()).toMatchObject({ users: 13 });
});

test('one-hub is refused by name', async () => {
  await using app = await createTestApp(embeddedEngine);
  using source = sourceCopy('one-api');
  {
    using database = new DatabaseSync(source.file);
    database.exec('CREATE TABLE user_groups (id integer, symbol text); ALTER TABLE logs ADD COLUMN cost_quota integer');
  }
  await expect(planImport(app, source.file)).rejects.toThrow('database of done-hub');
});

describe('what is no database of a gateway is named', () => {
  let app: TestApp;
  let source: SourceCopy;
  beforeAll(async () => {
    app = await createTestApp(embeddedEngine);
    source = sourceCopy('one-api');
  });
  afterAll(async () => {
    await app.close();
    source[Symbol.dispose]();
  });

  it('other files, cut ones, folders, other addresses, and Tidegate itself', async () => {
    const folder = path.dirname(source.file);
    const cut = path.join(folder, 'cut.db');
    writeFileSync(cut, readFileSync(source.file).subarray(0, 60_000));
    const text = path.join(folder, 'text.db');
    writeFileSync(text, 'no database');
    const own = path.join(folder, 'own.db');
    using database = new DatabaseSync(own);
    for (const name of ['users', 'tokens', 'channels', 'options', 'ledger']) database.exec(`CREATE TABLE ${name} (id, doc)`);
    const sources = {
      [text]: 'not an SQLite database',
      [cut]: 'damaged, or was copied while it was being written',
      [folder]: 'is not a file',
      [`${folder}/absent.db`]: 'There is no file',
      'mongodb://user:secret@host/x': 'not with mongodb://',
      [own]: 'database of Tidegate',
    };
    for (const [from, message] of Object.entries(sources)) await expect(planImport(app, from)).rejects.toThrow(message);
  });
});

test('prices and groups that are not here are added to those that are', async () => {
  await using app = await createTestApp(embeddedEngine);
  using source = sourceCopy('new-api-2026');
  const root = await app.setup();
  const put = (key: string, value: object) => root.put('/api/option/', { key, value: JSON.stringify(value) });
  await put('ModelRatio', { mine: 2, mock: 9 });
  await put('CompletionRatio', { mine: 3 });
  await put('LongInputPrice', { 'input>100000:mine': 2 });
  await put('GroupRatio', { default: 1, vip: 0.5 });
  const { settings } = app.context;
  const plan = await planImport(app, source.file);
  expect(plan.notes).toContainEqual(
    expect.objectContaining({ reason: 'setting_merged', names: expect.arrayContaining(['ModelRatio', 'GroupRatio']) }),
  );
  const { report } = await importFrom(app, source.file);
  expect(countOf(report, 'setting')).toEqual(countOf(plan, 'setting'));
  expect(settings.get('ModelRatio')).toMatchObject({ mine: 2, mock: 9, 'mock-tiered': 1.5 });
  // The output price of a model belongs to its input price.
  expect(settings.get('CompletionRatio')).not.toHaveProperty('mock');
  expect(settings.get('LongInputPrice')).toEqual({
    'input>100000:mine': 2,
    'input>200000:mock-tiered': 2,
    'output>200000:mock-tiered': 1.5,
  });
  expect(settings.get('GroupRatio')).toMatchObject({ default: 1, vip: 0.5, 'team-b': 1.1 });
  expect(countOf((await importFrom(app, source.file)).report, 'setting')).toMatchObject({ added: 0, changed: 0 });
});

test('a super administrator beside the one that is here is named', async () => {
  await using app = await createTestApp(embeddedEngine);
  using source = sourceCopy('one-api');
  expect((await planImport(app, source.file)).notes.map(({ reason }) => reason)).not.toContain('second_root');
  await app.setup();
  {
    using database = new DatabaseSync(source.file);
    database.exec("UPDATE users SET username = 'owner' WHERE username = 'root'");
  }
  expect((await planImport(app, source.file)).notes).toContainEqual(
    expect.objectContaining({ effect: 'changed', reason: 'second_root', names: ['owner'] }),
  );
  await importFrom(app, source.file);
  expect((await importFrom(app, source.file)).report.notes.map(({ reason }) => reason)).not.toContain('second_root');
});

describe('an import into an installation with accounts', () => {
  let app: TestApp;
  let source: SourceCopy;
  beforeAll(async () => {
    app = await createTestApp(embeddedEngine);
    source = sourceCopy('one-api');
    await app.setup();
    await app.createUser({ username: 'Anna' });
  });
  afterAll(async () => {
    await app.close();
    source[Symbol.dispose]();
  });

  it('is refused by name, whatever the letter case', async () => {
    const plan = await planImport(app, source.file);
    expect(plan.notes).toContainEqual(
      expect.objectContaining({ effect: 'conflict', reason: 'name_taken', names: ['anna'], quota: 11_747_828 }),
    );
  });

  it('leaves such an account out with its tokens, or renames it; the super administrator joins', async () => {
    const left = await planImport(app, source.file, { conflicts: 'leave' });
    expect(left.notes).toContainEqual(expect.objectContaining({ effect: 'left', reason: 'name_taken', quota: 11_747_828 }));
    expect(left.notes).toContainEqual(expect.objectContaining({ kind: 'token', reason: 'owner_left_out' }));
    const { report, proof } = await importFrom(app, source.file, { conflicts: 'rename' });
    expect(proof).toMatchObject({ is_complete: true });
    expect(countOf(report, 'user')).toMatchObject({ added: 7, changed: 1, left: 0 });
    const users = app.context.db.collection('users');
    expect(await users.first({ username: 'anna-2' })).toMatchObject({ quota: 11_747_828 });
    const root = await users.first({ username: 'root' });
    // $200 of the set-up, and what it had before.
    expect(root?.quota).toBe(500_000_000_000_000 + 100_000_000);
  });
});
