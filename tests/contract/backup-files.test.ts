// Backups and restores: made while calls are settled, refused if they are damaged, restored to both engines.
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { MongoClient } from 'mongodb';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '#server/db/open.ts';
import { openReplacement } from '#server/db/rows/open-rows.ts';
import { thisHost } from '#server/money/recovery/server-process.ts';
import { createSecrets } from '#server/secrets/secrets.ts';
import { makeBackup } from '#server/transfer/make-backup.ts';
import type { OnProgress } from '#server/transfer/progress.ts';
import { restoreDatabase } from '#server/transfer/restore-database.ts';
import { type Engine, engines } from '#tests/support/engines.ts';
import { dropMongoDatabase, mongoUrl, testMongoUrl } from '#tests/support/mongo-databases.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';
import { testMasterKey } from '#tests/support/test-app.ts';
import { until } from '#tests/support/until.ts';

const passphrase = 'correct horse battery staple';
const name = 'tidegate-20261130-150405-abc123.backup';

function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidegate-backup-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

async function usedDatabase(engine: Engine): Promise<{ url: string; scene: RelayScene }> {
  const database = await engine.create();
  onTestFinished(() => database.remove());
  const scene = await createScene(engine, { database, tokenQuota: 1_000_000 });
  return { url: database.url, scene };
}

async function backedUp(url: string, folder: string, onPage = () => {}): Promise<string> {
  const secrets = createSecrets(testMasterKey);
  const key = await secrets.sealKey(passphrase);
  await makeBackup({ url, folder, name, key, keyMark: secrets.keyMark, at: Date.now(), onProgress: onPage });
  return path.join(folder, name);
}

describe.each(engines)('a backup of $kind', (engine) => {
  test('made between calls is restored over the database, with balanced books, and the replaced one is retained', async () => {
    const { url, scene } = await usedDatabase(engine);
    const folder = temporaryFolder();
    for (let call = 0; call < 3; call += 1) await (await scene.chat()).text();
    await scene.logs(3);
    // Calls are settled during the copy: leases are open, and rows are newer than accounts.
    const calls: Promise<unknown>[] = [];
    const file = await backedUp(url, folder, () => calls.push(scene.chat().then((response) => response.text())));
    await Promise.all(calls);
    expect(calls.length).toBeGreaterThan(0);
    await expect(restoreDatabase({ file, to: url, sessionSecret: testMasterKey })).rejects.toThrow(/A server uses the database/);
    await scene[Symbol.asyncDispose]();

    const restored = await restoreDatabase({ file, to: url, sessionSecret: testMasterKey });
    expect(restored.audit).toMatchObject({ users: expect.any(Number), tokens: 1, findings: [] });
    expect(restored.replaced).toContain('replaced');
    const db = await openDatabase(url);
    onTestFinished(() => db.close());
    const rows = await db.collection('logs').count({ type: 2 });
    expect(rows).toBeGreaterThanOrEqual(3);
    expect(rows).toBeLessThanOrEqual(3 + calls.length);
    const user = await db.collection('users').get(scene.user.id);
    expect(user).toMatchObject({ leases: {}, username: scene.user.username });
    // No id of the backup is drawn again.
    expect(await db.nextId('users')).toBeGreaterThan(scene.user.id);
  });

  test('is restored to the other engine, with its key', async () => {
    const { url, scene } = await usedDatabase(engine);
    const folder = temporaryFolder();
    await (await scene.chat()).text();
    await scene.logs(1);
    await scene[Symbol.asyncDispose]();
    const file = await backedUp(url, folder);

    const server = engine.kind === 'mongodb' ? undefined : testMongoUrl;
    const toEmbedded = server === undefined;
    const to = toEmbedded ? `file:${path.join(folder, 'new.db')}` : mongoUrl(server, `tidegate_test_${randomUUID().replaceAll('-', '')}`);
    if (!toEmbedded) onTestFinished(() => dropMongoDatabase(to));
    await expect(restoreDatabase({ file, to })).rejects.toThrow(/--passphrase-file/);
    await expect(restoreDatabase({ file, to, passphrase: 'another passphrase' })).rejects.toThrow(/passphrase does not open/);
    if (!toEmbedded) await expect(restoreDatabase({ file, to, passphrase })).rejects.toThrow(/SESSION_SECRET/);
    const restored = await restoreDatabase({ file, to, passphrase, ...(toEmbedded ? {} : { sessionSecret: testMasterKey }) });
    expect(restored).toMatchObject({ audit: { findings: [] }, replaced: null });
    if (toEmbedded) expect(readFileSync(path.join(folder, 'new.key'), 'utf8').trim()).toBe(testMasterKey);
    const db = await openDatabase(to, { hasSchema: true });
    onTestFinished(() => db.close());
    expect(await db.collection('channels').count({})).toBe(1);
    expect((await db.explain('users', { username: 'x' }))?.index ?? 'username').toBe('username');
  });

  test('is not restored twice at once, and a restore that was killed does not stop the next one', async () => {
    const { url, scene } = await usedDatabase(engine);
    const folder = temporaryFolder();
    await scene[Symbol.asyncDispose]();
    const file = await backedUp(url, folder);
    const restore = () => restoreDatabase({ file, to: url, sessionSecret: testMasterKey });
    const begun = async (pid: number) => {
      const target = await (await openReplacement(url, { host: thisHost, pid })).fill();
      await target.saveState({ kind: 'restore', source: 'x', writer: { host: thisHost, pid }, written_at: Date.now(), done: [] });
      await target.close();
    };
    await begun(process.ppid);
    await expect(restore()).rejects.toThrow(/Another restore/);
    await begun(2 ** 30);
    expect(await restore()).toMatchObject({ audit: { findings: [] } });

    // One that another one disturbs, here in the same process, never puts half a database in place.
    let other: Promise<unknown> | undefined;
    const disturbed = restoreDatabase({
      file,
      to: url,
      sessionSecret: testMasterKey,
      onProgress: ({ step }) => {
        if (step === 'Building indexes') other ??= restore().catch(String);
      },
    });
    await disturbed.catch(String);
    await other;
    const db = await openDatabase(url);
    onTestFinished(() => db.close());
    expect(await db.collection('users').count({})).toBe(1);
  });
});

