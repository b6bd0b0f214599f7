// A process stalls during a balance edit until another one has its lock: the later edit counts, a repeated one is made once, and the response matches
// the outcome.
import { describe, expect, test } from 'vitest';
import { Role } from '#shared/roles.ts';
import type { AppContext } from '#server/context.ts';
import { editToken } from '#server/features/tokens/edit-token.ts';
import { editUser } from '#server/features/users/edit-user.ts';
import { balanceOf } from '#server/money/account.ts';
import { audit } from '#server/money/audit.ts';
import { arrange, end, onPlace, type Place, type Scene } from '#tests/faults/bookkeeping.ts';
import { buildUser } from '#tests/support/build.ts';
import { engines } from '#tests/support/engines.ts';

type Act = (context: AppContext) => Promise<unknown>;

interface Edit {
  /** Begun by the process that stands still. */
  first: (scene: Scene) => Act;
  /** Made by another one meanwhile. */
  second: (scene: Scene) => Act;
  lock: (scene: Scene) => string;
  check: (scene: Scene, answers: { first: string; second: string }, where: string) => Promise<void>;
}

const answerOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (failure: unknown) => (failure as { code?: string }).code ?? String(failure),
  );

async function balance({ other, user }: Scene): Promise<number> {
  const record = await other.db.collection('users').get(user.id);
  return record === null ? NaN : balanceOf(record);
}

/** The edit stops at each of its writes in turn, is overtaken, and resumes. */
async function checkAtEachWrite(place: Place, when: 'before' | 'after', { first, second, lock, check }: Edit): Promise<void> {
  for (let at = 1, isOver = false; !isOver; at += 1) {
    const scene = await arrange(place);
    scene.db.freezeAt(at, when);
    const editing = answerOf(first(scene)(scene.context));
    await Promise.race([editing, scene.db.frozen]);
    isOver = !scene.db.isFrozen;
    // Removes the lock, as another process does after it expired.
    await scene.other.db.collection('jobs').remove({ id: `edit:${lock(scene)}` });
    const answer = await answerOf(second(scene)(scene.other));
    const former = scene.context.ledger.processId;
    const isFoundDead = at % 2 === 0;
    if (isFoundDead) {
      await scene.other.db.collection('processes').patch({ id: former, state: 'alive' }, { set: { heartbeat_at: 0 } });
      await scene.other.ledger.recoverCrashed();
    }
    scene.db.thaw();
    const where = `stopped ${when} write ${at}${isFoundDead ? ', taken for dead' : ''}`;
    await check(scene, { first: await editing, second: answer }, where);
    expect((await audit(scene.other.db)).findings, where).toEqual([]);
    await end(
      scene,
      editing.then(() => {}),
    );
    expect(at, 'it never comes to its end').toBeLessThan(40);
  }
}

