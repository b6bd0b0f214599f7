// A process stops at any point of its bookkeeping: the books balance in that state, another process settles them, and if the stopped one resumes it
// gets a new identity: nothing is charged twice, nothing is lost.
import { describe, expect, test } from 'vitest';
import { audit } from '#server/money/audit.ts';
import { finishOrphanEntries, removeOrphanRows, returnOrphanLeases } from '#server/money/recovery/orphans.ts';
import { arrange, check, countWrites, end, log, onPlace, open, type Outcomes, type Scene, work } from '#tests/faults/bookkeeping.ts';
import { type Engine, engines } from '#tests/support/engines.ts';
import { makeFreezable } from '#tests/support/freezable-database.ts';
import { until } from '#tests/support/until.ts';

/** Another process finds that this one has died. */
async function takeOver({ context, other }: Scene): Promise<void> {
  await other.db.collection('processes').patch({ id: context.ledger.processId, state: 'alive' }, { set: { heartbeat_at: 0 } });
  await other.ledger.recoverCrashed();
}

/** Runs the work until the process has stopped at that write; null when it was done before. */
async function runInto(scene: Scene, at: number, when: 'before' | 'after'): Promise<{ outcomes: Outcomes; working: Promise<void> } | null> {
  const outcomes: Outcomes = new Map();
  scene.db.freezeAt(at, when);
  const working = work(scene, outcomes);
  await Promise.race([working, scene.db.frozen]);
  return scene.db.isFrozen ? { outcomes, working } : null;
}

/**
 * On MongoDB, where everything takes ten times as long, every second write: stopping after one is stopping before the next one, and each
 * family has cases of both, or begins at either. The embedded engine has them all.
 */
const stepOf = (engine: Engine) => (engine.kind === 'embedded' ? 1 : 2);

/** Lets a process stop at each of its writes in turn. */
async function atEachWrite(
  engine: Engine,
  when: 'before' | 'after',
  use: (scene: Scene, run: { outcomes: Outcomes; working: Promise<void> }, where: string) => Promise<void>,
  from = 1,
): Promise<void> {
  await onPlace(engine, async (place) => {
    const writes = await countWrites(place);
    for (let at = stepOf(engine) === 1 ? 1 : from; at <= writes; at += stepOf(engine)) {
      const scene = await arrange(place);
      const run = await runInto(scene, at, when);
      if (run !== null) await use(scene, run, `stopped ${when} write ${at}`);
      await end(scene, run?.working);
    }
  });
}

describe.each(engines)('a process that stops on $kind', (engine) => {
  describe.each(['before', 'after'] as const)('%s any of its writes', (when) => {
    test('for good: another one settles its books', async () => {
      await atEachWrite(engine, when, async (scene, { outcomes }, where) => {
        expect((await audit(scene.other.db)).findings, `${where}, not settled yet`).toEqual([]);
        await takeOver(scene);
        await check(scene, outcomes, where);
        const { leases = {}, applied = {} } = (await scene.other.db.collection('users').get(scene.user.id)) ?? {};
        const dead = scene.context.ledger.processId;
        expect({ leases: Object.keys(leases).filter((key) => key.endsWith(dead)), applied: applied[dead] }, where).toEqual({
          leases: [],
          applied: undefined,
        });
      });
    });

    test('and goes on when its books are settled: under a new identity', async () => {
      await atEachWrite(engine, when, async (scene, { outcomes, working }, where) => {
        const former = scene.context.ledger.processId;
        await takeOver(scene);
        scene.db.thaw();
        await working;
        await check(scene, outcomes, `${where}, and went on`);
        // Nothing fails because of it but what was voided as unfinished.
        for (const [name, outcome] of outcomes) if (name !== 'debit') expect(outcome, `${where}: ${name}`).toBe('done');
        await until(() => scene.context.ledger.processId !== former);
      });
    });
  });

  test.each([1, 2, 4])(
    'and goes on for %i more writes when its books are settled, and then dies: what it left is swept up',
    async (further) => {
      await atEachWrite(
        engine,
        'before',
        async (scene, { outcomes, working }, where) => {
          const { other, db } = scene;
          await takeOver(scene);
          db.thaw();
          db.freezeAt(further, 'after');
          await Promise.race([working, db.frozen]);
          await other.db
            .collection('processes')
            .patchAll({ state: 'alive', id: { ne: other.ledger.processId } }, { set: { heartbeat_at: 0 } });
          await other.ledger.recoverCrashed();
          const orphans = { db: other.db, log, now: other.now };
          await finishOrphanEntries(orphans, 0);
          await removeOrphanRows(orphans);
          await returnOrphanLeases(orphans);
          await check(scene, outcomes, where);
        },
        further === 2 ? 2 : 1,
      );
    },
  );

  describe.each(['before', 'after'] as const)('while it settles the books of another one, %s any of its writes', (when) => {
    test.each([5, 9, 13])('a third one finishes them, and it may itself go on (the first stopped at %i)', async (first) => {
      await onPlace(engine, async (place) => {
        for (let at = 1, isDone = false; !isDone; at += stepOf(engine)) {
          const scene = await arrange(place);
          // Rows that are not charged yet, leases and an open entry.
          const run = await runInto(scene, first, 'before');
          const settlerDb = makeFreezable(await place.database.open());
          const settler = await open(settlerDb);
          await place.other.db.collection('processes').patch({ id: scene.context.ledger.processId }, { set: { heartbeat_at: 0 } });
          settlerDb.freezeAt(at, when);
          const settling = settler.ledger.recoverCrashed();
          await Promise.race([settling, settlerDb.frozen]);
          isDone = !settlerDb.isFrozen;
          const where = `settler stopped ${when} write ${at}`;
          expect((await audit(place.other.db)).findings, where).toEqual([]);
          await place.other.ledger.recoverCrashed();
          await check(scene, run?.outcomes ?? new Map(), where);
          settlerDb.thaw();
          await settling;
          await check(scene, run?.outcomes ?? new Map(), `${where}, and went on`);
          await settler.close();
          await end(scene, run?.working);
          expect(at).toBeLessThan(60);
        }
      });
    });
  });
});
