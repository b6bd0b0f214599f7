// Every call on one record, by every kind of caller: its owner, others of the same rank, higher ranks and a banned user, with and without
// the header that names the caller. A call with a record in its path and without a row here fails the build.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Role } from '#shared/roles.ts';
import { ImportOptions, type ImportReport } from '#shared/imports.ts';
import { newRun } from '#server/slices/imports/runs/run-records.ts';
import type { ImportRunRecord } from '#server/db/records/import.ts';
import type { BackupRecord } from '#server/db/records/backup.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { consoleCalls, nameOf } from '#tests/conformance/console-calls.ts';
import { readAuditSpecs } from '#tests/support/audit-specs.ts';
import { type BillingUpstream, startBillingUpstream } from '#tests/support/billing-upstream.ts';
import { SessionSums } from '#server/money/settlement/session-sums.ts';
import { sessionKey } from '#server/money/settlement/session-writes.ts';
import { buildBackup } from '#tests/support/build-backup.ts';
import { buildBillAccount, buildBillImport } from '#tests/support/build-bill.ts';
import { buildLog } from '#tests/support/build-log.ts';
import { createSession, createToken } from '#tests/support/build-token.ts';
import { engines } from '#tests/support/engines.ts';
import { type FakeUpstream, startFakeUpstream } from '#tests/support/fake-upstream.ts';
import type { TestClient, TestResponse } from '#tests/support/http-client.ts';
import { makeCode, codeRecord } from '#tests/support/redemption-desk.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

interface Scene {
  app: TestApp;
  root: TestClient;
  upstream: FakeUpstream;
  /** Reports an account's balance. */
  bank: BillingUpstream;
  owner: UserRecord;
}

/** What is put in place of the parameters of the path, and sent as the body. */
interface Aim {
  path: string;
  body?: unknown;
  /** Of an endpoint that takes bytes. */
  bytes?: string;
}

type Row = (scene: Scene, path: string) => Promise<Aim>;

const tokenOf = async ({ app, owner }: Scene) => (await createToken(app.context, owner.id)).token.id;
const logOf = async ({ app, owner }: Scene) => {
  const id = await app.context.db.nextId('logs');
  await app.context.db.collection('logs').insert(buildLog({ id, user_id: owner.id }));
  return id;
};
const sessionOf = async ({ app, owner }: Scene): Promise<string> => {
  const sums = new SessionSums(app.context);
  const id = sessionKey(owner.id, 0, 'run');
  const row = buildLog({ id: 1, user_id: owner.id, process: 'gone', seq: 1, session_key: id, other: { session: { id: 'run' } } });
  sums.add(row);
  await sums.write();
  return id;
};
const channelOf = async ({ root }: Scene, url: string): Promise<number> => {
  const fields = { type: 1, name: 'Pier', key: 'k', base_url: url, models: 'gpt-4o-mini', groups: ['default'] };
  const { data } = await root.post('/api/channel/', fields);
  return data[0];
};
const billAccountOf = async (scene: Scene) => {
  const channel = await channelOf(scene, scene.upstream.url);
  const input = buildBillAccount({ provider: 'openai', channel_ids: [channel], key: 'sk-admin-quay', base_url: scene.upstream.url });
  const { data } = await scene.root.post('/api/bill/account', input);
  return { id: Number(data.id), input };
};
const invitationOf = async ({ app, root }: Scene): Promise<number> => {
  const lines = [{ username: `in${app.context.randomText(8)}`, email: '', group: '', quota: 0 }];
  const answer = await root.post('/api/invitation/', { lines, delivery: 'link', valid_seconds: 3600, creates_accounts: false });
  return answer.data.made[0].id;
};
const organisationOf = async ({ app, owner }: Scene): Promise<number> =>
  (await (await app.as(owner)).post('/api/organisation/', { name: 'Harbour', ref: `found-${owner.id}` })).data.id;
