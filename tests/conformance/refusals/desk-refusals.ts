// What administrators and users work with: channels, tokens, codes, top-ups, logs, figures.
import { vi } from 'vitest';
import { DatabaseUnavailable } from '#server/db/collection.ts';
import type { BackupRecord } from '#server/db/records/backup.ts';
import type { PricePlanRecord } from '#server/db/records/price-plan.ts';
import type { StatusIncidentRecord } from '#server/db/records/status-page.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import { epay } from '#server/features/wallet/payments/epay.ts';
import { buildBackup } from '#tests/support/build-backup.ts';
import { buildBillAccount, buildBillImport } from '#tests/support/build-bill.ts';
import { buildChannel } from '#tests/support/build-channel.ts';
import { buildIncident } from '#tests/support/build-incident.ts';
import { buildLog } from '#tests/support/build-log.ts';
import { until } from '#tests/support/until.ts';
import { setOption } from '#tests/support/relay-scene.ts';
import { startRawUpstream } from '#tests/support/raw-upstream.ts';
import { codeRecord, makeCode } from '#tests/support/redemption-desk.ts';
import { failingWrites } from '#tests/support/watched-database.ts';
import { placeOrder } from '#tests/support/wallet-desk.ts';
import type { ConsoleDesk } from './console-desk.ts';
import { type Refusal, type RefusalRows, type Reported, reportedBy, reportedInData } from './refusal.ts';

const channel = { name: 'one', key: 'sk-secret-one', models: 'gpt-4o' };
const nowOf = (desk: ConsoleDesk) => Math.floor(desk.app.clock.now() / 1000);

const addChannel = (desk: ConsoleDesk, fields: object) => desk.admin.post('/api/channel/', { ...channel, ...fields });
const channelRefusal =
  (fields: object, details?: NonNullable<Refusal['details']>) =>
  async (desk: ConsoleDesk): Promise<Refusal> => ({ reported: reportedBy(await addChannel(desk, fields)), details: details ?? {} });

async function channelId(desk: ConsoleDesk, fields: object = {}): Promise<number> {
  const response = await addChannel(desk, { base_url: desk.upstream.url, ...fields });
  return response.data[0];
}

const tokenRefusal =
  (fields: object, details?: NonNullable<Refusal['details']>) =>
  async (desk: ConsoleDesk): Promise<Refusal> => ({
    reported: reportedBy(await (await desk.member()).post('/api/token/', { name: 'key', ...fields })),
    details: details ?? {},
  });

/** A token that has ended by itself is switched on. */
const tokenSwitch = (fields: (desk: ConsoleDesk) => object) => async (desk: ConsoleDesk) => {
  const client = await desk.member();
  const made = await client.post('/api/token/', { name: 'key', ...fields(desk) });
  return reportedBy(await client.put('/api/token/?status_only=true', { id: made.data[0].id, status: 1 }));
};

const codeRefusal =
  (fields: object, details?: NonNullable<Refusal['details']>) =>
  async (desk: ConsoleDesk): Promise<Refusal> => ({
    reported: reportedBy(await desk.admin.post('/api/redemption/', { name: 'gift', quota: 500_000, count: 1, ...fields })),
    details: details ?? {},
  });

/** One unit more than the call cost. */
async function refund(desk: ConsoleDesk, fields: Partial<LogRecord>): Promise<Reported> {
  const { db } = desk.app.context;
  const user = await desk.app.createUser();
  const id = await db.nextId('logs');
  await db.collection('logs').insert(buildLog({ id, user_id: user.id, quota: 5, process: 'gone', seq: id, ...fields }));
  return reportedBy(await desk.admin.post(`/api/log/${id}/refund`, { amount: 6, reason: 'empty answer', ref: 'refund-one' }));
}

async function addBackup({ app: { context, clock } }: ConsoleDesk, fields: Partial<BackupRecord>): Promise<BackupRecord> {
  const id = await context.db.nextId('backups');
  const record = buildBackup({ id, started_at: clock.now(), alive_until: clock.now() + 10_000, ...fields });
  await context.db.collection('backups').insert(record);
  return record;
}

async function addImport(desk: ConsoleDesk, file: object): Promise<number> {
  return (await desk.root.post('/api/import/', { file: { name: 'one-api.db', bytes: 100, ...file }, options: {} })).data.id;
}

/** Sends a part of a file. */
async function sendPart(desk: ConsoleDesk, { id, at = 0, type = 'application/octet-stream' }: { id: number; at?: number; type?: string }) {
  const { cookie, userId } = desk.root;
  const response = await fetch(`${desk.app.origin}/api/import/${id}/part?at=${at}`, {
    method: 'PUT',
    headers: { cookie: cookie ?? '', 'new-api-user': String(userId), 'content-type': type, 'accept-language': desk.language },
    body: 'no database',
  });
  return reportedBy({ status: response.status, ...(await response.json()) });
}

