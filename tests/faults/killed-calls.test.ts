// A server process is killed in the midst of every kind of call at once: before its provider answers, while it does, and while the caller sends. Only what was
// answered is charged, everything else comes back, and nothing stays of what was on its way.
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LogType } from '#shared/logs.ts';
import { sweepFiles } from '#server/slices/files/sweep-files.ts';
import { leasedOf } from '#server/money/account.ts';
import { askKind, everyKind, type KindOfCall, modelsOf, type RequestedKind } from '#tests/faults/every-kind.ts';
import { addPart, complete, FileStage, halves, type HeldFiles, leave, post, type Reported } from '#tests/faults/held-files.ts';
import { buildChannel } from '#tests/support/build-channel.ts';
import { createToken } from '#tests/support/build-token.ts';
import { buildUser } from '#tests/support/build.ts';
import { engines } from '#tests/support/engines.ts';
import { testMongoUrl } from '#tests/support/mongo-databases.ts';
import { type FakeUpstream, startFakeUpstream } from '#tests/support/fake-upstream.ts';
import { createScratch, type ScratchDatabase } from '#tests/support/scratch-database.ts';
import { runAudit, type ServerProcess, startServer } from '#tests/support/server-process.ts';
import { until } from '#tests/support/until.ts';

const quota = 500_000_000;
/** Endings of models whose calls are held there. */
const moments = ['-unanswered', '-half'] as const;
const forms = ['/v1/images/edits', '/v1/audio/transcriptions', '/v1/files'];

/** The beginning of a form that is longer than memory may hold, whose end never comes. Resolves when its connection has ended. */
function sendHalf({ origin }: ServerProcess, key: string, to: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'multipart/form-data; boundary=tide', 'content-length': 5_000_000 };
  const sending = request(`${origin}${to}`, { method: 'POST', headers });
  sending.write('--tide\r\ncontent-disposition: form-data; name="file"; filename="half"\r\n\r\n');
  sending.write(Buffer.alloc(1_000_000));
  return new Promise((resolve) => sending.on('error', () => {}).on('close', resolve));
}

/** Bodies that lie on its disk: files that have lost their names. */
function spooledBy(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  const names = readdirSync(folder).map((name) => {
    try {
      return readlinkSync(`${folder}/${name}`);
    } catch {
      return '';
    }
  });
  return names.filter((name) => name.endsWith('.body (deleted)')).length;
}

