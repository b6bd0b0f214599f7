// What a caller or an upstream puts into a log row must not stop anybody's settlement.
import { describe, expect, test } from 'vitest';
import type { RunningContext } from '#server/create-context.ts';
import { DatabaseUnavailable } from '#server/db/collection.ts';
import type { Database, Write } from '#server/db/database.ts';
import { audit } from '#server/money/audit.ts';
import { balanceOf } from '#server/money/account.ts';
import type { Reservation } from '#server/money/leases/reservation.ts';
import { checkTasks } from '#server/work/tasks/check-tasks.ts';
import { buildLog } from '#tests/support/build-log.ts';
import { buildTask } from '#tests/support/build-task.ts';
import { buildUser } from '#tests/support/build.ts';
import { engines } from '#tests/support/engines.ts';
import { createScene } from '#tests/support/relay-scene.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import { refusingPatches } from '#tests/support/watched-database.ts';
import { until } from '#tests/support/until.ts';
import { onPlace, open } from './bookkeeping.ts';

const huge = 'e'.repeat(17_000_000);

describe.each(engines)('rows that cannot be stored as they are on $kind', (engine) => {
  test.each([
    ['17 MB', huge],
    ['half a character', 'low\ud800'],
    ['NUL', 'lo\0w'],
  ])('a reasoning effort of %s is charged and logged, and the next call is settled', async (_name, effort) => {
    await using scene = await createScene(engine);
    const before = await scene.balance();
    const first = await scene.chat({ reasoning_effort: effort });
    expect(first.status).toBe(200);
    expect((await scene.chat()).status).toBe(200);
    const rows = await scene.logs(2);
    for (const row of rows) expect(row.quota).toBeGreaterThan(0);
    expect(JSON.stringify(rows[0]?.other).length).toBeLessThan(100_000);
    expect(await scene.balance()).toBe(before - rows.reduce((sum, row) => sum + row.quota, 0));
    await scene.checkBooks();
  });

  test('an error code of 8 MB within a stream leaves a small row, and the next call is settled', async () => {
    await using scene = await createScene(engine);
    const code = huge.slice(0, 8_000_000);
    scene.upstream.queue({ text: 'one two three four', errorAfter: 2, error: { message: 'no', type: 'odd', code } });
    await (await scene.chat({ stream: true })).text();
    expect((await scene.chat()).status).toBe(200);
    const [row] = await scene.logs(2);
    expect(row?.other).toMatchObject({ ending: 'upstream_error' });
    expect(JSON.stringify(row).length).toBeLessThan(100_000);
    await scene.checkBooks();
  });
});

