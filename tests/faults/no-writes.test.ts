// A database that can be read and takes no writes: a full disk, a file system that has become read-only.
import { expect, test } from 'vitest';
import { createApp } from '#server/app.ts';
import { open } from '#tests/faults/bookkeeping.ts';
import { engines } from '#tests/support/engines.ts';
import { makeFreezable } from '#tests/support/freezable-database.ts';
import { until } from '#tests/support/until.ts';

test.each(engines)('health is red on $kind while nothing can be written, and green again afterwards', async (engine) => {
  const database = await engine.create();
  const db = makeFreezable(await database.open());
  const context = await open(db);
  try {
    const app = createApp(context);
    const health = async () => {
      const response = await app.fetch(new Request('http://localhost/healthz'), null);
      return [response.status, await response.json()];
    };
    expect(await health()).toEqual([200, { status: 'ok' }]);
    db.failAt(1, 'before', Infinity);
    await until(() => !context.ledger.canWrite);
    expect(await health()).toEqual([503, { status: 'the database takes no writes' }]);
    db.failAt(Infinity, 'before');
    await until(() => context.ledger.canWrite);
    expect(await health()).toEqual([200, { status: 'ok' }]);
  } finally {
    await context.close();
    await database.remove();
  }
});