describe.each(engines)('an edit that is overtaken on $kind', (engine) => {
  describe.each(['before', 'after'] as const)('%s any of its writes', (when) => {
    test.each([
      ['more', 25_000, 25_000],
      ['less', 4_000, 4_000],
      ['other amounts', 25_000, 4_000],
    ])('balance of a user: %s', async (_which, one, another) => {
      await onPlace(engine, async (place) => {
        const root = await buildUser(place.other, { role: Role.root });
        const set =
          (quota: number) =>
          ({ user }: Scene): Act =>
          (context) =>
            editUser(context, { user: root, sessionId: null }, { id: user.id, quota });
        await checkAtEachWrite(place, when, {
          first: set(one),
          second: set(another),
          lock: ({ user }) => `user:${user.id}`,
          async check(scene, answers, where) {
            expect(answers.second, where).toBe('done');
            // The last one that was answered may be either.
            expect([one, another], `${where}: ${answers.first}`).toContain(await balance(scene));
          },
        });
      });
    });

    test('balance of a user, based on a revision: who comes late is told', async () => {
      await onPlace(engine, async (place) => {
        const root = await buildUser(place.other, { role: Role.root });
        const caller = { user: root, sessionId: null };
        await checkAtEachWrite(place, when, {
          first:
            ({ user }) =>
            (context) =>
              editUser(context, caller, { id: user.id, quota: 25_000, revision: user.revision }),
          second:
            ({ user }) =>
            (context) =>
              editUser(context, caller, { id: user.id, quota: 4_000 }),
          lock: ({ user }) => `user:${user.id}`,
          async check(scene, answers, where) {
            expect(answers.second, where).toBe('done');
            expect(['done', 'revision_conflict'], where).toContain(answers.first);
            expect(await balance(scene), `${where}: ${answers.first}`).toBe(4_000);
          },
        });
      });
    });

    test('balance of a token', async () => {
      await onPlace(engine, async (place) => {
        const set =
          (remain_quota: number) =>
          ({ user, limited }: Scene): Act =>
          (context) =>
            editToken(context, user, { id: limited.id, name: 'spare', remain_quota, unlimited_quota: false, expired_time: -1 });
        await checkAtEachWrite(place, when, {
          first: set(9_000),
          second: set(9_000),
          lock: ({ limited }) => `token:${limited.id}`,
          async check({ other, limited }, answers, where) {
            const token = await other.db.collection('tokens').get(limited.id);
            expect(answers, where).toEqual({ first: 'done', second: 'done' });
            expect(token === null ? null : balanceOf(token), where).toBe(9_000);
          },
        });
      });
    });

    test.each([-7_000, 7_000])(
      'a named change by %i that is sent again: it is made once, and nobody is told otherwise',
      async (quota_change) => {
        await onPlace(engine, async (place) => {
          const root = await buildUser(place.other, { role: Role.root });
          const change =
            ({ user }: Scene): Act =>
            (context) =>
              editUser(context, { user: root, sessionId: null }, { id: user.id, quota_change, quota_ref: 'sent-again' });
          await checkAtEachWrite(place, when, {
            first: change,
            second: change,
            lock: ({ user }) => `user:${user.id}`,
            async check(scene, answers, where) {
              expect(answers.second, where).toBe('done');
              expect(['done', 'database_unavailable'], where).toContain(answers.first);
              expect(await balance(scene), where).toBe(10_000 + quota_change);
              await change(scene)(scene.other);
              expect(await balance(scene), `${where}, once more`).toBe(10_000 + quota_change);
            },
          });
        });
      },
    );
  });

  test.each(['before', 'after'] as const)(
    'a named debit whose process ended %s any of its writes: who repeats it afterwards takes it, once',
    async (when) => {
      await onPlace(engine, async (place) => {
        const root = await buildUser(place.other, { role: Role.root });
        for (let at = 1, isOver = false; !isOver; at += 1) {
          const scene = await arrange(place);
          const edit = { id: scene.user.id, quota_change: -7_000, quota_ref: 'sent-again' };
          const act: Act = (context) => editUser(context, { user: root, sessionId: null }, edit);
          scene.db.freezeAt(at, when);
          const editing = answerOf(act(scene.context));
          await Promise.race([editing, scene.db.frozen]);
          isOver = !scene.db.isFrozen;
          const { processId } = scene.context.ledger;
          await scene.other.db.collection('processes').patch({ id: processId, state: 'alive' }, { set: { heartbeat_at: 0 } });
          await scene.other.ledger.recoverCrashed();
          await scene.other.db.collection('jobs').remove({ id: `edit:user:${scene.user.id}` });
          for (const which of ['first', 'second']) {
            const where = `ended ${when} write ${at}, repeated: ${which}`;
            expect(await answerOf(act(scene.other)), where).toBe('done');
            expect(await balance(scene), where).toBe(3_000);
          }
          expect((await audit(scene.other.db)).findings).toEqual([]);
          scene.db.thaw();
          await end(
            scene,
            editing.then(() => {}),
          );
          expect(at, 'it never comes to its end').toBeLessThan(40);
        }
      });
    },
  );
});