/** A database that refuses some writes, as a server does that finds something wrong with them. */
function refusing(db: Database, isRefused: (write: Write) => boolean, beforeRefusing = () => Promise.resolve()): Database {
  return new Proxy(db, {
    get(target, name) {
      if (name === 'write') {
        return async (batch: readonly Write[]) => {
          // MongoDB applies what stands before; the embedded engine nothing.
          const at = batch.findIndex(isRefused);
          if (at >= 0 && target.kind === 'mongodb') await target.write(batch.slice(0, at));
          if (at >= 0) await beforeRefusing();
          if (at >= 0) throw new Error('The record is refused');
          return target.write(batch);
        };
      }
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

describe.each(engines)('a task that cannot be checked on $kind', (engine) => {
  test('holds up no other', async () => {
    await using app = await createTestApp(engine);
    const { context } = app;
    const tasks = context.db.collection('tasks');
    for (const id of [1, 2, 3]) await tasks.insert(buildTask({ id, poll_at: context.now(), check_at: id }));
    await expect(checkTasks({ ...context, db: refusingPatches(context.db, 'tasks', 2) })).rejects.toThrow('The record is refused');
    const unchecked = await tasks.find({ check_at: { exists: true } });
    expect(unchecked.map(({ id }) => id)).toEqual([2]);
  });
});

describe.each(engines)('a settlement that is refused on $kind', (engine) => {
  async function withRefusing(isRefused: (write: Write) => boolean, use: (context: RunningContext, userId: number) => Promise<void>) {
    const database = await engine.create();
    try {
      const context = await open(refusing(await database.open(), isRefused));
      const user = await buildUser(context);
      await context.db.collection('users').insert(user);
      await context.ledger.change({ account: 'user', id: user.id, amount: 10_000, kind: 'test', ref: 'start', actorId: 0 });
      await use(context, user.id);
      await context.close();
    } finally {
      await database.remove();
    }
  }

  test('one row of a batch is refused: it is charged with a bare row, the others as they are', async () => {
    const isPoison = (write: Write) => 'insert' in write && 'other' in write.insert && JSON.stringify(write.insert).includes('poison');
    await withRefusing(
      (write) => isPoison(write),
      async (context, userId) => {
        const reserve = async () => {
          const result = await context.ledger.reserve({ userId, token: null, amount: 100 });
          if (!('reservation' in result)) throw new Error('refused');
          return result.reservation;
        };
        const reservations = [await reserve(), await reserve(), await reserve()];
        await Promise.all(
          reservations.map((reservation, index) => {
            const { id: _, ...row } = buildLog({ id: 0, user_id: userId, quota: 10 + index, prompt_tokens: 1 });
            return context.ledger.settle(reservation, { ...row, other: { note: index === 1 ? 'poison' : 'fine' } });
          }),
        );
        const rows = await context.db.collection('logs').find({ user_id: userId }, { sort: [['seq', 1]] });
        expect(rows.map((row) => [row.quota, row.other])).toEqual([
          [10, { note: 'fine' }],
          [11, null],
          [12, { note: 'fine' }],
        ]);
        const user = await context.db.collection('users').get(userId);
        expect(user === null ? 0 : balanceOf(user)).toBe(10_000 - 33);
        expect((await audit(context.db)).findings).toEqual([]);
        expect(context.ledger.isStuck).toBe(false);
      },
    );
  });

  test('an account that cannot be charged holds up its own calls alone, health says so, and it is charged when it can be', async () => {
    let refusedUser: number | undefined;
    await withRefusing(
      (write) => 'patch' in write && write.of === 'users' && write.where['id'] === refusedUser,
      async (context, userId) => {
        const other = await buildUser(context);
        await context.db.collection('users').insert(other);
        await context.ledger.change({ account: 'user', id: other.id, amount: 10_000, kind: 'test', ref: 'other', actorId: 0 });
        const start = async (id: number) => {
          const result = await context.ledger.reserve({ userId: id, token: null, amount: 100 });
          if (!('reservation' in result)) throw new Error('refused');
          return result.reservation;
        };
        const settle = (reservation: Reservation, id: number, quota: number) => {
          const { id: _, ...row } = buildLog({ id: 0, user_id: id, quota, prompt_tokens: 1 });
          return context.ledger.settle(reservation, row);
        };
        const [first, second, third] = [await start(userId), await start(userId), await start(other.id)];
        refusedUser = userId;
        const stuck = [settle(first, userId, 7)];
        await until(() => context.ledger.isStuck);
        // After it, and of another user.
        stuck.push(settle(second, userId, 8));
        await settle(third, other.id, 9);
        await expect(context.ledger.reserve({ userId, token: null, amount: 100 })).rejects.toThrow(DatabaseUnavailable);
        expect(context.ledger.isStuck).toBe(true);
        refusedUser = undefined;
        await Promise.all(stuck);
        expect(context.ledger.isStuck).toBe(false);
        const [one, two] = [await context.db.collection('users').get(userId), await context.db.collection('users').get(other.id)];
        expect([one === null ? 0 : balanceOf(one), two === null ? 0 : balanceOf(two)]).toEqual([10_000 - 15, 10_000 - 9]);
        expect((await audit(context.db)).findings).toEqual([]);
      },
    );
  });
});

test.each(engines)('on $kind, while a refused charge is tried again nobody is told that it is settled', async (engine) => {
  await onPlace(engine, async ({ database, other }) => {
    let refusedUser: number | undefined;
    let tries = 0;
    let mayAnswer = Promise.resolve();
    const isRefused = (write: Write) => 'patch' in write && write.of === 'users' && write.where['id'] === refusedUser;
    const beforeRefusing = () => {
      tries += 1;
      return mayAnswer;
    };
    const context = await open(refusing(await database.open(), isRefused, beforeRefusing));
    const users = [await buildUser(other), await buildUser(other)] as const;
    const ids = [users[0].id, users[1].id] as const;
    for (const user of users) {
      await other.db.collection('users').insert(user);
      await other.ledger.change({ account: 'user', id: user.id, amount: 10_000, kind: 'test', ref: `start ${user.id}`, actorId: 0 });
    }
    const reserve = async (userId: number) => {
      const result = await context.ledger.reserve({ userId, token: null, amount: 100 });
      if (!('reservation' in result)) throw new Error('refused');
      return result.reservation;
    };
    const reservations = [await reserve(ids[0]), await reserve(ids[1])] as const;
    const settle = (index: 0 | 1, quota: number) => {
      const { id: _, ...row } = buildLog({ id: 0, user_id: ids[index], quota, prompt_tokens: 1 });
      return context.ledger.settle(reservations[index], row);
    };
    [refusedUser] = ids;
    const first = settle(0, 7);
    await until(() => context.ledger.isStuck);
    await settle(1, 9);
    const answer = Promise.withResolvers<void>();
    mayAnswer = answer.promise;
    const before = tries;
    await until(() => tries > before);
    expect(context.ledger.isStuck).toBe(true);
    const { processId } = context.ledger;
    const processes = other.db.collection('processes');
    const beat = (await processes.get(processId))?.heartbeat_at;
    await until(async () => (await processes.get(processId))?.heartbeat_at !== beat);
    // Here it could die. It is taken for dead, and resumes.
    await until(async () => {
      await processes.patch({ id: processId, state: 'alive' }, { set: { heartbeat_at: 0 } });
      await other.ledger.recoverCrashed();
      return (await processes.get(processId))?.state === 'settled';
    });
    refusedUser = undefined;
    answer.resolve();
    await first;
    const records = await other.db.collection('users').find({ id: { in: [...ids] } }, { sort: [['id', 1]] });
    expect(records.map(balanceOf)).toEqual([10_000 - 7, 10_000 - 9]);
    expect((await audit(other.db)).findings).toEqual([]);
    await context.close();
  });
});

test.each(engines)('health is red on $kind while something cannot be settled', async (engine) => {
  await using app = await createTestApp(engine);
  expect((await app.anonymous().get('/healthz')).status).toBe(200);
  Object.defineProperty(app.context.ledger, 'isStuck', { value: true, configurable: true });
  expect(await app.anonymous().get('/healthz')).toMatchObject({ status: 503, body: { status: 'settlements are stuck' } });
});