/** With a second member, a team and an invitation. */
const inOrganisation =
  (bodyOf: (ids: { id: number; user: number }) => unknown = () => undefined): Row =>
  async (scene, path) => {
    const id = await organisationOf(scene);
    const owner = await scene.app.as(scene.owner);
    const member = await scene.app.as(await scene.app.createUser());
    const { link } = (await owner.post(`/api/organisation/${id}/invites`, { emails: [], role: 'reader' })).data;
    await member.post('/api/organisation/invite/accept', { token: link.split('#')[1] });
    const team = (await owner.post(`/api/organisation/${id}/teams`, { name: 'Search' })).data.id;
    const { invites } = (await owner.post(`/api/organisation/${id}/invites`, { emails: [], role: 'reader' })).data;
    const places: Record<string, number | null> = { id, user: member.userId, team, invite: invites[0].id };
    return {
      path: path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => String(places[name])),
      body: bodyOf({ id, user: member.userId ?? 0 }),
    };
  };
const incident = { kind: 'written', title: { zh: '', en: 'Slow answers' }, models: [] };
const incidentOf = async ({ root }: Scene): Promise<number> => {
  const update = { state: 'investigating', text: { zh: '', en: 'We are looking' } };
  return (await root.post('/api/status/incident', { ...incident, update })).data.id;
};
const orderOf = async ({ app, owner }: Scene): Promise<string> => {
  const answer = await (await app.as(owner)).post('/api/user/pay', { amount: 1, payment_method: 'zfb' });
  return answer.data.out_trade_no;
};
const bind = ({ app, owner }: Scene, github: string) =>
  app.context.db.collection('users').patch({ id: owner.id }, { set: { github_id: github } });

/** A channel with three keys, and the first of them. */
const keysOf = async (scene: Scene): Promise<{ channel: number; key: number }> => {
  const channel = await channelOf(scene, scene.upstream.url);
  const added = await scene.root.post(`/api/channel/${channel}/keys`, { keys: 'sk-quay-two\nsk-quay-three' });
  expect(added).toMatchObject({ success: true });
  const { data } = await scene.root.get(`/api/channel/${channel}/keys`);
  return { channel, key: data.keys[0].id };
};
const withKeys =
  (bodyOf: (key: number) => unknown = () => undefined): Row =>
  async (scene, path) => {
    const { channel, key } = await keysOf(scene);
    return { path: path.replace('{id}', String(channel)).replace('{key}', String(key)), body: bodyOf(key) };
  };
const withToken =
  (bodyOf: (scene: Scene) => unknown): Row =>
  async (scene, path) => ({ path: path.replace('{id}', String(await tokenOf(scene))), body: await bodyOf(scene) });
/** Of several imports one is running. */
const importOf = async ({ app }: Scene, fields: Partial<ImportRunRecord> = {}): Promise<number> => {
  const imports = app.context.db.collection('imports');
  await imports.remove({ running: 1 });
  const id = await app.context.db.nextId('imports');
  const source = { by: 1, by_name: 'root', source_kind: 'file', source: 'one-api.db', bytes: 16, chosen: ImportOptions.parse({}) } as const;
  await imports.insert({ ...newRun(app.context, { id, ...source }), ...fields });
  return id;
};
const emptyPlan: ImportReport = { label: 'new-api', program: 'new-api', counts: [], money: [], notes: [], more_notes: 0 };
const backupOf = async ({ app }: Scene, fields: Partial<BackupRecord>): Promise<number> => {
  const backups = app.context.db.collection('backups');
  for (const { id } of await backups.find({ running: 1 })) await backups.remove({ id });
  const id = await app.context.db.nextId('backups');
  await backups.insert(buildBackup({ id, ...fields }));
  return id;
};

const specs = await readAuditSpecs();

const byId =
  (find: (scene: Scene) => Promise<number | string>): Row =>
  async (scene, path) => ({ path: path.replace(/\{\w+\}/, String(await find(scene))) });
const ofOwner: Row = async ({ owner }, path) => ({ path: path.replace('{id}', String(owner.id)) });