describe('a replacement that fails', () => {
  test('on MongoDB loses no collection: the next restore completes it', async () => {
    const engine = engines.find(({ kind }) => kind === 'mongodb');
    if (engine === undefined) return;
    const { url, scene } = await usedDatabase(engine);
    const folder = temporaryFolder();
    await scene[Symbol.asyncDispose]();
    const file = await backedUp(url, folder);
    const to = mongoUrl(testMongoUrl ?? '', `tidegate_test_${randomUUID().replaceAll('-', '')}`);
    onTestFinished(() => dropMongoDatabase(to));
    const client = new MongoClient(to);
    onTestFinished(() => client.close());
    const db = client.db();
    const names = async () => (await db.listCollections({}, { nameOnly: true }).toArray()).map((one) => one.name);
    const failed = restoreDatabase({ file, to, sessionSecret: testMasterKey }).catch(String);
    // The counters come last; they cannot be renamed to what exists.
    await until(async () => (await names()).some((one) => one !== 'copy_state' && !one.startsWith('restoring_')));
    await db.createCollection('counters');
    expect(await failed).toMatch(/run the restore again/);
    expect(await names()).toContain('restoring_counters');
    expect(await restoreDatabase({ file, to, sessionSecret: testMasterKey })).toMatchObject({ audit: { users: 1, findings: [] } });
    expect(await names()).not.toContain('restoring_counters');
  });

  test('of a file puts the key file back', async () => {
    const [embedded] = engines;
    if (embedded === undefined) return;
    const { url, scene } = await usedDatabase(embedded);
    const folder = temporaryFolder();
    await scene[Symbol.asyncDispose]();
    const file = await backedUp(url, folder);
    const target = path.join(folder, 'new.db');
    const keyFile = path.join(folder, 'new.key');
    // A folder cannot be replaced by the file.
    const inTheWay: OnProgress = ({ step }) => {
      if (step === 'Building indexes' && !existsSync(target)) mkdirSync(path.join(target, 'folder'), { recursive: true });
    };
    const restore = (onProgress: OnProgress) => restoreDatabase({ file, to: `file:${target}`, passphrase, onProgress });
    await expect(restore(inTheWay)).rejects.toThrow();
    expect(existsSync(keyFile)).toBe(false);
    writeFileSync(keyFile, 'the key of the former database');
    await expect(restore(inTheWay)).rejects.toThrow();
    expect(readFileSync(keyFile, 'utf8')).toBe('the key of the former database');
    expect(readdirSync(folder).toSorted()).toEqual(['new.db', 'new.key', name]);
  });
});

