// What was not settled was not answered: while a charge cannot be stored its caller waits, for the response or for the end of the stream.
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { embeddedEngine } from '#tests/support/engines.ts';
import { createScene } from '#tests/support/relay-scene.ts';
import { until } from '#tests/support/until.ts';

const routes = [{ stream: false }, { stream: true }];

test.concurrent.each(routes)('a call is answered when its charge is durable, and not before: %j', async (fields) => {
  await using scene = await createScene(embeddedEngine);
  const { context, database } = scene.app;
  scene.upstream.behave({ firstByteDelay: 500 });
  let answer: string | undefined;
  const answering = (async () => (answer = await (await scene.chat(fields)).text()))();
  // The upstream is at it: what is left needs the database only for the charge.
  await until(() => scene.upstream.requests.length === 1);
  const lock = new DatabaseSync(database.url.replace('file:', ''));
  try {
    lock.exec('BEGIN IMMEDIATE');
    await until(() => context.ledger.isStuck);
    expect(answer).toBeUndefined();
  } finally {
    lock.close();
  }
  expect(await answering).toContain(fields.stream ? '[DONE]' : 'choices');
  // At once: it was stored before.
  expect(await context.db.collection('logs').count({ type: 2 })).toBe(1);
  await scene.checkBooks();
});
