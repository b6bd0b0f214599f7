// Backups from the console: now, by the schedule, in a folder and in S3-compatible storage.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkBackup } from '#server/transfer/read-backup.ts';
import { createS3 } from '#server/transfer/s3.ts';
import { tendBackups } from '#server/transfer/tend-backups.ts';
import { buildBackup } from '#tests/support/build-backup.ts';
import { engines } from '#tests/support/engines.ts';
import { type FakeS3, s3Access, startFakeS3 } from '#tests/support/fake-s3.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { setOption } from '#tests/support/relay-scene.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';
import { until } from '#tests/support/until.ts';

const hour = 3_600_000;

describe.each(engines)('backups on $kind', (engine) => {
  let app: TestApp;
  let root: TestClient;
  let s3: FakeS3;
  const folder = mkdtempSync(path.join(tmpdir(), 'tidegate-backups-'));

  beforeAll(async () => {
    [app, s3] = await Promise.all([createTestApp(engine, { env: { BACKUP_DIR: folder } }), startFakeS3()]);
    root = await app.setup();
  });
  afterAll(async () => {
    await app.close();
    await s3.close();
    rmSync(folder, { recursive: true });
  });

  const download = (client: TestClient, address: string) =>
    fetch(`${app.origin}${address}`, { headers: { cookie: client.cookie ?? '', 'new-api-user': String(client.userId) } });
  const overview = async () => (await root.get('/api/backup/')).data;
  const ended = async (id: number) => {
    await until(async () => (await app.context.db.collection('backups').get(id))?.state !== 'running');
    return (await overview()).backups.find((backup: { id: number }) => backup.id === id);
  };

  it('one made now is a whole file, one at a time, and downloaded by root alone', async () => {
    expect(await overview()).toMatchObject({ backups: [], notice: 'never', interval_hours: 0, place: 'folder', where: folder });
    const { data: started } = await root.post('/api/backup/');
    expect(started).toMatchObject({ state: 'running', trigger: 'console', has_key: false });
    expect(await root.post('/api/backup/')).toMatchObject({ success: false, code: 'backup_running' });
    const backup = await ended(started.id);
    expect(backup).toMatchObject({ state: 'done', rows: expect.any(Number), can_download: true });
    expect(readdirSync(folder)).toEqual([backup.name]);
    const file = path.join(folder, backup.name);
    expect(await checkBackup(file, () => {})).toMatchObject({ header: { engine: engine.kind } });

    const response = await download(root, `/api/backup/${backup.id}/file`);
    expect(response.headers.get('content-disposition')).toContain(backup.name);
    expect(Buffer.from(await response.arrayBuffer()).equals(readFileSync(file))).toBe(true);
    const admin = await app.as(await app.createUser({ role: 10 }));
    expect((await download(admin, `/api/backup/${backup.id}/file`)).status).toBe(403);
    expect(await overview()).toMatchObject({ last_done_at: expect.any(Number) });
    expect((await overview()).notice).toBeUndefined();
  });

  it('a record cannot name another file, and one of an ended process gives way', async () => {
    const backups = app.context.db.collection('backups');
    const forged = { place: 'folder', where: path.dirname(folder), name: `${path.basename(folder)}/../../etc/passwd`, bytes: 1 } as const;
    await backups.insert(buildBackup({ id: 1000, ...forged }));
    expect(await root.get('/api/backup/1000/file')).toMatchObject({ success: false, code: 'backup_gone' });
    await backups.remove({ id: 1000 });
    const silent = { state: 'running', running: 1, alive_until: app.clock.now() - 1 } as const;
    await backups.insert(buildBackup({ id: 1001, ...silent }));
    const { data } = await root.post('/api/backup/');
    expect(await ended(data.id)).toMatchObject({ state: 'done' });
    expect((await overview()).backups.find((backup: { id: number }) => backup.id === 1001).error.code).toBe('interrupted');
    await backups.remove({ id: 1001 });
  });

  it('the schedule makes them in the bucket, sealed, removes the oldest, and alerts of failures', async () => {
    const place = { BackupPlace: 's3', BackupS3Endpoint: s3.url, BackupS3Region: s3Access.region, BackupS3Bucket: s3Access.bucket };
    const access = { BackupS3Prefix: 'a b/ü', BackupS3AccessKey: s3Access.accessKey };
    const options = { ...place, ...access, BackupIntervalHours: '24', BackupKeep: '1' };
    for (const [key, value] of Object.entries(options)) await setOption(app, key, value);
    for (const [key, value] of [
      ['BackupS3SecretKey', s3Access.secretKey],
      ['BackupPassphrase', 'correct horse battery'],
    ])
      expect((await root.put('/api/option/', { key, value })).success).toBe(true);
    const newest = async () => {
      await until(async () => (await app.context.db.collection('backups').first({ running: 1 })) === null);
      return (await overview()).backups[0];
    };
    await tendBackups(app.context);
    const first = await newest();
    expect(first).toMatchObject({
      state: 'done',
      trigger: 'schedule',
      place: 's3',
      where: 'backups/a b/ü',
      has_key: true,
      can_download: true,
    });
    const stored = s3.objects.get(`a b/ü/${first.name}`);
    expect(stored?.length).toBe(first.bytes);
    expect(stored?.includes(s3Access.secretKey)).toBe(false);
    expect(existsSync(path.join(folder, first.name))).toBe(false);
    const response = await download(root, `/api/backup/${first.id}/file`);
    expect(Buffer.from(await response.arrayBuffer()).equals(stored ?? Buffer.alloc(0))).toBe(true);

    // Not due yet; then due, and the first one goes.
    await tendBackups(app.context);
    expect((await newest()).id).toBe(first.id);
    app.clock.advance(24 * hour);
    await tendBackups(app.context);
    const second = await newest();
    expect(second.id).toBeGreaterThan(first.id);
    await until(() => s3.objects.size === 1);
    expect([...s3.objects.keys()]).toEqual([`a b/ü/${second.name}`]);

    app.clock.advance(24 * hour);
    s3.fault = ({ method, query }) => (method === 'PUT' && query.has('partNumber') ? 403 : undefined);
    await tendBackups(app.context);
    expect(await newest()).toMatchObject({ state: 'failed', error: { code: 's3_refused', text: expect.stringContaining('AccessDenied') } });
    expect(s3.uploads.size).toBe(0);
    expect(await overview()).toMatchObject({ notice: 'failed' });
    await until(async () => (await app.context.db.collection('notifications').count({})) > 0);
    expect(readdirSync(folder).filter((name) => name.includes('partial'))).toEqual([]);
    for (const { value } of (await root.get('/api/option/')).data.filter(({ key }: { key: string }) => /Passphrase|SecretKey/.test(key)))
      expect(value).toBe('');
  });

  it('an upload survives broken connections and busy answers, and a file of several parts arrives whole', async () => {
    const file = path.join(folder, 'parts');
    const content = Buffer.alloc(17 * 1024 * 1024, 'tide');
    writeFileSync(file, content);
    let faults = 0;
    s3.fault = ({ query }) => {
      if (query.get('partNumber') !== '2' || faults >= 2) return undefined;
      faults += 1;
      return faults === 1 ? 'cut' : 503;
    };
    const { accessKey, secretKey, region, bucket } = s3Access;
    const storage = createS3({ endpoint: `${s3.url}/`, region, bucket, prefix: '', accessKey, secretKey }, { pauseMs: 1 });
    await storage.upload('parts', file, { onProgress: () => {} });
    expect(faults).toBe(2);
    expect(s3.objects.get('parts')?.equals(content)).toBe(true);
    const wrong = createS3({ endpoint: s3.url, region, bucket, prefix: '', accessKey, secretKey: 'wrong' });
    await expect(wrong.remove('parts')).rejects.toThrow(/SignatureDoesNotMatch/);
    rmSync(file);
  });

  it('a download may take longer than a request, and an answer without an end takes no memory', async () => {
    const { accessKey, secretKey, region, bucket } = s3Access;
    const place = { region, bucket, prefix: '', accessKey, secretKey };
    const content = Buffer.alloc(17 * 1024 * 1024, 'tide');
    delete s3.fault;
    s3.objects.set('slow', content);
    const requestMs = 200;
    const slow = await createS3({ ...place, endpoint: s3.url }, { pauseMs: 1, requestMs }).download('slow');
    let read = 0;
    for await (const chunk of slow) {
      const begun = performance.now();
      if (read === 0) await until(() => performance.now() > begun + 2 * requestMs);
      read += chunk.length;
    }
    expect(read).toBe(content.length);
    s3.objects.delete('slow');

    let sent = 0;
    const endless = createServer((_, response) => {
      response.writeHead(403);
      const more = (): void => {
        if (response.destroyed) return;
        sent += 65_536;
        response.write('x'.repeat(65_536), () => setImmediate(more));
      };
      more();
    });
    await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve));
    const endpoint = `http://127.0.0.1:${(endless.address() as AddressInfo).port}`;
    await expect(createS3({ ...place, endpoint }, { requestMs: 5000 }).remove('x')).rejects.toThrow('HTTP 403');
    expect(sent).toBeLessThan(20_000_000);
    endless.closeAllConnections();
    await new Promise((resolve) => endless.close(resolve));
  });

  it('what a killed backup left behind is removed before the next one, and nothing else', async () => {
    const { db } = app.context;
    const backups = db.collection('backups');
    const named = (letters: string) => `tidegate-20261130-150405-${letters}.backup`;
    await setOption(app, 'BackupPlace', 'folder');
    const silent = { state: 'running', running: 1, where: folder, alive_until: app.clock.now() - 1 } as const;
    await backups.insert(buildBackup({ id: 2000, ...silent, name: named('killed') }));
    const failed = { state: 'failed', where: 'backups', place: 's3' } as const;
    await backups.insert(buildBackup({ id: 2001, ...failed, name: named('bucket') }));
    const files = [
      `${named('killed')}.partial`,
      named('bucket'),
      `${named('others')}.partial`,
      `${named('oldest')}.partial`,
      'notes.partial',
    ];
    for (const one of files) writeFileSync(path.join(folder, one), 'left behind');
    // Of a process without a record, as of an upgrade: written to until long ago.
    utimesSync(path.join(folder, `${named('oldest')}.partial`), 1, 1);
    const { data } = await root.post('/api/backup/');
    await ended(data.id);
    expect(readdirSync(folder).filter((one) => files.includes(one))).toEqual(['notes.partial', `${named('others')}.partial`]);
  });
});