async function redeem(desk: ConsoleDesk, key: string | undefined): Promise<Reported> {
  return reportedBy(await (await desk.member()).post('/api/user/topup', { key }));
}

async function usedCode(desk: ConsoleDesk): Promise<string> {
  const key = await makeCode(desk.admin);
  await redeem(desk, key);
  return key;
}

async function pay(desk: ConsoleDesk, fields: object = {}): Promise<Reported> {
  return reportedInData(await (await desk.member()).post('/api/user/pay', { amount: 10, payment_method: 'zfb', ...fields }));
}

async function testChannel(desk: ConsoleDesk, fields: object): Promise<Reported> {
  return reportedBy(await desk.admin.get(`/api/channel/test/${await channelId(desk, fields)}`));
}

async function asksOnce(desk: ConsoleDesk, path: string): Promise<Reported> {
  await channelId(desk, { type: 8 });
  desk.upstream.behave({ firstByteDelay: Number.POSITIVE_INFINITY });
  await desk.admin.get(path);
  const reported = reportedBy(await desk.admin.get(path));
  await desk.admin.post('/api/channel/runs/stop', { kind: path.endsWith('test') ? 'tests' : 'balances' });
  for (const request of desk.upstream.requests) request.release();
  desk.upstream.reset();
  return reported;
}

async function withBillAccount<Result>(desk: ConsoleDesk, work: (account: number) => Promise<Result>): Promise<Result> {
  const channels = desk.app.context.db.collection('channels');
  const made = await desk.app.context.db.nextId('channels');
  await channels.insert(buildChannel({ id: made }));
  const { data } = await desk.root.post('/api/bill/account', buildBillAccount({ channel_ids: [made] }));
  const reported = await work(data.id);
  await desk.root.delete(`/api/bill/account/${data.id}`);
  await channels.remove({ id: made });
  return reported;
}

/** Answers that are open, until `work` is done. */
async function holding(desk: ConsoleDesk, { path, count }: { path: string; count: number }): Promise<Reported> {
  const client = await desk.member();
  const ids = path.endsWith('export') ? await desk.app.context.db.nextIds('logs', 3000) : [];
  const rows = ids.map((id) => buildLog({ id, user_id: client.userId ?? 0, content: 'x'.repeat(2000) }));
  await desk.app.context.db.write(rows.map((insert) => ({ insert, into: 'logs' as const })));
  const leave = new AbortController();
  const headers = { cookie: client.cookie ?? '', 'new-api-user': String(client.userId) };
  for (let open = 0; open < count; open += 1) {
    const response = await fetch(`${desk.app.origin}${path}`, { headers, signal: leave.signal });
    if (path.endsWith('export')) await response.body?.getReader().read();
  }
  const reported = reportedBy(await client.get(path));
  leave.abort();
  return reported;
}

/** Applies a file over the API, or plans it. */
const applies = (desk: ConsoleDesk, text: string, more: object = {}) =>
  desk.root.post('/api/as_code/apply', { files: [{ name: 'site.yaml', text: `version: 1\n${text}` }], ...more });

