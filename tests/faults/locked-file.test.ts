// Another process holds the write lock of the embedded engine's file for longer than anybody waits, e.g. a backup.
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { audit } from '#server/money/audit.ts';
import { DatabaseUnavailable } from '#server/db/collection.ts';
import { embeddedEngine } from '#tests/support/engines.ts';
import { createTestApp } from '#tests/support/test-app.ts';

/** The waits of so many, one after the other, would take far longer than this test may. */
const atOnce = 8;

test('a file that stays locked: nobody waits for the waits of others, all are told, and it works again when the lock goes', async () => {
  await using app = await createTestApp(embeddedEngine);
  const account = await app.createUser({ quota: 1_000 });
  const user = await app.as(account);
  const { db } = app.context;
  const lock = new DatabaseSync(app.database.url.replace('file:', ''));
  lock.exec('BEGIN IMMEDIATE');
  const create = (name: string) => user.post('/api/token/', { name, unlimited_quota: true, expired_time: -1 });
  const edits = Array.from({ length: atOnce }, (_, index) => create(`key ${index}`));
  const writes = Array.from({ length: atOnce }, () => db.collection('users').patch({ id: account.id }, { set: { group: 'vip' } }));
  const outcomes = await Promise.allSettled(writes);
  for (const outcome of outcomes)
    expect(outcome).toMatchObject({ status: 'rejected', reason: expect.objectContaining({ constructor: DatabaseUnavailable }) });
  for (const answer of await Promise.all(edits)) {
    expect(answer).toMatchObject({ status: 503, success: false, code: 'database_unavailable' });
    expect(answer.headers['retry-after']).toBeDefined();
  }
  lock.exec('COMMIT');
  lock.close();
  expect(await create('after')).toMatchObject({ status: 200, success: true });
  // What was refused was not done.
  expect(await db.collection('tokens').count({ user_id: account.id })).toBe(1);
  expect(await db.collection('users').get(account.id)).toMatchObject({ group: 'default' });
  expect((await audit(db)).findings).toEqual([]);
});
