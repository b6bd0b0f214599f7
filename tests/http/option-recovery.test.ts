// A save is committed before it is copied and announced. Another process completes a save whose process died in between, and announces it to all
// running processes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createChangeFeed } from '#server/db/change-feed.ts';
import { DatabaseUnavailable } from '#server/db/collection.ts';
import type { Database } from '#server/db/database.ts';
import { copyOptionWrites, finishOptionWrites } from '#server/settings/option-writes.ts';
import { engines } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

const Journal = z.object({ seq: z.int(), state: z.string() });

describe.each(engines)('options that a dead process had committed, on $kind', (engine) => {
  let app: TestApp;
  let other: TestApp;
  let root: TestClient;
  let count = 0;

  beforeAll(async () => {
    app = await createTestApp(engine);
    root = await app.setup();
    other = await createTestApp(engine, { database: app.database });
    await root.put('/api/option/', { key: 'Notice', value: 'at first' });
  });
  afterAll(async () => {
    await other.close();
    await app.close();
  });

  const journal = async () => Journal.parse((await app.context.db.collection('facts').get('option_writes'))?.value);

  /** What a process leaves that dies right after the commit. */
  async function commit(): Promise<string> {
    const { db } = app.context;
    count += 1;
    const value = `committed ${count}`;
    const revision = ((await db.collection('options').get('Notice'))?.revision ?? 0) + 1;
    const row = { id: 'Notice', value, revision, updated_at: 1, updated_by: 1 };
    const next = { seq: (await journal()).seq + 1, pending: [row], changes: [], state: 'pending' };
    await db.collection('facts').patch({ id: 'option_writes' }, { set: { value: next } });
    return value;
  }

  const seenBy = ({ context }: TestApp) => expect.poll(() => context.settings.get('Notice'), { timeout: 60_000, interval: 20 });

  it.each([
    ['a starting server', async () => (await createTestApp(engine, { database: app.database })).close()],
    ['a server that reads its settings again', () => app.context.settings.reload()],
    ['the list', () => root.get('/api/option/')],
    ['the history', () => root.get('/api/option/history')],
    ['who takes a change back', () => root.post('/api/option/history/999999999/undo')],
    ['who saves another option', () => root.put('/api/option/', { key: 'About', value: `about ${count}` })],
  ])('reach every process, found by %s', async (_name, find) => {
    const value = await commit();
    await find();
    await seenBy(app).toBe(value);
    await seenBy(other).toBe(value);
    expect((await journal()).state).toBe('idle');
  });

  it.each([
    ['copies', copyOptionWrites],
    ['finishes', finishOptionWrites],
  ])('stay to be done by the next reader when who %s them ends before anybody is told', async (_name, finish) => {
    const value = await commit();
    const { db } = app.context;
    await expect(finish({ db, changes: createChangeFeed({ db: withoutChanges(db) }) })).rejects.toThrow(DatabaseUnavailable);
    expect((await db.collection('options').get('Notice'))?.value).toBe(value);
    expect((await journal()).state).toBe('pending');
    await root.get('/api/option/');
    await seenBy(other).toBe(value);
    expect((await journal()).state).toBe('idle');
  });

  it('are announced once, by the first who finds them', async () => {
    await commit();
    const rows = async () => (await app.context.db.collection('changes').find({ kind: 'option' })).length;
    const before = await rows();
    await root.get('/api/option/');
    await root.get('/api/option/');
    await seenBy(other).toBe(`committed ${count}`);
    expect(await rows()).toBe(before + 1);
  });
});

/** The database as a process sees it that cannot store announcements any more. */
function withoutChanges(db: Database): Database {
  const nextId: Database['nextId'] = (name) =>
    name === 'changes' ? Promise.reject(new DatabaseUnavailable('as the test wants')) : db.nextId(name);
  return new Proxy(db, { get: (target, key) => (key === 'nextId' ? nextId : Reflect.get(target, key)) });
}