const rows: Readonly<Record<string, Row>> = {
  'GET /api/token/{id}': byId(tokenOf),
  'DELETE /api/token/{id}': byId(tokenOf),
  'PUT /api/token/': async (scene, path) => ({ path, body: { id: await tokenOf(scene), name: 'renamed' } }),
  'POST /api/token/batch': async (scene, path) => ({ path, body: { ids: [await tokenOf(scene)] } }),
  'PUT /api/token/batch': async (scene, path) => ({ path, body: { ids: [await tokenOf(scene)], ref: 'batch-of-one', session_budget: 5 } }),
  'POST /api/token/{id}/renew': async (scene, path) => ({
    path: path.replace('{id}', String(await tokenOf(scene))),
    body: { old_key_seconds: 60, revision: 1 },
  }),
  'DELETE /api/token/{id}/old_key': byId(async (scene) => {
    const id = await tokenOf(scene);
    const renewed = await (await scene.app.as(scene.owner)).post(`/api/token/${id}/renew`, { old_key_seconds: 60, revision: 1 });
    expect(renewed).toMatchObject({ success: true });
    return id;
  }),
  async 'POST /api/token/restore'(scene, path) {
    const id = await tokenOf(scene);
    await (await scene.app.as(scene.owner)).delete(`/api/token/${id}`);
    return { path, body: { ids: [id] } };
  },
  'GET /api/user_token/{id}': byId(tokenOf),
  'PUT /api/user_token/{id}': withToken(() => ({ allow_ips: '10.0.0.1' })),
  'POST /api/user_token/{id}/block': withToken(() => ({ reason: 'found elsewhere' })),
  'POST /api/user_token/{id}/unblock': async (scene, path) => {
    const id = await tokenOf(scene);
    expect(await scene.root.post(`/api/user_token/${id}/block`, { reason: 'found elsewhere' })).toMatchObject({ success: true });
    return { path: path.replace('{id}', String(id)), body: {} };
  },
  'POST /api/user_token/{id}/move': withToken(async ({ app }) => ({ user_id: (await app.createUser()).id })),
  'DELETE /api/user_token/{id}': byId(tokenOf),
  'GET /api/log/self/{id}': byId(logOf),
  'GET /api/log/self/sessions/{session}': byId(sessionOf),
  'GET /api/log/sessions/{session}': byId(sessionOf),
  'DELETE /api/user/sessions/{session}': byId(async ({ app, owner }) => {
    await createSession(app.context, owner);
    const { data } = await (await app.as(owner)).get('/api/user/sessions');
    return data.find((session: { is_current: boolean }) => !session.is_current).id;
  }),
  'GET /api/user/topup/orders/{trade_no}': byId(orderOf),
  'POST /api/user/topup/orders/{trade_no}/cancel': byId(orderOf),
  async 'DELETE /api/oauth/{binding}/bind'(scene, path) {
    await bind(scene, `lantern-${scene.owner.id}`);
    return { path: path.replace('{binding}', 'github') };
  },
  'GET /api/log/{id}': byId(logOf),
  async 'POST /api/log/{id}/refund'(scene, path) {
    const { db } = scene.app.context;
    const id = await db.nextId('logs');
    await db.collection('logs').insert(buildLog({ id, user_id: scene.owner.id, quota: 5, process: 'gone', seq: id }));
    return { path: path.replace('{id}', String(id)), body: { amount: 5, reason: 'empty answer', ref: 'refund-one' } };
  },
  'POST /api/invitation/{id}/send': async (scene, path) => ({
    path: path.replace('{id}', String(await invitationOf(scene))),
    body: { delivery: 'link', valid_seconds: 3600 },
  }),
  'DELETE /api/invitation/{id}': byId(invitationOf),
  'GET /api/organisation/{id}': byId(organisationOf),
  'PUT /api/organisation/{id}': inOrganisation(() => ({ name: 'Quay' })),
  'PUT /api/organisation/{id}/manage': inOrganisation(() => ({ group: 'default', status: 2 })),
  'DELETE /api/organisation/{id}': byId(organisationOf),
  'POST /api/organisation/{id}/fund': inOrganisation(() => ({ amount: 5, ref: 'fund-one' })),
  'GET /api/organisation/{id}/members': byId(organisationOf),
  'PUT /api/organisation/{id}/members': inOrganisation(({ user }) => ({ user_ids: [user], role: 'billing' })),
  'PUT /api/organisation/{id}/members/{user}': inOrganisation(() => ({ role: 'billing' })),
  'DELETE /api/organisation/{id}/members/{user}': inOrganisation(),
  'GET /api/organisation/{id}/invites': byId(organisationOf),
  'POST /api/organisation/{id}/invites': inOrganisation(() => ({ emails: [], role: 'reader' })),
  'DELETE /api/organisation/{id}/invites/{invite}': inOrganisation(),
  'GET /api/organisation/{id}/teams': byId(organisationOf),
  'POST /api/organisation/{id}/teams': inOrganisation(() => ({ name: 'Billing' })),
  'PUT /api/organisation/{id}/teams/{team}': inOrganisation(() => ({ name: 'Billing' })),
  'DELETE /api/organisation/{id}/teams/{team}': inOrganisation(),
  async 'GET /api/organisation/{id}/usage'(scene, path) {
    return { path: `${path.replace('{id}', String(await organisationOf(scene)))}?by=member` };
  },
  'POST /api/organisation/{id}/scim_token': inOrganisation(),
  async 'DELETE /api/organisation/{id}/scim_token'(scene, path) {
    const id = await organisationOf(scene);
    await (await scene.app.as(scene.owner)).post(`/api/organisation/${id}/scim_token`);
    return { path: path.replace('{id}', String(id)) };
  },
  'PUT /api/status/incident/{id}': async (scene, path) => ({
    path: path.replace('{id}', String(await incidentOf(scene))),
    body: { ...incident, revision: 1 },
  }),
  'POST /api/status/incident/{id}/update': async (scene, path) => ({
    path: path.replace('{id}', String(await incidentOf(scene))),
    body: { state: 'monitoring', text: { zh: '', en: 'It is better' }, revision: 1 },
  }),
  'DELETE /api/status/incident/{id}': byId(incidentOf),
  'GET /api/user/{id}': ofOwner,
  'DELETE /api/user/{id}': ofOwner,
  async 'DELETE /api/user/{id}/sessions'(scene, path) {
    await createSession(scene.app.context, scene.owner);
    return ofOwner(scene, path);
  },
  'GET /api/user/{id}/balance_history': ofOwner,
  'GET /api/user/{id}/statement': async (scene, path) => {
    const row = await ofOwner(scene, path);
    return { ...row, path: `${row.path}?start_timestamp=0` };
  },
  'GET /api/user/{id}/invitations': ofOwner,
  async 'DELETE /api/user/{id}/bindings/{binding}'(scene, path) {
    await bind(scene, `lantern-${scene.owner.id}`);
    return { path: path.replace('{id}', String(scene.owner.id)).replace('{binding}', 'github') };
  },
  'PUT /api/user/': async ({ owner }, path) => ({ path, body: { id: owner.id, display_name: 'Renamed' } }),
  'POST /api/user/manage': async ({ owner }, path) => ({ path, body: { id: owner.id, action: 'disable' } }),
  'GET /api/channel/{id}': byId((scene) => channelOf(scene, scene.upstream.url)),
  'DELETE /api/channel/{id}': byId((scene) => channelOf(scene, scene.upstream.url)),
  'GET /api/channel/test/{id}': byId((scene) => channelOf(scene, scene.upstream.url)),
  'GET /api/channel/update_balance/{id}': byId((scene) => channelOf(scene, scene.bank.url)),
  'GET /api/channel/fetch_models/{id}': byId((scene) => channelOf(scene, scene.upstream.url)),
  'GET /api/channel/{id}/keys': withKeys(),
  'POST /api/channel/{id}/keys/check': withKeys(() => ({ keys: 'sk-quay-four' })),
  'POST /api/channel/{id}/keys': withKeys(() => ({ keys: 'sk-quay-four' })),
  'PUT /api/channel/{id}/keys/{key}': withKeys(() => ({ weight: 2 })),
  'POST /api/channel/{id}/keys/{key}/replace': withKeys(() => ({ key: 'sk-quay-five' })),
  'PUT /api/channel/{id}/keys': withKeys((key) => ({ ids: [key], status: 2 })),
  'POST /api/channel/{id}/keys/remove': withKeys((key) => ({ ids: [key] })),
  'POST /api/channel/{id}/keys/{key}/test': withKeys(() => ({})),
  'GET /api/channel/{id}/keys/{key}/places': withKeys(),
  'POST /api/channel/keys/replacements/{id}/undo': byId(async (scene) => {
    const { channel, key } = await keysOf(scene);
    const body = { from: { channel_id: channel, key_id: key }, channels: [channel], key: `sk-quay-${channel}` };
    return (await scene.root.post('/api/channel/keys/replace', body)).data.id;
  }),
  'DELETE /api/price/plan/{id}': byId(async ({ app }) => {
    const id = await app.context.db.nextId('price_plans');
    const plan = { model: 'planned', entries: [], lines: [], at: 0, user_id: 1, created_at: 0, source: '' };
    await app.context.db.collection('price_plans').insert({ id, state: 'changed', ...plan });
    return id;
  }),
  'POST /api/backup/{id}/stop': byId((scene) =>
    backupOf(scene, { state: 'running', running: 1, alive_until: scene.app.clock.now() + 60_000 }),
  ),
  'GET /api/backup/{id}/file': byId(async (scene) => {
    const { name } = buildBackup({ id: 0 });
    const where = mkdtempSync(join(tmpdir(), 'tidegate-backup-'));
    onTestFinished(() => rmSync(where, { recursive: true }));
    // The file is the response: one that reads as a success.
    const content = '{"success":true}';
    writeFileSync(join(where, name), content);
    return backupOf(scene, { where, bytes: content.length });
  }),
  'PUT /api/bill/account/{id}': async (scene, path) => {
    const { id, input } = await billAccountOf(scene);
    return { path: path.replace('{id}', String(id)), body: input };
  },
  'DELETE /api/bill/account/{id}': byId(async (scene) => (await billAccountOf(scene)).id),
  'POST /api/bill/account/{id}/fetch': byId(async (scene) => (await billAccountOf(scene)).id),
  'POST /api/bill/account/{id}/import': async (scene, path) => ({
    path: path.replace('{id}', String((await billAccountOf(scene)).id)),
    bytes: '{"object":"page","data":[{"object":"bucket","start_time":1768176000,"results":[]}]}',
  }),
  'POST /api/bill/import/{id}/stop': byId(async (scene) => {
    const { id: account } = await billAccountOf(scene);
    const id = await scene.app.context.db.nextId('bill_imports');
    await scene.app.context.db.collection('bill_imports').insert(buildBillImport({ id, account_id: account }));
    return id;
  }),
  'GET /api/import/{id}': byId(importOf),
  'PUT /api/import/{id}/part': async (scene, path) => {
    const { data } = await scene.root.post('/api/import/', { file: { name: 'one-api.db', bytes: 16 }, options: {} });
    return { path: `${path.replace('{id}', String(data.id))}?at=0`, bytes: 'SQLite format 3\0' };
  },
  'POST /api/import/{id}/plan': async (scene, path) => ({
    path: path.replace('{id}', String(await importOf(scene, { received: 16 }))),
    body: {},
  }),
  'POST /api/import/{id}/start': byId((scene) => importOf(scene, { state: 'planned', received: 16, plan: JSON.stringify(emptyPlan) })),
  'POST /api/import/{id}/pause': byId((scene) => importOf(scene, { state: 'running', running: 1 })),
  'POST /api/import/{id}/stop': byId(importOf),
  'PUT /api/channel/': async (scene, path) => ({ path, body: { id: await channelOf(scene, scene.upstream.url), priority: 3 } }),
  'GET /api/redemption/{id}': byId(async ({ app, root }) => (await codeRecord(app, await makeCode(root))).id),
  'DELETE /api/redemption/{id}': byId(async ({ app, root }) => (await codeRecord(app, await makeCode(root))).id),
  'POST /api/option/history/{id}/undo': byId(async ({ app, root }) => {
    await root.put('/api/option/', { key: 'About', value: app.context.randomText(8) });
    const { data } = await root.get('/api/option/history?keys=About');
    return data.items[0].id;
  }),
};

