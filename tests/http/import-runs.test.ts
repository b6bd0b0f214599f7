// Imports from the console: the file in parts, the dry run, the import, its pauses and its proof.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImportDetails, ImportRun } from '#shared/imports.ts';
import { audit } from '#server/money/audit.ts';
import { claimImport } from '#server/slices/imports/runs/import-host.ts';
import { workImport } from '#server/slices/imports/runs/work-import.ts';
import { engines } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { everyDay, sourceCopy, type SourceFile } from '#tests/support/import-desk.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

describe.each(engines)('imports from the console on $kind', (engine) => {
  let app: TestApp;
  let root: TestClient;
  const folder = mkdtempSync(path.join(tmpdir(), 'tidegate-imports-'));
  const backups = mkdtempSync(path.join(tmpdir(), 'tidegate-backups-'));

  beforeAll(async () => {
    app = await createTestApp(engine, { env: { IMPORT_DIR: folder, BACKUP_DIR: backups, MAX_IMPORT_MB: '5' } });
    root = await app.setup();
  });
  afterAll(async () => {
    await app.close();
    for (const one of [folder, backups]) rmSync(one, { recursive: true });
  });

  const files = () => readdirSync(folder).filter((name) => name.endsWith('.db'));
  const send = async (client: TestClient, id: number, at: number, bytes: Uint8Array, headers: Record<string, string> = {}) => {
    const response = await fetch(`${app.origin}/api/import/${id}/part?at=${at}`, {
      method: 'PUT',
      headers: {
        cookie: client.cookie ?? '',
        'new-api-user': String(client.userId),
        'content-type': 'application/octet-stream',
        ...headers,
      },
      body: bytes.slice(),
    });
    return { status: response.status, ...((await response.json()) as { success: boolean; code?: string; data?: ImportRun }) };
  };
  const create = async (source: object, options: object = {}) =>
    (await root.post('/api/import/', { ...source, options })) as { success: boolean; code?: string; data: ImportRun };
  const read = async (id: number): Promise<ImportDetails> => (await root.get(`/api/import/${id}`)).data;
  /** What a server process does. */
  const work = async (signal?: AbortSignal) => {
    const order = await claimImport(app.context);
    if (order !== null) await workImport(app.context, { ...order, ...(signal === undefined ? {} : { signal }) });
    return order;
  };
  const upload = async (name: SourceFile, options: object = {}, parts = 3) => {
    using copy = sourceCopy(name);
    const bytes = readFileSync(copy.file);
    const { data: run } = await create({ file: { name: `C:\\old\\${name}.db`, bytes: bytes.length } }, options);
    const length = Math.ceil(bytes.length / parts);
    for (let at = 0; at < bytes.length; at += length)
      expect(await send(root, run.id, at, bytes.subarray(at, at + length))).toMatchObject({ success: true });
    return run.id;
  };

  it('is for the super administrator alone', async () => {
    const admin = await app.as(await app.createUser({ role: 10 }));
    for (const call of [admin.get('/api/import/'), admin.get('/api/import/1'), admin.post('/api/import/', { config: 'a: 1', options: {} })])
      expect(await call).toMatchObject({ success: false, code: 'forbidden' });
    expect(await send(admin, 1, 0, new Uint8Array(1))).toMatchObject({ status: 403 });
  });

  it('refuses what is no source: no database, too large, two at once, another form of address', async () => {
    const { data: run } = await create({ file: { name: 'a.zip', bytes: 100 } });
    expect(await send(root, run.id, 0, Buffer.from('PK\u0003\u0004 a zip'))).toMatchObject({ code: 'import_not_sqlite' });
    expect(await send(root, run.id, 0, new Uint8Array(10), { 'content-type': 'text/plain' })).toMatchObject({ code: 'bytes_expected' });
    expect(await send(root, run.id, 0, new Uint8Array(10), { 'content-encoding': 'gzip' })).toMatchObject({ code: 'unsupported_encoding' });
    const magic = Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(200)]);
    expect(await send(root, run.id, 0, magic)).toMatchObject({ code: 'import_part_order' });
    expect(await send(root, run.id, 16, magic)).toMatchObject({ code: 'import_part_order' });
    expect(await root.post(`/api/import/${run.id}/plan`, {})).toMatchObject({ code: 'import_not_ready' });
    expect(await root.post(`/api/import/${run.id}/stop`)).toMatchObject({ success: true });
    expect(await create({ file: { name: 'a.db', bytes: 10_000_000_000 } })).toMatchObject({ code: 'import_too_large' });
    expect(await create({ file: { name: 'a.db', bytes: 10 }, address: 'mysql://h/d' })).toMatchObject({ code: 'import_source_missing' });
    expect(await create({})).toMatchObject({ code: 'import_source_missing' });
    // The first is a file of the server, the second a socket of it.
    for (const address of ['/etc/passwd', 'postgres://u@%2Fvar%2Frun/d', 'http://127.0.0.1/', 'file:one-api.db'])
      expect(await create({ address })).toMatchObject({ code: 'import_address_form' });
    expect(files()).toEqual([]);
  });

  it('an address of this very machine that is no database fails with a reason, and stores no password', async () => {
    const server = createServer((_request, response) => response.end('no database')).listen(0, '127.0.0.1');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const { data: run } = await create({ address: `postgres://u:a-secret-password@127.0.0.1:${port}/d?sslrootcert=/etc/passwd` });
    expect(run.source).toBe(`127.0.0.1:${port}/d`);
    const stored = await app.context.db.collection('imports').get(run.id);
    expect(JSON.stringify(stored)).not.toContain('a-secret-password');
    await root.post(`/api/import/${run.id}/plan`, {});
    await work();
    const failed = await read(run.id);
    expect(failed).toMatchObject({ state: 'failed', error: { code: 'unreachable' }, has_written: false });
    expect(JSON.stringify(failed)).not.toContain('a-secret-password');
    expect(await app.context.db.collection('imports').get(run.id)).toMatchObject({ source_cipher: '' });
    server.close();
  });

  it('a file that is cut short, or of another program, fails in the dry run and is removed', async () => {
    using copy = sourceCopy('new-api-2026');
    const bytes = readFileSync(copy.file).subarray(0, 30_000);
    const { data: run } = await create({ file: { name: 'cut.db', bytes: bytes.length } });
    await send(root, run.id, 0, bytes);
    await root.post(`/api/import/${run.id}/plan`, {});
    await work();
    expect(await read(run.id)).toMatchObject({ state: 'failed', error: { code: 'unreadable' } });
    expect(files()).toEqual([]);
  });

  it('a dry run writes nothing, an import pauses, resumes and is proved; nothing of the source remains', async () => {
    const { db } = app.context;
    const id = await upload('new-api-2026', {}, 5);
    const users = await db.collection('users').count({});
    expect(await root.post(`/api/import/${id}/plan`, { log_days: everyDay, conflicts: 'leave' })).toMatchObject({
      data: { state: 'planning' },
    });
    expect(await read(id)).toMatchObject({ is_waiting: true });
    const second = await create({ config: 'model_list: []' });
    expect(await root.post(`/api/import/${second.data.id}/plan`, {})).toMatchObject({ code: 'import_running' });
    await work();
    const planned = await read(id);
    expect(planned).toMatchObject({ state: 'planned', label: expect.stringContaining('new-api-2026.db'), has_written: false });
    expect(planned.plan?.counts).toContainEqual({ kind: 'user', source: 13, added: 11, changed: 1, same: 0, left: 1 });
    expect(planned.plan?.money).toContainEqual({
      name: 'user_balance',
      source: 185_307_497,
      here: 185_307_497,
      left: 0,
      deleted: 13_505_585,
    });
    expect(await db.collection('users').count({})).toBe(users);

    expect(await root.post(`/api/import/${id}/start`)).toMatchObject({ data: { state: 'running', has_written: true } });
    // Ended with its server after a page; then paused by an administrator; then killed.
    await work(AbortSignal.abort());
    expect(await read(id)).toMatchObject({ state: 'running', is_waiting: true });
    expect(await root.post(`/api/import/${id}/pause`)).toMatchObject({ data: { state: 'paused' } });
    expect(await work()).toBeNull();
    // Resumed by another one, who loses the role meanwhile.
    const successor = await app.createUser({ role: 100 });
    const resuming = await app.as(successor);
    expect(await resuming.post(`/api/import/${id}/start`)).toMatchObject({ data: { state: 'running' } });
    const setRole = (role: number) => db.collection('users').patch({ id: successor.id }, { set: { role } });
    await setRole(10);
    await work();
    expect(await read(id)).toMatchObject({ state: 'paused', error: { code: 'starter_gone' } });
    expect(await work()).toBeNull();
    expect(await root.post(`/api/import/${id}/start`)).toMatchObject({ data: { state: 'running' } });
    expect((await read(id)).error).toBeUndefined();
    expect(await claimImport(app.context)).not.toBeNull();
    expect(await claimImport(app.context)).toBeNull();
    app.clock.advance(31_000);
    await work();
    const done = await read(id);
    expect(done).toMatchObject({ state: 'done', is_proved: true, backup_id: expect.any(Number) });
    expect(done.proof?.sums.every(({ is_equal: isEqual }) => isEqual)).toBe(true);
    expect((await audit(db, app.clock.now)).findings).toEqual([]);
    const backup = await db.collection('backups').get(done.backup_id ?? 0);
    expect(backup).toMatchObject({ state: 'done', trigger: 'import' });
    expect(done.backup).toEqual({ name: backup?.name, where: backup?.where });
    expect(files()).toEqual([]);
    expect(await db.collection('imports').get(id)).toMatchObject({ source_cipher: '', alive_until: 0 });
    expect(await root.post(`/api/import/${id}/start`)).toMatchObject({ code: 'import_not_ready' });
    await root.post(`/api/import/${second.data.id}/stop`);
  });

  it('leaves entries in the audit log: who began it, its end, and each record by the import', async () => {
    const entries = await app.context.db.collection('audit_entries').find({ kind: 'import' }, { sort: [['id', 1]] });
    expect(entries.map(({ action, actor_by: by }) => `${action} ${by}`)).toEqual(
      expect.arrayContaining(['created session', 'started session', 'stopped session', 'finished job']),
    );
    const bo = await app.context.db.collection('users').first({ username: 'bo' });
    const made = await app.context.db.collection('audit_entries').find({ object: `user:${bo?.id}` });
    expect(made).toMatchObject([{ action: 'created', actor_by: 'job', actor_name: 'import' }]);
    expect(JSON.stringify(made)).not.toContain(bo?.password_hash);
  });

  it('refuses to start with conflicts, and a second import of the same source adds nothing', async () => {
    await app.createUser({ username: 'Kim-Once' });
    const id = await upload('new-api-2026');
    await root.post(`/api/import/${id}/plan`, { log_days: everyDay, without_backup: true });
    await work();
    const { plan } = await read(id);
    expect(plan?.counts.reduce((sum, { added, changed }) => sum + added + changed, 0)).toBe(0);
    await root.post(`/api/import/${id}/start`);
    await work();
    expect(await read(id)).toMatchObject({ state: 'done', added: 0, is_proved: true });

    await app.createUser({ username: 'boris' });
    const other = await upload('one-api');
    await root.post(`/api/import/${other}/plan`, {});
    await work();
    const refused = await read(other);
    expect(refused.plan?.notes).toContainEqual(expect.objectContaining({ effect: 'conflict', reason: 'name_taken' }));
    expect(await root.post(`/api/import/${other}/start`)).toMatchObject({ code: 'import_conflicts' });
    expect(await root.post(`/api/import/${other}/plan`, { conflicts: 'rename' })).toMatchObject({ success: true });
    expect(await root.post(`/api/import/${other}/pause`)).toMatchObject({ data: { state: 'draft' } });
    await root.post(`/api/import/${other}/stop`);
    expect(existsSync(folder) ? files() : []).toEqual([]);
  });

  it('an import whose process ends again and again is paused, and its file may be on another server', async () => {
    const imports = app.context.db.collection('imports');
    const id = await upload('new-api');
    await root.post(`/api/import/${id}/plan`, {});
    // A server that restarts stops its process first: the next one continues, however often.
    for (let times = 0; times < 4; times += 1) {
      const order = await claimImport(app.context);
      await workImport(app.context, { id, worker: order?.worker ?? '', signal: AbortSignal.abort() });
      expect(await imports.get(id)).toMatchObject({ state: 'planning', crashes: 0 });
    }
    for (let times = 0; times < 3; times += 1) {
      const order = await claimImport(app.context);
      expect(order).not.toBeNull();
      // Rows alone are no progress: a dry run has them again each time.
      await imports.patch({ id }, { set: { progress: JSON.stringify({ done: times, total: 9, rate: 1, kinds: [] }) } });
      app.clock.advance(31_000);
    }
    expect(await claimImport(app.context)).toBeNull();
    expect(await read(id)).toMatchObject({ state: 'failed', error: { code: 'crashed' } });
    const lost = await upload('new-api');
    await imports.patch({ id: lost }, { set: { file: 'on-another-server.import.db' } });
    await root.post(`/api/import/${lost}/plan`, {});
    expect(await claimImport(app.context)).toBeNull();
    expect(await read(lost)).toMatchObject({ state: 'planning', is_waiting: true });
    app.clock.advance(601_000);
    await claimImport(app.context);
    expect(await read(lost)).toMatchObject({ state: 'failed', error: { code: 'file_lost' } });
  });

  it('LiteLLM: a configuration with its environment, of which no value is shown', async () => {
    const config = readFileSync(new URL('../support/imports/litellm-config.yaml', import.meta.url), 'utf8');
    const { data: run } = await create({ config, environment: 'OPENAI_API_KEY=sk-of-the-environment\n' });
    await root.post(`/api/import/${run.id}/plan`, { without_backup: true });
    await work();
    const planned = await read(run.id);
    expect(planned).toMatchObject({ state: 'planned', source_kind: 'config', plan: { program: 'litellm' } });
    expect(JSON.stringify([planned, await app.context.db.collection('imports').get(run.id)])).not.toContain('sk-of-the-environment');
    await root.post(`/api/import/${run.id}/stop`);
  });
});