export const deskRefusals = {
  price_sync_running: async ({ app: { context, clock }, admin }) => {
    const runs = context.db.collection('price_syncs');
    const nothing = { source: '', compared: 0, applied: 0, waiting: 0, invalid: [], unplaced: [] };
    const started_at = Math.floor(clock.now() / 1000);
    await runs.insert({ id: 900_001, trigger: 'console', user_id: 1, state: 'running', running: 1, started_at, ...nothing });
    const reported = reportedBy(await admin.post('/api/price/sync'));
    await runs.remove({ id: 900_001 });
    return reported;
  },
  status_incidents_full: async ({ app: { context }, admin }) => {
    const incident: Omit<StatusIncidentRecord, 'id'> = buildIncident();
    await context.db.write(
      Array.from({ length: 100 }, (_, index) => ({ insert: { ...incident, id: 900_000 + index }, into: 'status_incidents' })),
    );
    const text = { zh: '', en: 'One more' };
    const input = { kind: 'written', title: text, models: [], update: { state: 'investigating', text } };
    const reported = reportedBy(await admin.post('/api/status/incident', input));
    await context.db.collection('status_incidents').remove({ id: { gte: 900_000 } });
    return { reported, details: { limit: 100 } };
  },
  status_updates_full: async ({ app: { context }, admin }) => {
    const text = { zh: '', en: 'Again' };
    const updates = Array.from({ length: 100 }, (_, index) => ({ id: index + 1, at: 1, state: 'monitoring' as const, text }));
    await context.db.collection('status_incidents').insert({ ...buildIncident({ updates }), id: 900_000 });
    const reported = reportedBy(await admin.post('/api/status/incident/900000/update', { state: 'monitoring', text, revision: 1 }));
    await context.db.collection('status_incidents').remove({ id: 900_000 });
    return { reported, details: { limit: 100 } };
  },
  price_plans_full: async ({ app: { context, clock }, admin }) => {
    const at = Math.floor(clock.now() / 1000) + 60;
    const plan: Omit<PricePlanRecord, 'id'> = {
      model: 'planned',
      entries: [],
      lines: [],
      at,
      state: 'waiting',
      user_id: 1,
      created_at: at,
      source: '',
    };
    await context.db.write(Array.from({ length: 1000 }, (_, index) => ({ insert: { ...plan, id: 900_000 + index }, into: 'price_plans' })));
    const nothing = { entries: [], lines: [], guards: [], is_new: false, unplaced: [], provider: '', source: '' };
    await context.db.collection('price_reviews').insert({ id: 'planned', revision: 'r', state: 'waiting', found_at: at, ...nothing });
    const reported = reportedBy(await admin.post('/api/price/sync/apply', { changes: [{ model: 'planned', revision: 'r' }], at }));
    await context.db.collection('price_plans').remove({ model: { ne: '' } });
    await context.db.collection('price_reviews').remove({ id: 'planned' });
    return { reported, details: { limit: 1000 } };
  },
  managed_by_file: async (desk) => {
    await applies(desk, 'settings: { Footer: "as a file says" }');
    const reported = reportedBy(await desk.admin.put('/api/option/', { key: 'Footer', value: 'mine' }));
    await desk.root.post('/api/as_code/release', { by: 'site.yaml' });
    return { reported, details: { name: 'Footer', file: 'site.yaml' } };
  },
  document_invalid: async (desk) => ({
    reported: reportedBy(await applies(desk, 'nonsense: 1')),
    details: { count: 1, detail: /site\.yaml:2:1 nonsense .+/ },
  }),
  document_nameless: async (desk) => {
    const files = ['a.yaml', 'b.yaml'].map((name) => ({ name, text: 'version: 1' }));
    return reportedBy(await desk.root.post('/api/as_code/plan', { files }));
  },
  apply_outdated: async (desk) => reportedBy(await applies(desk, 'settings: { Footer: other }', { digest: 'of an earlier plan' })),
  apply_running: async (desk) => {
    const jobs = desk.app.context.db.collection('jobs');
    const now = desk.app.clock.now();
    await jobs.insert({ id: 'edit:as-code', owner: 'another', expires_at: now + 1000, last_run_at: now });
    const reported = reportedBy(await applies(desk, 'settings: { Footer: other }'));
    await jobs.remove({ id: 'edit:as-code' });
    return reported;
  },
  apply_stopped: async (desk) => {
    const client = await desk.member({ username: `service-${desk.language}` });
    // Of the tokens that a user creates in a day, every one counts.
    const reported = await desk.during({ MaxTokensPerUser: '1' }, async () => {
      for (const name of ['one', 'two']) await client.delete(`/api/token/${(await client.post('/api/token/', { name })).data[0].id}`);
      return reportedBy(await applies(desk, `tokens: [{ user: service-${desk.language}, name: three }]`));
    });
    return { reported, details: { done: 0, total: 1, detail: /.+/ } };
  },
  backup_running: async (desk) => {
    const { id } = await addBackup(desk, { state: 'running', running: 1 });
    const reported = reportedBy(await desk.root.post('/api/backup/'));
    await desk.app.context.db.collection('backups').remove({ id });
    return reported;
  },
  import_running: async (desk) => {
    const imports = desk.app.context.db.collection('imports');
    const [one, other] = [await addImport(desk, {}), await addImport(desk, {})];
    await imports.patch({ id: one }, { set: { state: 'planning', running: 1 } });
    await imports.patch({ id: other }, { set: { received: 100 } });
    const reported = reportedBy(await desk.root.post(`/api/import/${other}/plan`, {}));
    await imports.remove({ id: { in: [one, other] } });
    return reported;
  },
  import_not_ready: async (desk) => reportedBy(await desk.root.post(`/api/import/${await addImport(desk, {})}/start`)),
  import_source_missing: async (desk) => reportedBy(await desk.root.post('/api/import/', { options: {} })),
  import_address_form: async (desk) => reportedBy(await desk.root.post('/api/import/', { address: '/etc/passwd', options: {} })),
  import_too_large: async (desk) => ({
    reported: reportedBy(await desk.root.post('/api/import/', { file: { name: 'a.db', bytes: 10 ** 15 }, options: {} })),
    details: { limit: 20_480 },
  }),
  import_disk_full: (desk) =>
    desk.site({ env: { MAX_IMPORT_MB: '1048576' } }, async (app) => {
      const root = await app.setup();
      root.setLanguage(desk.language);
      return reportedBy(await root.post('/api/import/', { file: { name: 'a.db', bytes: 1_048_576_000_000 }, options: {} }));
    }),
  import_not_sqlite: async (desk) => sendPart(desk, { id: await addImport(desk, {}) }),
  import_part_order: async (desk) => sendPart(desk, { id: await addImport(desk, {}), at: 50 }),
  import_file_elsewhere: async (desk) => {
    const id = await addImport(desk, {});
    await desk.app.context.db.collection('imports').patch({ id }, { set: { received: 50 } });
    return sendPart(desk, { id, at: 50 });
  },
  bytes_expected: async (desk) => sendPart(desk, { id: await addImport(desk, {}), type: 'text/plain' }),
  import_conflicts: async (desk) => {
    const id = await addImport(desk, {});
    const note = { effect: 'conflict', kind: 'user', reason: 'name_taken', detail: '', rows: 1, quota: 0, names: ['anna'] };
    const plan = JSON.stringify({ label: '', program: 'one-api', counts: [], money: [], notes: [note], more_notes: 0 });
    await desk.app.context.db.collection('imports').patch({ id }, { set: { state: 'planned', plan } });
    return reportedBy(await desk.root.post(`/api/import/${id}/start`));
  },
  backup_place_incomplete: (desk) => desk.during({ BackupPlace: 's3' }, async () => reportedBy(await desk.root.post('/api/backup/'))),
  backup_gone: async (desk) => {
    const { id } = await addBackup(desk, { state: 'done', bytes: 7 });
    return reportedBy(await desk.root.get(`/api/backup/${id}/file`));
  },
  bill_import_running: (desk) =>
    withBillAccount(desk, async (account) => {
      const { context, clock } = desk.app;
      const id = await context.db.nextId('bill_imports');
      await context.db.collection('bill_imports').insert(buildBillImport({ id, account_id: account, alive_until: clock.now() + 30_000 }));
      const headers = { 'content-type': 'application/octet-stream' };
      return reportedBy(await desk.root.post(`/api/bill/account/${account}/import`, undefined, { rawBody: '{}', headers }));
    }),
  bill_channel_taken: (desk) =>
    withBillAccount(desk, async (account) => {
      const { channel_ids } = (await desk.app.context.db.collection('bill_accounts').get(account)) ?? { channel_ids: [] };
      const reported = reportedBy(await desk.root.post('/api/bill/account', buildBillAccount({ channel_ids })));
      return { reported, details: { channel: channel_ids[0] ?? 0, name: 'Main' } };
    }),
  bill_no_usage_api: (desk) =>
    withBillAccount(desk, async (account) => reportedBy(await desk.root.post(`/api/bill/account/${account}/fetch`))),
  async bill_mappings_full(desk) {
    const mappings = desk.app.context.db.collection('bill_mappings');
    for (let index = 0; index < 100; index += 1)
      await mappings.insert({ id: `mapping ${index}`, columns: [], decimal: '.', changed_at: 0 });
    const columns = { date: 'Day', model: 'Model', amount: 'Cost' };
    const reported = reportedBy(await desk.root.put('/api/bill/mapping', { name: 'one more', columns, decimal: '.' }));
    await mappings.remove({});
    return { reported, details: { count: 100 } };
  },
  update_source_missing: async (desk) => reportedBy(await desk.root.get('/api/status/update')),
  update_check_failed: (desk) =>
    desk.site({ env: { RELEASES_URL: 'http://127.0.0.1:1/' } }, async (app) => {
      const root = await app.setup();
      root.setLanguage(desk.language);
      return reportedBy(await root.get('/api/status/update'));
    }),
  not_found: async (desk) => reportedBy(await (await desk.member()).put('/api/token/', { id: 999_999, name: 'x' })),
  log_not_found: async (desk) => reportedBy(await (await desk.member()).get('/api/log/self/999999')),
  refund_not_charged: (desk) => refund(desk, { quota: 0 }),
  refund_of_batch: (desk) => refund(desk, { other: { batch: { id: 'batch_1', requests: 1 } } }),
  refund_of_tuning: (desk) => refund(desk, { other: { tuning: { id: 'ftjob-1', examples: 10, epochs: 3, tokens: 90, price: 3 } } }),
  refund_of_cache: (desk) => refund(desk, { other: { context_cache: { id: 'c1', tokens: 10, until: 1 } } }),
  refund_of_task: (desk) => refund(desk, { other: { task: { action: 'IMAGINE', id: '1' } } }),
  refund_too_large: async (desk): Promise<Refusal> => ({ reported: await refund(desk, {}), details: { quota: '5' } }),
  target_timestamp_required: async (desk) => reportedBy(await desk.root.delete('/api/log/')),
  exports_running: (desk) => holding(desk, { path: '/api/log/self/export', count: 2 }),
  tails_open: (desk) => holding(desk, { path: '/api/log/self/tail', count: 5 }),
  async log_deletion_running(desk) {
    const client = await desk.member();
    // A batch that was announced and not finished.
    const closings = desk.app.context.db.collection('log_closings');
    const batch = { ids: [], hours: [], sums: [] };
    await closings.patch({ id: 'head' }, { set: { batch } }, { insertIfMissing: { id: 'head', last: 0, batch } });
    const reported = reportedBy(await client.get('/api/user/self/statement?start_timestamp=0'));
    await closings.patch({ id: 'head' }, { unset: ['batch'] });
    return reported;
  },
  data_span_too_long: async (desk) => reportedBy(await (await desk.member()).get('/api/data/self?start_timestamp=0&end_timestamp=9999999')),
  async revision_conflict(desk) {
    const client = await desk.member();
    const { id } = (await client.post('/api/token/', { name: 'key' })).data[0];
    await client.put('/api/token/', { id, name: 'renamed', revision: 1 });
    return reportedBy(await client.put('/api/token/', { id, name: 'again', revision: 1 }));
  },

  channel_arguments: async (desk) => reportedBy(await desk.admin.post('/api/channel/batch', { ids: [] })),
  tag_empty: async (desk) => reportedBy(await desk.admin.put('/api/channel/tag', { tag: ' ' })),
  async channels_partly_changed(desk) {
    const id = await channelId(desk);
    const reported = reportedBy(await desk.admin.post('/api/channel/batch/tag', { ids: [id, 999_999], tag: 'x' }));
    const reason = { zh: '渠道未找到，请刷新页面后重试。', en: 'The channel was not found, please reload the page' };
    return { reported, details: { total: 2, done: 1, detail: { zh: `#999999 ${reason.zh}`, en: `#999999 ${reason.en}` } } };
  },
  async channels_stopped(desk) {
    const key = Array.from({ length: 101 }, (_, place) => `sk-${place}`).join('\n');
    const ids: number[] = (await addChannel(desk, { base_url: desk.upstream.url, key })).data;
    const { db } = desk.app.context;
    const write = db.writeUnordered.bind(db);
    // A hundred in a step.
    vi.spyOn(db, 'writeUnordered')
      .mockImplementationOnce((batch) => write(batch))
      .mockImplementationOnce(() => Promise.reject(new DatabaseUnavailable('the database is away')));
    const reported = reportedBy(await desk.admin.post('/api/channel/batch/tag', { ids, tag: 'x' }));
    vi.restoreAllMocks();
    return { reported, details: { total: 101, done: 100 } };
  },
  channel_incomplete: channelRefusal({ name: ' ' }),
  channel_without_models: channelRefusal({ models: ' , ' }),
  channel_model_too_long: channelRefusal({ models: 'm'.repeat(256) }, { model: 'm'.repeat(80) }),
  channel_mapping_invalid: channelRefusal({ model_mapping: '{' }),
  channel_json_invalid: channelRefusal({ status_code_mapping: '{500:400}' }, { field: 'status_code_mapping' }),
  channel_key_invalid: channelRefusal({ key: 'sk-密钥' }),
  async channel_key_needed(desk) {
    const id = await channelId(desk);
    return reportedBy(await desk.admin.put('/api/channel/', { id, base_url: 'https://elsewhere.example' }));
  },
  async channel_has_keys(desk) {
    const id = await channelId(desk);
    await desk.admin.post(`/api/channel/${id}/keys`, { keys: 'sk-secret-two' });
    return reportedBy(await desk.admin.put('/api/channel/', { id, key: 'sk-secret-three' }));
  },
  channel_key_not_found: async (desk) =>
    reportedBy(await desk.admin.put(`/api/channel/${await channelId(desk)}/keys/999999`, { weight: 2 })),
  async channel_key_known(desk) {
    const id = await channelId(desk);
    await desk.admin.post(`/api/channel/${id}/keys`, { keys: 'sk-secret-two' });
    const [first] = (await desk.admin.get(`/api/channel/${id}/keys`)).data.keys;
    return reportedBy(await desk.admin.post(`/api/channel/${id}/keys/${first.id}/replace`, { key: 'sk-secret-two' }));
  },
  channel_key_one: async (desk) =>
    reportedBy(await desk.admin.post(`/api/channel/${await channelId(desk)}/keys/0/replace`, { key: 'sk-secret-two\nsk-secret-three' })),
  async channel_key_sole(desk) {
    const id = await channelId(desk);
    await desk.admin.put(`/api/channel/${id}/keys/0`, { weight: 2 });
    const [first] = (await desk.admin.get(`/api/channel/${id}/keys`)).data.keys;
    return reportedBy(await desk.admin.post(`/api/channel/${id}/keys/remove`, { ids: [first.id] }));
  },
  async channel_keys_full(desk) {
    const keys = Array.from({ length: 1000 }, (_, index) => `sk-secret-${index}`).join('\n');
    const reported = reportedBy(await desk.admin.post(`/api/channel/${await channelId(desk)}/keys`, { keys }));
    return { reported, details: { limit: 1000 } };
  },
  async channel_key_type(desk) {
    const key = 'AKIDEXAMPLE|secret|us-east-1';
    const one = await channelId(desk, { key });
    const other = await channelId(desk, { key, type: 33, name: 'bedrock' });
    const from = { channel_id: one, key_id: 0 };
    const reported = reportedBy(
      await desk.admin.post('/api/channel/keys/replace', { from, channels: [one, other], key: 'sk-secret-nine' }),
    );
    return { reported, details: { name: 'bedrock' } };
  },
  key_replacement_late: async (desk) => reportedBy(await desk.admin.post('/api/channel/keys/replacements/999999/undo')),
  async key_replacement_moved(desk) {
    const id = await channelId(desk, { key: 'sk-secret-leaked', name: 'moved' });
    const from = { channel_id: id, key_id: 0 };
    const { data } = await desk.admin.post('/api/channel/keys/replace', { from, channels: [id], key: 'sk-secret-fresh' });
    await desk.admin.put('/api/channel/', { id, base_url: 'https://elsewhere.example', key: 'sk-secret-mine' });
    const reported = reportedBy(await desk.admin.post(`/api/channel/keys/replacements/${data.id}/undo`));
    return { reported, details: { name: 'moved' } };
  },
  channel_key_google: channelRefusal({ type: 41, other: 'global', key: '{"type":"service_account"}' }),
  channel_key_aws: channelRefusal({ type: 33, key: 'AKIDEXAMPLE|secret' }),
  channel_key_codex: channelRefusal({ type: 57, key: 'sk-key' }),
  channel_key_form: channelRefusal({ type: 51, key: 'sk-key' }, { forms: 'AccessKeyId|SecretAccessKey' }),
  channel_regions_required: channelRefusal({ type: 41 }),
  channel_regions_default: channelRefusal({ type: 41, other: '{"gemini-2.5-pro":"us-central1"}' }),
  channel_regions_invalid: channelRefusal({ type: 41, other: 'a.example/' }),
  channel_account_required: channelRefusal({ type: 39 }),
  channel_library_required: channelRefusal({ type: 21 }),
  channel_app_invalid: channelRefusal({ type: 37, other: 'chatflow' }),
  channel_format_foreign: channelRefusal(
    { type: 14, setting: '{"formats":["openai-responses"]}' },
    { name: 'openai-responses', formats: 'claude' },
  ),
  channel_keys_many: channelRefusal({ key: Array.from({ length: 1001 }, (_, index) => `sk-${index}`).join('\n') }, { limit: /\d+/ }),
  channel_text_invalid: channelRefusal({ openai_organization: 'a\r\nx-evil: 1' }, { field: 'openai_organization' }),
  channel_status_invalid: async (desk) => reportedBy(await desk.admin.put('/api/channel/', { id: await channelId(desk), status: 3 })),
  channel_base_url_invalid: channelRefusal({ base_url: 'ftp://x.example' }),
  channel_base_url_required: channelRefusal({ type: 8 }),
  channel_type_unsupported: channelRefusal({ type: 999 }, { type: 999 }),
  channel_not_found: async (desk) => reportedBy(await desk.admin.get('/api/channel/999999')),
  channel_restore_late: async (desk) => reportedBy(await desk.admin.post('/api/channel/restore', { ids: [999_999] })),
  async channel_test_failed(desk) {
    desk.upstream.queue({ status: 400, error: { message: 'The prompt is odd', type: 'invalid_request_error' } });
    return { reported: await testChannel(desk, { models: 'gpt-4o-mini' }), details: { detail: /.*The prompt is odd.*/ } };
  },
  async channel_test_unsupported(desk) {
    const reported = await testChannel(desk, { type: 2, models: 'mj_imagine' });
    return { reported, details: { name: 'midjourney' } };
  },
  async channel_test_orders(desk) {
    return { reported: await testChannel(desk, { models: 'sora-2' }), details: { model: 'sora-2' } };
  },
  channel_test_unsupported_plus: (desk) => testChannel(desk, { type: 5, models: 'mj_imagine' }),
  async channel_models_failed(desk) {
    const id = await channelId(desk);
    desk.upstream.queue({ status: 401, error: { message: 'Incorrect API key', type: 'invalid_request_error' } });
    const reported = reportedBy(await desk.admin.get(`/api/channel/fetch_models/${id}`));
    return { reported, details: { detail: 'status code 401: Incorrect API key' } };
  },
  async channel_balance_failed(desk) {
    const id = await channelId(desk, { type: 43 });
    const reported = reportedBy(await desk.admin.get(`/api/channel/update_balance/${id}`));
    return { reported, details: { detail: 'status code: 404' } };
  },
  channel_balance_unsupported: async (desk) =>
    reportedBy(await desk.admin.get(`/api/channel/update_balance/${await channelId(desk, { type: 3 })}`)),
  channel_tests_running: (desk) => asksOnce(desk, '/api/channel/test'),
  channel_balances_running: (desk) => asksOnce(desk, '/api/channel/update_balance'),
  channel_models_unlisted: async (desk) =>
    reportedBy(await desk.admin.get(`/api/channel/fetch_models/${await channelId(desk, { type: 3 })}`)),
  async upstream_too_large(desk) {
    const page = Buffer.alloc(9 * 1024 * 1024, 'x');
    await using endless = await startRawUpstream((response) => void response.end(page), { type: 'application/json' });
    const id = await channelId(desk, { base_url: endless.url });
    const reported = reportedBy(await desk.admin.get(`/api/channel/fetch_models/${id}`));
    return { reported, status: 200, code: 'channel_models_failed' };
  },

  token_name_long: tokenRefusal({ name: 'x'.repeat(31) }),
  token_name_required: tokenRefusal({ name: ' ' }),
  async token_expiry_invalid(desk) {
    const client = await desk.member();
    const { id } = (await client.post('/api/token/', { name: 'key' })).data[0];
    return reportedBy(await client.put('/api/token/', { id, expired_time: 0 }));
  },
  token_ips_invalid: tokenRefusal({ allow_ips: '10.0.0.1\nnot an address' }, { line: 'not an address' }),
  token_group_denied: tokenRefusal({ group: 'moon' }),
  token_expired_enable: tokenSwitch((desk) => ({ unlimited_quota: true, expired_time: nowOf(desk) - 10 })),
  token_exhausted_enable: tokenSwitch(() => ({ unlimited_quota: false })),
  async token_blocked(desk) {
    const client = await desk.member();
    const { id } = (await client.post('/api/token/', { name: 'key' })).data[0];
    await desk.admin.post(`/api/user_token/${id}/block`, { reason: 'found in a repository' });
    const reported = reportedBy(await client.put('/api/token/?status_only=1', { id, status: 1 }));
    return { reported, details: { reason: 'found in a repository' } };
  },
  async token_limit_held(desk) {
    const client = await desk.member();
    const { id } = (await client.post('/api/token/', { name: 'held' })).data[0];
    await desk.admin.put(`/api/user_token/${id}`, { allow_ips: '10.0.0.1', held: ['addresses'] });
    return { reported: reportedBy(await client.put('/api/token/', { id, allow_ips: '' })), details: { name: 'held' } };
  },
  async token_owner_same(desk) {
    const client = await desk.member();
    const { id, user_id } = (await client.post('/api/token/', { name: 'key' })).data[0];
    return reportedBy(await desk.admin.post(`/api/user_token/${id}/move`, { user_id }));
  },
  async token_moving(desk) {
    const [client, other] = [await desk.member(), await desk.member()];
    const { id } = (await client.post('/api/token/', { name: 'key' })).data[0];
    await desk.app.context.db.collection('tokens').patch({ id }, { set: { moved_to: 999_999 } });
    return reportedBy(await desk.admin.post(`/api/user_token/${id}/move`, { user_id: other.userId }));
  },
  token_id_empty: async (desk) => reportedBy(await (await desk.member()).get('/api/token/0')),
  token_limit_reached: (desk) =>
    desk.during({ MaxTokensPerUser: '1' }, async () => {
      const client = await desk.member();
      await client.post('/api/token/', { name: 'one' });
      return { reported: reportedBy(await client.post('/api/token/', { name: 'two' })), details: { limit: 1 } };
    }),
  invitation_invalid: async (desk) => reportedBy(await desk.guest().post('/api/invitation/open', { token: 'nobody-has-it' })),
  async invitation_used(desk) {
    const lines = [{ username: 'invitee', email: '', group: '', quota: 0 }];
    const body = { lines, delivery: 'link', valid_seconds: 3600, creates_accounts: true };
    const { id, token } = (await desk.admin.post('/api/invitation/', body)).data.made[0];
    await desk.app.context.db.collection('users').patch({ invitation_id: id }, { set: { password_hash: 'set meanwhile' } });
    return reportedBy(await desk.guest().post('/api/invitation/accept', { token, password: 'lantern-and-rope' }));
  },
  user_code_invalid: async (desk) =>
    reportedBy(await (await desk.member()).post('/api/app_authorization/device', { user_code: 'BCDF-GHJK' })),
  tokens_missing: async (desk): Promise<Refusal> => {
    const client = await desk.member();
    const { id } = (await client.post('/api/token/', { name: 'key' })).data[0];
    const reported = reportedBy(await client.put('/api/token/batch', { ids: [id, 999_999], ref: 'missing-one', group: '' }));
    return { reported, details: { count: 1 } };
  },
  tokens_unlimited: async (desk): Promise<Refusal> => {
    const client = await desk.member();
    const { id } = (await client.post('/api/token/', { name: 'free', unlimited_quota: true })).data[0];
    return {
      reported: reportedBy(await client.put('/api/token/batch', { ids: [id], ref: 'unlimited', refill: 1 })),
      details: { names: 'free' },
    };
  },
  async tokens_stopped(desk) {
    const client = await desk.member();
    const ids = (await client.post('/api/token/', { name: 'key', count: 2 })).data.map(({ id }: { id: number }) => id);
    const { db } = desk.app.context;
    const collection = db.collection.bind(db);
    const untilSecond = failingWrites(Object.assign(Object.create(db), { collection }), 1);
    vi.spyOn(db, 'collection').mockImplementation(untilSecond.collection.bind(untilSecond));
    const reported = reportedBy(await client.put('/api/token/batch', { ids, ref: 'stopped-midway', expired_time: 4_000_000_000 }));
    vi.restoreAllMocks();
    return { reported, details: { total: 2, done: 1 } };
  },
  token_count_invalid: tokenRefusal({ count: 101 }, { limit: 100 }),

  redemption_name_length: codeRefusal({ name: ' ' }),
  redemption_quota_low: codeRefusal({ quota: 0 }),
  redemption_count_low: codeRefusal({ count: 0 }),
  redemption_count_high: codeRefusal({ count: 101 }, { limit: 100 }),
  redemption_expiry_past: codeRefusal({ expired_time: 1 }),
  redemption_id_empty: async (desk) => reportedBy(await desk.admin.delete('/api/redemption/0')),
  async redemption_used(desk) {
    const { id } = await codeRecord(desk.app, await usedCode(desk));
    return reportedBy(await desk.admin.put('/api/redemption/', { id, quota: 1 }));
  },
  async redemption_disabled(desk) {
    const { id } = await codeRecord(desk.app, await makeCode(desk.admin));
    await desk.admin.put('/api/redemption/?status_only=true', { id, status: 2 });
    return reportedBy(await desk.admin.put('/api/redemption/', { id, quota: 5 }));
  },
  redeem_key_missing: (desk) => redeem(desk, undefined),
  redeem_invalid: (desk) => redeem(desk, 'f'.repeat(32)),
  redeem_used: async (desk) => redeem(desk, await usedCode(desk)),
  async redeem_expired(desk) {
    const key = await makeCode(desk.admin, { expired_time: nowOf(desk) + 60 });
    desk.app.clock.advance(61_000);
    return redeem(desk, key);
  },

  payment_input: (desk) => pay(desk, { amount: 1.5 }),
  payment_method_unknown: (desk) => pay(desk, { payment_method: 'bitcoin' }),
  topup_below_minimum: async (desk): Promise<Refusal> => ({ reported: await pay(desk, { amount: 0 }), details: { minimum: 1 } }),
  topup_price_low: (desk) => desk.during({ Price: '0.0001' }, () => pay(desk, { amount: 1 })),
  payment_unconfigured: (desk) => desk.during({ EpayKey: '' }, () => pay(desk)),
  async payment_not_started(desk) {
    vi.spyOn(epay, 'start').mockImplementationOnce(() => {
      throw new Error('A fault that a test has made');
    });
    return pay(desk);
  },
  async order_not_created(desk) {
    const client = await desk.member();
    const order = { amount: 10, payment_method: 'zfb' };
    // Chance repeats itself, and the clock stands still.
    vi.spyOn(desk.app.context, 'randomText').mockReturnValue('again1');
    vi.spyOn(desk.app.context, 'now').mockReturnValue(desk.app.context.now());
    // The first must be there, whatever was in its way.
    await until(async () => (await client.post('/api/user/pay', order)).message === 'success');
    const reported = reportedInData(await client.post('/api/user/pay', order));
    vi.restoreAllMocks();
    return reported;
  },
  async order_finished(desk) {
    await setOption(desk.app, 'ServerAddress', desk.app.origin);
    const client = await desk.member();
    const tradeNo = await placeOrder(client, desk.epay);
    await desk.epay.notify(tradeNo);
    return reportedBy(await client.post(`/api/user/topup/orders/${tradeNo}/cancel`));
  },
} satisfies RefusalRows<ConsoleDesk>;