describe.each(engines)('records by their callers on $kind', (engine) => {
  let app: TestApp;
  let root: TestClient;
  let upstream: FakeUpstream;
  let bank: BillingUpstream;
  let imports: string;
  beforeAll(async () => {
    imports = mkdtempSync(join(tmpdir(), 'tidegate-imports-'));
    app = await createTestApp(engine, { env: { IMPORT_DIR: imports } });
    root = await app.setup();
    upstream = await startFakeUpstream({ models: ['gpt-4o-mini'] });
    bank = await startBillingUpstream();
    bank.at = { '/v1/dashboard/billing/subscription': { hard_limit_usd: 5 }, '/v1/dashboard/billing/usage': { total_usage: 100 } };
    const pay = { ServerAddress: app.origin, PayAddress: 'https://pay.example', EpayId: '1', EpayKey: 'k' };
    for (const [key, value] of Object.entries(pay)) expect(await root.put('/api/option/', { key, value })).toMatchObject({ success: true });
  });
  afterAll(async () => {
    await upstream.close();
    await bank[Symbol.asyncDispose]();
    await app.close();
    rmSync(imports, { recursive: true });
  });

  const calls = new Map(consoleCalls.map((call) => [nameOf(call), call]));

  /** Calls with a new record each time, because some calls end it. */
  async function ask(
    name: string,
    callerOf: (owner: UserRecord) => Promise<TestClient> | TestClient,
    before: (owner: UserRecord) => Promise<unknown> = () => Promise.resolve(),
  ): Promise<TestResponse> {
    const call = calls.get(name);
    const row = rows[name];
    if (call === undefined || row === undefined) throw new Error(`There is no call ${name}`);
    const owner = await app.createUser({ quota: 1_000_000 });
    const { path, body, bytes } = await row({ app, root, upstream, bank, owner }, call.path);
    const caller = await callerOf(owner);
    await before(owner);
    const options = bytes === undefined ? {} : { rawBody: bytes, headers: { 'content-type': 'application/octet-stream' } };
    return caller.call(call.method, path, body, options);
  }
  const someone = async (role: UserRecord['role']) => app.as(await app.createUser({ role }));
  const withHeader = async (client: TestClient, id: number | null) => {
    client.setUser(id);
    return client;
  };
  /** Entries of the audit log that a call has left. */
  const auditedBy = async ({ headers }: TestResponse) => {
    const entries = await app.context.db.collection('audit_entries').find({}, { sort: [['id', -1]], limit: 50 });
    return entries.filter(({ request_id }) => request_id === headers['x-oneapi-request-id']);
  };
  const isAudited = (name: string): boolean => {
    const spec = specs.get(name);
    return spec !== undefined && !('exempt' in spec);
  };
  /** Refused, or nothing of it done. */
  const nothing = ({ success, data }: TestResponse) => !success || data === 0;

  it('each call with a record in its path has a row', () => {
    const named = [...calls.values()].filter(({ path }) => path.includes('{')).map(nameOf);
    expect(named.filter((name) => rows[name] === undefined)).toEqual([]);
  });

  it.each(Object.keys(rows))('%s', async (name) => {
    const isPersonal = calls.get(name)?.access === 'user';
    const rank = calls.get(name)?.access === 'root' ? Role.root : Role.admin;
    const ownCaller = async (owner: UserRecord) => (isPersonal ? app.as(owner) : someone(rank));

    expect(await ask(name, () => app.anonymous()), 'a guest').toMatchObject({ status: 401, code: 'not_logged_in' });
    const own = await ask(name, ownCaller);
    expect(own, `whose it is: ${own.message}`).toMatchObject({ status: 200, success: true });
    expect(nothing(own), 'whose it is').toBe(false);
    expect((await auditedBy(own)).length > 0, 'is in the audit log').toBe(isAudited(name));

    const missing = await ask(name, async (owner) => withHeader(await ownCaller(owner), null));
    expect(missing, 'without the header').toMatchObject({ status: 401, code: 'user_header_missing' });
    const other = await ask(name, async (owner) => withHeader(await ownCaller(owner), 999_999));
    expect(other, 'with the header of somebody else').toMatchObject({ status: 401, code: 'user_header_mismatch' });

    let caller: TestClient | undefined;
    const banned = await ask(
      name,
      async (owner) => (caller = await ownCaller(owner)),
      () => app.context.db.collection('users').patch({ id: caller?.userId ?? 0 }, { set: { status: 2 } }),
    );
    expect(banned, 'a banned account').toMatchObject({ status: 403, code: 'user_banned' });

    const stranger = await ask(name, () => someone(Role.user));
    if (isPersonal) {
      for (const answer of [stranger, await ask(name, () => someone(Role.admin)), await ask(name, () => root)])
        expect(nothing(answer), `of somebody else: ${JSON.stringify(answer.body)}`).toBe(true);
    } else {
      expect(stranger, 'a user').toMatchObject({ status: 403, code: 'forbidden' });
      expect(await ask(name, () => root), 'a super administrator').toMatchObject({ status: 200, success: true });
    }
  });
});
