// Places of parallel calls: those of a dead process are free again, and one that was taken for dead holds the places of its calls.
import { afterEach, expect, test } from 'vitest';
import type { ProcessRecord } from '#server/db/records/process.ts';
import { embeddedEngine, type TestDatabase } from '#tests/support/engines.ts';
import { instead } from '#tests/support/watched-database.ts';
import { PlaceCounter } from './place-counter.ts';

let database: TestDatabase | undefined;
afterEach(async () => {
  await database?.remove();
  database = undefined;
});

async function open() {
  database = await embeddedEngine.create();
  const { db } = database;
  const addProcess = (id: string) => {
    const record: ProcessRecord = { id, host: 'h', pid: 1, started_at: 0, heartbeat_at: 1, state: 'alive', settled_seq: 0 };
    return db.collection('processes').insert(record);
  };
  const die = (id: string) => db.collection('processes').patch({ id }, { set: { state: 'recovering' } });
  const counterOf = (processId: () => string, on = db) =>
    new PlaceCounter({ db: on, log: { warn() {} }, now: Date.now, processId, onHeld() {} }, 'rate:parallel');
  const row = async () => (await db.collection('limits').find({}))[0];
  return { db, addProcess, die, counterOf, row };
}

test('place-counter: places of a process that has died are free again', async () => {
  const { addProcess, die, counterOf, row } = await open();
  for (const id of ['p1', 'p2']) await addProcess(id);
  const [one, other] = [counterOf(() => 'p1'), counterOf(() => 'p2')];
  for (let call = 0; call < 3; call += 1) expect(await one.enter(3)).toBe(true);
  expect(await other.enter(3)).toBe(false);
  await die('p1');
  await new Promise((resolve) => setTimeout(resolve, 260));
  expect(await other.enter(3)).toBe(true);
  expect(await row()).toMatchObject({ count: 1, places: { p2: 1 } });
});

test('place-counter: a process that was taken for dead holds places for its calls under its new id', async () => {
  const { addProcess, die, counterOf, row } = await open();
  for (const id of ['p1', 'p2']) await addProcess(id);
  let id = 'p1';
  const one = counterOf(() => id);
  for (let call = 0; call < 3; call += 1) expect(await one.enter(4)).toBe(true);
  one.leave();
  await die('p1');
  id = 'p2';
  await one.tend(false);
  expect(await row()).toMatchObject({ count: 2, places: { p2: 2 } });
  one.leave();
  one.leave();
  await one.tend(true);
  expect(await row()).toMatchObject({ count: 0, places: {} });
  // Neither process is in it any more.
  expect(Object.keys((await row())?.places ?? {})).toEqual([]);
});

test('place-counter: a place that is free here is taken while the counter waits for other processes', async () => {
  const { addProcess, counterOf } = await open();
  for (const id of ['p1', 'p2']) await addProcess(id);
  const [one, other] = [counterOf(() => 'p1'), counterOf(() => 'p2')];
  expect([await one.enter(2), await other.enter(2)]).toEqual([true, true]);
  const entering = other.enter(2);
  const before = performance.now();
  setImmediate(() => other.leave());
  expect(await entering).toBe(true);
  // Not only when the wait is over.
  expect(performance.now() - before).toBeLessThan(600);
});

test('place-counter: a record that does not have what is returned is made to agree', async () => {
  const { db, addProcess, counterOf, row } = await open();
  await addProcess('p1');
  const one = counterOf(() => 'p1');
  expect(await one.enter(5)).toBe(true);
  await db.collection('limits').patch({ id: 'rate:parallel' }, { increment: { count: 2, 'places.p1': 2 } });
  one.leave();
  await one.tend(true);
  await one.tend(false);
  expect(await row()).toMatchObject({ count: 0, places: { p1: 0 } });
});

test('place-counter: after a write of unknown outcome the record agrees with the calls that run', async () => {
  const { db, addProcess, counterOf, row } = await open();
  await addProcess('p1');
  let isLost = false;
  const limits = db.collection('limits');
  const lossy = instead(db, {
    collection: (name: string) =>
      name !== 'limits'
        ? db.collection(name as 'processes')
        : instead(limits, {
            async patch(...parts: Parameters<typeof limits.patch>) {
              const result = await limits.patch(...parts);
              if (isLost) throw new Error('the answer is lost');
              return result;
            },
          }),
  });
  const one = counterOf(() => 'p1', lossy);
  expect(await one.enter(5)).toBe(true);
  isLost = true;
  await expect(one.enter(5)).rejects.toThrow('lost');
  isLost = false;
  await one.tend(false);
  expect(await row()).toMatchObject({ count: 1, places: { p1: 1 } });
});