describe('a damaged or foreign backup', () => {
  const [embedded] = engines;
  test('is refused before anything is written', async () => {
    if (embedded === undefined) return;
    const { url, scene } = await usedDatabase(embedded);
    const folder = temporaryFolder();
    await (await scene.chat()).text();
    await scene.logs(1);
    await scene[Symbol.asyncDispose]();
    const file = await backedUp(url, folder);
    await expect(backedUp(url, folder)).rejects.toThrow(/EEXIST/);
    const whole = readFileSync(file);
    const headEnd = whole.indexOf(10) + 1;
    const header = JSON.parse(whole.toString('utf8', 0, headEnd));
    const withHeader = (fields: object) =>
      Buffer.concat([Buffer.from(`${JSON.stringify({ ...header, ...fields })}\n`), whole.subarray(headEnd)]);
    const flipped = Buffer.from(whole);
    flipped[whole.length - 60] = (flipped[whole.length - 60] ?? 0) ^ 1;
    const damages: [Buffer, RegExp][] = [
      [whole.subarray(0, whole.length - 1), /truncated or damaged/],
      [whole.subarray(0, headEnd), /truncated/],
      [whole.subarray(0, 50), /not a backup/],
      [flipped, /damaged/],
      [withHeader({ made_at: '2020-01-01T00:00:00.000Z' }), /checksum does not fit/],
      [withHeader({ tidegate_backup: 2 }), /newer version/],
      [withHeader({ schema: 99 }), /newer version/],
      [withHeader({ key: { ...header.key, n: 2 ** 30 } }), /not a backup/],
      [Buffer.from('SQLite format 3\0'), /not a backup/],
      [Buffer.alloc(0), /not a backup/],
    ];
    const to = `file:${path.join(folder, 'new.db')}`;
    const damaged = path.join(folder, 'damaged');
    for (const [content, message] of damages) {
      writeFileSync(damaged, content);
      await expect(restoreDatabase({ file: damaged, to, sessionSecret: testMasterKey }), String(message)).rejects.toThrow(message);
    }
    await expect(restoreDatabase({ file, to, sessionSecret: 'another master key of a server' })).rejects.toThrow(/passphrase/);
    expect(readdirSync(folder).toSorted()).toEqual(['damaged', name]);
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(whole.includes(testMasterKey)).toBe(false);
  });

  test('of a newer program reports the records that this one does not know', async () => {
    if (embedded === undefined) return;
    const { url, scene } = await usedDatabase(embedded);
    const folder = temporaryFolder();
    await scene[Symbol.asyncDispose]();
    const file = await backedUp(url, folder);
    const whole = readFileSync(file);
    const headEnd = whole.indexOf(10) + 1;
    const [lines = '', end = ''] = zstdDecompressSync(whole.subarray(headEnd)).toString().split('#end ');
    const more = lines.replace('#counters ', '#collection inventions\n{"id":1}\n{"id":2}\n#counters ');
    const sha256 = createHash('sha256').update(whole.subarray(0, headEnd)).update(more).digest('hex');
    const ending = `#end ${JSON.stringify({ rows: JSON.parse(end).rows + 2, sha256 })}\n`;
    writeFileSync(file, Buffer.concat([whole.subarray(0, headEnd), zstdCompressSync(more + ending)]));
    const restore = { file, to: `file:${path.join(folder, 'new.db')}`, sessionSecret: testMasterKey };
    for (const isCheck of [true, false])
      expect(await restoreDatabase({ ...restore, isCheck })).toMatchObject({ skipped: [{ name: 'inventions', rows: 2 }] });
  });

  test('leaves no file if its folder is full or cannot be written', async () => {
    if (embedded === undefined) return;
    const { url, scene } = await usedDatabase(embedded);
    await scene[Symbol.asyncDispose]();
    // /dev/full reports ENOSPC at each write.
    const folder = temporaryFolder();
    const inTheWay = path.join(folder, 'file');
    writeFileSync(inTheWay, '');
    await expect(backedUp(url, inTheWay)).rejects.toThrow(/EEXIST|ENOTDIR/);
    truncateSync(inTheWay, 0);
    expect(existsSync(path.join(folder, name))).toBe(false);
  });
});
