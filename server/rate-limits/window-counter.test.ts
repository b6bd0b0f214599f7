// Counters of two processes on one store: what one leases and does not use, the other gets.
import { afterEach, expect, test } from 'vitest';
import { embeddedEngine, type TestDatabase } from '#tests/support/engines.ts';
import { instead } from '#tests/support/watched-database.ts';
import { WindowCounter } from './window-counter.ts';

const minute = 60_000;
let database: TestDatabase | undefined;
afterEach(async () => {
  await database?.remove();
  database = undefined;
});

async function open() {
  database = await embeddedEngine.create();
  const { db } = database;
  let time = 1_000_000 * minute;
  const counterOf = (id: string, on = db) =>
    new WindowCounter({ db: on, log: { warn() {} }, now: () => time, processId: () => id, onHeld() {} }, 'rate:test', minute);
  return { db, counterOf, advance: (ms: number) => (time += ms) };
}

/** Takes one after the other until one is refused. */
async function takeAll(counter: WindowCounter, limit: number): Promise<number> {
  for (let taken = 0; ; taken += 1) if ((await counter.take(1, limit)) === null) return taken;
}

test('window-counter: a busy process leases in advance, and what it does not use is there for another', async () => {
  const { db, counterOf } = await open();
  const [one, other] = [counterOf('p1'), counterOf('p2')];
  for (let taken = 0; taken < 300; taken += 1) expect(await one.take(1, 1_000)).not.toBeNull();
  const [row] = await db.collection('limits').find({});
  const leased = row?.count ?? 0;
  expect(leased).toBeGreaterThan(300);
  // At most a sixteenth of what was left is spare.
  expect(leased - 300).toBeLessThanOrEqual(1_000 / 16);
  // The other one waits for what is returned.
  const taking = takeAll(other, 1_000);
  await new Promise((resolve) => setTimeout(resolve, 520));
  await one.tend(false);
  expect(300 + (await taking)).toBe(1_000);
  expect((await db.collection('limits').find({}))[0]?.count).toBe(1_000);
});

test('window-counter: the spare of a process that has died is waited for once, and nothing more passes', async () => {
  const { db, counterOf } = await open();
  const [dead, alive] = [counterOf('p1'), counterOf('p2')];
  for (let taken = 0; taken < 50; taken += 1) await dead.take(1, 400);
  const lost = dead.window.free;
  expect(50 + lost + (await takeAll(alive, 400))).toBe(400);
  const before = performance.now();
  await new Promise((resolve) => setTimeout(resolve, 260));
  expect(await alive.take(1, 400)).toBeNull();
  expect(performance.now() - before).toBeLessThan(700);
  expect(Object.values((await db.collection('limits').find({}))[0]?.spare ?? {}).every((spare) => spare === 0)).toBe(true);
});

test('window-counter: usage beyond the estimate counts, also in the next window; what was not used comes back in its own only', async () => {
  const { counterOf, advance } = await open();
  const counter = counterOf('p1');
  const window = await counter.take(100, 1_000);
  if (window === null) throw new Error('It was refused');
  counter.giveBack(window, 60);
  expect(counter.left(1_000)).toBe(960);
  counter.owe(500);
  expect(counter.left(1_000)).toBe(460);
  await counter.tend(true);
  expect(counter.left(1_000)).toBe(460);
  expect(await counter.take(461, 1_000)).toBeNull();
  advance(minute);
  counter.giveBack(window, 40);
  counter.owe(300);
  expect(counter.left(1_000)).toBe(700);
  await counter.tend(true);
  expect(await counter.take(701, 1_000)).toBeNull();
  expect(await counter.take(700, 1_000)).not.toBeNull();
});

test('window-counter: usage that could not be written counts later', async () => {
  const { db, counterOf } = await open();
  let isOut = true;
  const failing = instead(db, {
    collection: (name: string) => {
      if (isOut) throw new Error('The database is out');
      return db.collection(name as 'limits');
    },
  });
  const counter = counterOf('p1', failing);
  counter.owe(500);
  expect(await counter.tend(false)).toBe(true);
  expect(counter.left(1_000)).toBe(500);
  isOut = false;
  expect(await counter.tend(false)).toBe(false);
  expect(await counterOf('p2').take(501, 1_000)).toBeNull();
});