describe.each(engines)('every kind of call whose process is killed on $kind', ({ kind: engine }) => {
  const spool = mkdtempSync(path.join(tmpdir(), 'tidegate-spool-'));
  let scratch: ScratchDatabase;
  let upstream: FakeUpstream;
  let seeded: { key: string; userId: number };
  /** As each kind was answered before the kill, and after it. */
  const [before, after]: [Map<KindOfCall, RequestedKind>, Map<KindOfCall, RequestedKind>] = [new Map(), new Map()];
  /** What became of those that were held. */
  let cut: { name: string; isWhole: boolean }[];
  let stage: FileStage;
  let files: HeldFiles;
  /** Reports on files after the kill. */
  const reported: Record<string, Reported> = {};

  const start = () => startServer({ DATABASE_URL: scratch.url, SPOOL_DIR: spool });
  async function askAll({ origin }: ServerProcess, into: Map<KindOfCall, RequestedKind>): Promise<void> {
    const requesting = everyKind.map(async (kind) => into.set(kind, await askKind(origin, seeded.key, { kind, model: kind.family })));
    await Promise.all(requesting);
  }
  async function goOnWithFiles({ origin }: ServerProcess): Promise<void> {
    const caller = { origin, key: seeded.key };
    reported['a file in the place of the one that was being sent'] = await leave(caller, 'new');
    reported['a sixth file'] = await leave(caller, 'too many');
    const part = (reported['the part again'] = await addPart(caller, files.open.id, halves[1]));
    reported['its completion'] = await complete(caller, { id: files.open.id, parts: [...files.open.parts, part.id] });
    reported['the file that was deleted'] = await post(caller, `/files/${files.left}`, undefined, 'GET');
    reported['the file that was kept'] = await post(caller, `/files/${files.stored}/content`, undefined, 'GET');
  }

  beforeAll(async () => {
    upstream = await startFakeUpstream();
    for (const model of modelsOf('-unanswered')) upstream.behave({ firstByteDelay: Infinity }, { model });
    for (const model of modelsOf('-half')) upstream.behave({ holdAfter: 1 }, { model });
    stage = await FileStage.open(upstream.url);
    scratch = await createScratch(engine === 'mongodb' ? testMongoUrl : undefined);
    seeded = await scratch.withContext(async (context) => {
      const user = await buildUser(context);
      await context.db.collection('users').insert(user);
      await context.ledger.change({ account: 'user', id: user.id, ref: 'seed', kind: 'redemption', actorId: 0, amount: quota });
      const models = ['', ...moments].flatMap(modelsOf);
      await context.db.collection('channels').insert(buildChannel({ models: models.join(','), base_url: upstream.url }, context.secrets));
      const keeping = { ...stage.provider.channel, id: 2, models: 'none', base_url: stage.front.url, priority: 1 };
      await context.db.collection('channels').insert(buildChannel(keeping, context.secrets));
      const value = JSON.stringify(Object.fromEntries(models.map((model) => [model, 1])));
      await context.db.collection('options').insert({ id: 'ModelRatio', value, revision: 1, updated_at: 0, updated_by: 0 });
      await context.db.collection('options').insert({ id: 'FilesPerUser', value: '5', revision: 1, updated_at: 0, updated_by: 0 });
      return { key: (await createToken(context, user.id, { quota: quota / 2 })).key, userId: user.id };
    });
    const server = await start();
    try {
      await askAll(server, before);
      const held = moments.flatMap((moment) =>
        everyKind.map((kind) => ({ kind, model: `${kind.family}${moment}`, name: `${kind.name}${moment}` })),
      );
      const requested = held.map(async ({ kind, model, name }) => {
        const answered = await askKind(server.origin, seeded.key, { kind, model }).catch(() => null);
        return { name, isWhole: answered?.isWhole ?? false };
      });
      files = await stage.hold({ origin: server.origin, key: seeded.key });
      const sent = forms.map((form) => sendHalf(server, seeded.key, form));
      await until(() => upstream.requests.length === everyKind.length + held.length && spooledBy(server.pid) >= forms.length);
      await server.kill('SIGKILL');
      cut = await Promise.all(requested);
      await Promise.all(sent);
    } finally {
      await server.kill('SIGKILL');
    }
    const again = await start();
    try {
      await askAll(again, after);
      await goOnWithFiles(again);
    } finally {
      expect(await again.kill('SIGTERM'), again.output()).toBe(0);
    }
  });

  afterAll(async () => {
    await stage[Symbol.asyncDispose]();
    await upstream.close();
    await scratch.remove();
    rmSync(spool, { recursive: true, force: true });
  });

  test('was answered before and is afterwards, and never while it was held', () => {
    for (const answers of [before, after])
      expect([...answers].filter(([, { isWhole }]) => !isWhole).map(([{ name }, { status, text }]) => ({ name, status, text }))).toEqual(
        [],
      );
    expect(cut.filter(({ isWhole }) => isWhole)).toEqual([]);
    expect(cut).toHaveLength(everyKind.length * moments.length);
  });

  test('is charged once where it was answered, and comes back where it was not', async () => {
    const { rows, user, token } = await scratch.withContext(async ({ db }) => ({
      rows: await db.collection('logs').find({ type: LogType.consumption }),
      user: await db.collection('users').get(seeded.userId),
      token: await db.collection('tokens').first({}),
    }));
    const requests = [...before.values(), ...after.values()].map(({ requestId }) => requestId);
    expect(rows.map(({ request_id: id }) => String(id)).toSorted()).toEqual(requests.toSorted());
    const paid = new Map(rows.map((row) => [row.request_id, row.quota]));
    for (const kind of everyKind) {
      const [first, second] = [before, after].map((answers) => paid.get(answers.get(kind)?.requestId ?? ''));
      expect(first, kind.name).toBeGreaterThan(0);
      expect(second, kind.name).toBe(first);
    }
    const spent = rows.reduce((sum, row) => sum + row.quota, 0);
    if (user === null || token === null) throw new Error('There is no user');
    expect([leasedOf(user), leasedOf(token)]).toEqual([0, 0]);
    expect([user.quota, user.used_quota, token.remain_quota]).toEqual([quota - spent, spent, quota / 2 - spent]);
    const audited = await runAudit(scratch.url);
    expect(audited.code, audited.output).toBe(0);
  });

  test('counts no file that is not there, and what was under way goes on or goes', async () => {
    expect(await files.lostResponses).toEqual([true, true, true]);
    expect(Object.fromEntries(Object.entries(reported).map(([what, { status }]) => [what, status]))).toEqual({
      'a file in the place of the one that was being sent': 200,
      'a sixth file': 403,
      'the part again': 200,
      'its completion': 200,
      'the file that was deleted': 404,
      'the file that was kept': 200,
    });
    await scratch.withContext(async (context) => {
      const { db } = context;
      await sweepFiles({ ...context, now: () => Date.now() + 3 * 3_600_000 });
      const known = await db.collection('files').find({});
      const { provider } = stage;
      expect(known.map(({ state, filename }) => `${state} ${filename}`).toSorted()).toEqual([
        'stored kept',
        'stored new',
        'stored tide.txt',
      ]);
      for (const { upstream_id: id, bytes } of known) expect(provider.files.get(id)?.bytes.length).toBe(bytes);
      const open = known.find(({ filename }) => filename === 'tide.txt');
      expect(provider.files.get(open?.upstream_id ?? '')?.bytes.equals(Buffer.concat(halves))).toBe(true);
      // Unknown files expire there.
      const unknown = [...provider.files.values()].filter(({ id }) => !known.some((one) => one.upstream_id === id));
      expect(unknown.map(({ filename }) => filename).toSorted()).toEqual(['tide.txt', 'unheard']);
      for (const { seconds } of unknown) expect(Number(seconds)).toBeGreaterThan(0);
    });
  });

  test('leaves nothing on the disk', () => {
    expect(readdirSync(spool)).toEqual([]);
  });
});
