// A database moved between engines, with what interrupts or forbids it.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '#server/db/open.ts';
import { openTarget } from '#server/db/rows/open-rows.ts';
import { moveDatabase } from '#server/transfer/move-database.ts';
import { type Engine, engines } from '#tests/support/engines.ts';
import { dropMongoDatabase, mongoUrl, testMongoUrl } from '#tests/support/mongo-databases.ts';
import { createScene } from '#tests/support/relay-scene.ts';

/** An address without a database, on the other engine if there is one. */
function emptyUrl(from: Engine): string {
  if (from.kind === 'embedded' && testMongoUrl !== undefined) {
    const url = mongoUrl(testMongoUrl, `tidegate_test_${randomUUID().replaceAll('-', '')}`);
    onTestFinished(() => dropMongoDatabase(url));
    return url;
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'tidegate-move-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return `file:${path.join(folder, 'moved.db')}`;
}

const many = 1_100;

/** A database that a server has used and left: accounts, calls, and rows of several pages. */
async function usedDatabase(engine: Engine) {
  const database = await engine.create();
  onTestFinished(() => database.remove());
  const scene = await createScene(engine, { database, tokenQuota: 1_000_000 });
  for (let call = 0; call < 3; call += 1) await (await scene.chat()).text();
  await scene.logs(3);
  const limits = Array.from({ length: many }, (_, index) => ({
    id: `é${index}-${'𝄞'.repeat(index % 3)}`,
    count: index,
    reset_at: 9e12 + 0.5,
  }));
  await database.db.write(limits.map((insert) => ({ insert, into: 'limits' })));
  return { database, scene };
}

describe.each(engines)('a database moved from $kind', (engine) => {
  test('is refused while its server runs, then resumed where it stopped, with equal rows, ids, indexes and books', async () => {
    const { database, scene } = await usedDatabase(engine);
    const to = emptyUrl(engine);
    const move = { from: database.url, to };
    await expect(moveDatabase(move)).rejects.toThrow(/A server uses the source/);
    const nextId = await scene.app.context.db.nextId('users');
    await scene[Symbol.asyncDispose]();

    const stop = new AbortController();
    const onProgress = ({ item }: { item?: string }) => item === 'limits' && stop.abort(new Error('stopped'));
    await expect(moveDatabase({ ...move, onProgress, signal: stop.signal })).rejects.toThrow('stopped');
    await expect(openDatabase(to)).rejects.toThrow(/target of a move that has not ended/);

    const copied: number[] = [];
    const { comparison, audit } = await moveDatabase({
      ...move,
      onProgress: ({ step, item, done }) => step === 'Copying rows' && item === 'limits' && copied.push(done),
    });
    expect(comparison.differences).toEqual([]);
    expect(comparison.digests.find(({ name }) => name === 'limits')?.digest.rows).toBe(many);
    expect(comparison.digests.find(({ name }) => name === 'logs')?.digest.sums).toEqual({
      quota: expect.any(String),
      token_quota: expect.any(String),
    });
    // The page that was stored before is not copied again.
    expect(copied.length).toBeLessThan(Math.ceil(many / 500));
    expect(audit).toMatchObject({ users: expect.any(Number), tokens: 1, findings: [] });

    const moved = await openDatabase(to, { hasSchema: true });
    onTestFinished(() => moved.close());
    expect(await moved.nextId('users')).toBe(nextId + 1);
    expect(await moved.collection('users').find({})).toEqual(await database.db.collection('users').find({}));
    await expect(moved.collection('users').insert({ ...scene.user, id: nextId + 2 })).rejects.toThrow(/unique key/);
    await expect(moveDatabase(move)).rejects.toThrow(/The target has data/);
  });

  test('stays closed if one row differs, and is copied again by a restart', async () => {
    const { database, scene } = await usedDatabase(engine);
    const [channel = 0] = scene.channelIds;
    await scene[Symbol.asyncDispose]();
    const to = emptyUrl(engine);
    const move = { from: database.url, to };
    const stop = new AbortController();
    const onProgress = ({ item }: { item?: string }) => item === 'limits' && stop.abort(new Error('stopped'));
    await expect(moveDatabase({ ...move, onProgress, signal: stop.signal })).rejects.toThrow('stopped');
    const target = await openTarget(to);
    const state = await target.state();
    if (state === null) throw new Error('There is no state');
    await target.removeAfter('channels', undefined);
    await target.write('channels', [{ id: channel, doc: JSON.stringify({ id: channel, name: 'forged' }) }], state);
    await target.close();

    const { comparison, audit } = await moveDatabase(move);
    expect(comparison.differences).toContain(`channels ${channel} differs`);
    expect(audit).toBeUndefined();
    await expect(openDatabase(to)).rejects.toThrow(/has not ended/);
    // The source was used since: what was copied is of another moment.
    await database.db.nextId('channels');
    await expect(moveDatabase(move)).rejects.toThrow(/--restart/);
    expect((await moveDatabase({ ...move, isRestarted: true })).comparison.differences).toEqual([]);
  });
});
