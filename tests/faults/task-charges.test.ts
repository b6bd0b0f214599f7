// The charge and the refund of a task, disturbed at every write: every charge has a task, and a failed task costs nothing.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AppContext } from '#server/context.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { newRequestId } from '#server/http/request-id.ts';
import { balanceOf } from '#server/money/account.ts';
import { audit } from '#server/money/audit.ts';
import { admissionOf } from '#server/call/admission/admission.ts';
import { createRelay } from '#server/call/create-relay.ts';
import { drawingPaths } from '#server/slices/drawings/drawing-request.ts';
import { drawingSubmission } from '#server/slices/drawings/submit-drawing.ts';
import { submitTask } from '#server/work/tasks/submit-task.ts';
import { checkTasks } from '#server/work/tasks/check-tasks.ts';
import { pollTasks } from '#server/work/tasks/poll-tasks.ts';
import { finishRefunds, refundTask } from '#server/work/tasks/refund-task.ts';
import { chargeOf } from '#server/money/recovery/call-charge.ts';
import { onPlace, open, type Place } from '#tests/faults/bookkeeping.ts';
import { buildLog } from '#tests/support/build-log.ts';
import { buildTask } from '#tests/support/build-task.ts';
import { buildChannel } from '#tests/support/build-channel.ts';
import { createToken } from '#tests/support/build-token.ts';
import { buildUser } from '#tests/support/build.ts';
import { engines } from '#tests/support/engines.ts';
import { type FakeTaskUpstream, startTaskUpstream } from '#tests/support/fake-task-upstream.ts';
import { type FreezableDatabase, makeFreezable } from '#tests/support/freezable-database.ts';
import { until } from '#tests/support/until.ts';

const start = 1_000_000;
const tokenStart = 500_000;
const price = 50_000;

interface Scene extends Place {
  db: FreezableDatabase;
  context: Awaited<ReturnType<typeof open>>;
  user: UserRecord;
  token: TokenRecord;
}

let upstream: FakeTaskUpstream;
beforeAll(async () => {
  upstream = await startTaskUpstream();
});
afterAll(() => upstream[Symbol.asyncDispose]());

async function arrange(place: Place): Promise<Scene> {
  const { other, database } = place;
  const user = await buildUser(other);
  await other.db.collection('users').insert(user);
  await other.ledger.change({ account: 'user', id: user.id, amount: start, kind: 'test', ref: `start ${user.id}`, actorId: 0 });
  const { token } = await createToken(other, user.id, { quota: tokenStart });
  if ((await other.db.collection('channels').count({})) === 0) {
    const id = await other.db.nextId('channels');
    await other.db
      .collection('channels')
      .insert(buildChannel({ id, type: 2, models: 'mj_imagine', base_url: upstream.url, key: 'k' }, other.secrets));
  }
  await other.channels.reload();
  const db = makeFreezable(await database.open());
  const context = await open(db);
  return { ...place, db, context, user, token };
}

/** The submission counts against no limit. */
const uncounted = { succeeded: async () => {}, end() {} };

/** Hands in a drawing, which fails upstream. */
async function act({ context, user, token }: Scene, fails = true): Promise<void> {
  const { services } = createRelay(context, []);
  const body = { prompt: 'a harbour' };
  const request = drawingPaths['imagine']?.(body);
  if (request === undefined) throw new Error('There is no such path');
  const submission = await drawingSubmission(context, {
    owner: { userId: user.id },
    language: 'zh',
    path: '/mj/submit/imagine',
    body,
    request,
  });
  const before = upstream.taken.length;
  const requestId = newRequestId(context);
  try {
    const content = { use: <Result>(work: () => Result) => work() };
    const admission = admissionOf(token, user);
    await submitTask({ services, admission, submission, content, requestId, pass: uncounted, startedAt: performance.now() });
  } finally {
    if (fails) failAll(before);
  }
}

function failAll(from = 0): void {
  for (const id of upstream.taken.slice(from)) upstream.report(id, { status: 'FAILURE', progress: '100%', failReason: 'no' });
}

/** All that servers do about tasks, some time later. */
async function tend(context: AppContext): Promise<void> {
  failAll();
  const later = (minutes: number): AppContext => ({ ...context, now: () => context.now() + minutes * 60_000 });
  await checkTasks(later(11));
  await pollTasks(later(11));
  await finishRefunds(later(12));
  await checkTasks(later(13));
}

/** Another process finds that this one has died. */
async function takeOver({ context, other }: Scene): Promise<void> {
  await other.db.collection('processes').patch({ id: context.ledger.processId, state: 'alive' }, { set: { heartbeat_at: 0 } });
  await other.ledger.recoverCrashed();
  await tend(other);
}

async function expectNothingPaid({ other, user, token }: Scene, where: string): Promise<'charged' | 'lost' | 'free'> {
  const [userNow, tokenNow] = [await other.db.collection('users').get(user.id), await other.db.collection('tokens').get(token.id)];
  if (userNow === null || tokenNow === null) throw new Error('The accounts are gone');
  expect(balanceOf(userNow), `${where}: the user's balance`).toBe(start);
  expect(balanceOf(tokenNow), `${where}: the key's balance`).toBe(tokenStart);
  expect([userNow.used_quota, tokenNow.used_quota], `${where}: used`).toEqual([0, 0]);
  expect((await audit(other.db)).findings, where).toEqual([]);
  const rows = await other.db.collection('logs').find({ user_id: user.id });
  const charges = rows.filter((row) => row.type === 2);
  expect(charges.length, `${where}: charges`).toBeLessThan(2);
  expect(rows.filter(({ refunded = 0 }) => refunded > 0).length, `${where}: rows of refunds`).toBe(charges.length);
  const tasks = await other.db.collection('tasks').find({ user_id: user.id });
  // A submission that a channel may have accepted without a response is reported, once.
  const lost = tasks.filter(({ asked_channel_id: channel }) => channel !== undefined);
  expect(rows.filter(({ content = '' }) => content.includes('没有得到上游的应答')).length, `${where}: rows of lost`).toBe(lost.length);
  for (const task of tasks) {
    expect(task, where).toMatchObject({ status: 'FAILURE', refunded_quota: charges.length * price });
    for (const field of ['refund_due_at', 'check_at', 'poll_at', 'running_user_id', 'lost_log_id'])
      expect(task, where).not.toHaveProperty(field);
  }
  return charges.length > 0 ? 'charged' : lost.length > 0 ? 'lost' : 'free';
}

async function countWrites(place: Place): Promise<number> {
  const scene = await arrange(place);
  const before = scene.db.writes;
  await act(scene);
  const count = scene.db.writes - before;
  await tend(scene.other);
  expect(await expectNothingPaid(scene, 'undisturbed')).toBe('charged');
  await scene.context.close();
  expect(count).toBeGreaterThan(4);
  return count;
}

describe.each(engines)('the price of a task on $kind', (engine) => {
  test.each(['before', 'after'] as const)(
    'a process that stops %s any write, for good or for a while: a task that fails costs nothing',
    async (when) => {
      await onPlace(engine, async (place) => {
        const writes = await countWrites(place);
        const seen = new Set<string>();
        for (let at = 1; at <= writes; at += 1) {
          const where = `stopped ${when} write ${at}`;
          const scene = await arrange(place);
          scene.db.freezeAt(at, when);
          const acting = act(scene).catch(() => undefined);
          await Promise.race([acting, scene.db.frozen]);
          await takeOver(scene);
          seen.add(await expectNothingPaid(scene, where));
          // It was only slow.
          scene.db.thaw();
          await acting;
          await scene.context.ledger.recoverCrashed();
          await tend(scene.other);
          await expectNothingPaid(scene, `${where}, and went on`);
          await scene.context.close();
        }
        // What is to be shown has happened.
        expect([...seen].toSorted()).toEqual(['charged', 'free', 'lost']);
      });
    },
  );

  test.each(['before', 'after'] as const)(
    'a process that stops %s any write of a submission that is refused: it ends as failed, and costs nothing',
    async (when) => {
      await onPlace(engine, async (place) => {
        for (let at = 1, isOver = false; !isOver; at += 1) {
          const where = `refused, stopped ${when} write ${at}`;
          const scene = await arrange(place);
          upstream.refuse({ body: { code: 24, description: 'banned words', properties: {} } });
          scene.db.freezeAt(at, when);
          const acting = act(scene, false).catch(() => undefined);
          await Promise.race([acting, scene.db.frozen]);
          isOver = !scene.db.isFrozen;
          await takeOver(scene);
          expect(await expectNothingPaid(scene, where), where).not.toBe('charged');
          scene.db.thaw();
          await acting;
          await scene.context.ledger.recoverCrashed();
          await tend(scene.other);
          await expectNothingPaid(scene, `${where}, and went on`);
          if (isOver) {
            const task = await scene.other.db.collection('tasks').first({ user_id: scene.user.id });
            expect(task).toMatchObject({ code: 24, fail_reason: 'banned words' });
          }
          upstream.refuseNoMore();
          await scene.context.close();
        }
      });
    },
  );

  test.each(['before', 'after'] as const)('a write that fails, carried out: %s: a task that fails costs nothing', async (when) => {
    await onPlace(engine, async (place) => {
      const writes = await countWrites(place);
      for (let at = 1; at <= writes; at += 1) {
        const where = `write ${at} failed, carried out: ${when}`;
        const scene = await arrange(place);
        scene.db.failAt(at, when);
        await act(scene).catch(() => undefined);
        scene.db.failAt(Infinity, when);
        await scene.context.close();
        await scene.other.ledger.recoverCrashed();
        await tend(scene.other);
        await expectNothingPaid(scene, where);
      }
    });
  });

  test('a process that dies while a channel has the submission: it costs nothing, and the channel is reported', async () => {
    await onPlace(engine, async (place) => {
      const scene = await arrange(place);
      const held = upstream.hold();
      const acting = act(scene).catch(() => undefined);
      await held.arrived;
      scene.db.freezeAt(1, 'before');
      await takeOver(scene);
      expect(await expectNothingPaid(scene, 'dead')).toBe('lost');
      // It was only slow.
      scene.db.thaw();
      held.release();
      await acting;
      await scene.context.ledger.recoverCrashed();
      await tend(scene.other);
      await expectNothingPaid(scene, 'dead, and went on');
      await scene.context.close();
    });
  });

  test('a submission that is taken while somebody takes it for lost is charged, and refunded when it fails', async () => {
    await onPlace(engine, async (place) => {
      const scene = await arrange(place);
      const held = upstream.hold();
      const acting = act(scene, false);
      await held.arrived;
      const db = makeFreezable(await place.database.open());
      const checker = await open(db);
      // It has taken long, also by the clock of its own process.
      const since = checker.now() - 11 * 60_000;
      await place.other.db.collection('tasks').patch({ user_id: scene.user.id }, { set: { submit_time: since, check_at: since } });
      db.freezeAt(1, 'before');
      const checking = checkTasks(checker);
      await db.frozen;
      held.release();
      await acting;
      db.thaw();
      await checking;
      await checker.close();
      const task = await place.other.db.collection('tasks').first({ user_id: scene.user.id });
      expect(task).toMatchObject({ status: '', charge: 'done', quota: price, running_user_id: scene.user.id });
      await tend(place.other);
      expect(await expectNothingPaid(scene, 'taken for lost')).toBe('charged');
      await scene.context.close();
    });
  });

  test('of a charge that could not be covered, what was charged is given back', async () => {
    await onPlace(engine, async (place) => {
      const { context, other, user, token } = await arrange(place);
      const requestId = newRequestId(context);
      const result = await context.ledger.reserve({ userId: user.id, token: { id: token.id, isLimited: true }, amount: 20_000 });
      if (!('reservation' in result)) throw new Error('refused');
      const { id: _, ...row } = buildLog({ id: 0, user_id: user.id, token_id: token.id, quota: 20_000, request_id: requestId });
      await context.ledger.settle(result.reservation, row);
      const id = await other.db.nextId('tasks');
      const requested = { user_id: user.id, token_id: token.id, quota: price, token_quota: price, request_id: requestId };
      const task = buildTask({ id, ...requested, charge: 'open', status: 'FAILURE', refund_due_at: 1, process: context.ledger.processId });
      await other.db.collection('tasks').insert(task);
      const paid = { charge: 'done', quota: 20_000, token_quota: 20_000, budgets: '' };
      expect((await chargeOf(other.db, task)).paid).toEqual(paid);
      expect(await chargeOf(other.db, { ...task, request_id: 'of no call' })).toEqual({ paid: null, isCertain: false });
      // Its process says with the next heartbeat that it is settled.
      await until(() => refundTask(other, task));
      expect(await chargeOf(other.db, task)).toEqual({ paid, isCertain: true });
      const record = await other.db.collection('users').get(user.id);
      expect(record === null ? null : balanceOf(record)).toBe(start);
      expect(await other.db.collection('tasks').get(id)).toMatchObject({ charge: 'done', quota: 20_000, refunded_quota: 20_000 });
      await context.close();
    });
  });

  test.each([
    ['after its process was settled', 12],
    ['that was not there when its process was settled', 9],
  ])('a row %s is no charge: nothing is given back', async (_which, seq) => {
    await onPlace(engine, async (place) => {
      const { context, other, user } = await arrange(place);
      const processes = other.db.collection('processes');
      const row = { id: 'pgone', host: 'elsewhere', pid: 1, started_at: 0, heartbeat_at: Date.now(), settled_seq: 8 };
      await processes.insert({ ...row, state: 'alive' });
      const ofCall = { user_id: user.id, quota: price, request_id: 'cut short' };
      await other.db.collection('logs').insert({ ...buildLog({ id: await other.db.nextId('logs'), ...ofCall }), process: row.id, seq });
      const id = await other.db.nextId('tasks');
      const task = buildTask({ id, ...ofCall, charge: 'open', status: 'FAILURE', refund_due_at: 1, process: row.id });
      await other.db.collection('tasks').insert(task);
      expect(await refundTask(other, task)).toBe(false);
      await processes.patch({ id: row.id }, { set: { state: 'recovering', closed_seq: 11, missing_seqs: [9] } });
      expect(await refundTask(other, task)).toBe(false);
      expect(await other.db.collection('tasks').get(id)).toMatchObject({ charge: 'open' });
      await processes.patch({ id: row.id }, { set: { state: 'settled', settled_seq: 11 } });
      expect(await refundTask(other, task)).toBe(true);
      expect(await other.db.collection('tasks').get(id)).toMatchObject({ charge: 'none', quota: 0, refunded_quota: 0 });
      const record = await other.db.collection('users').get(user.id);
      expect(record === null ? null : balanceOf(record)).toBe(start);
      await context.close();
    });
  });

  test('refunds that stop at any write come once', async () => {
    await onPlace(engine, async (place) => {
      for (let at = 1; at < 14; at += 1) {
        for (const when of ['before', 'after'] as const) {
          const scene = await arrange(place);
          await act(scene, false);
          failAll();
          const later: AppContext = { ...scene.context, now: () => scene.context.now() + 60_000 };
          scene.db.freezeAt(at, when);
          const polling = pollTasks(later).catch(() => undefined);
          await Promise.race([polling, scene.db.frozen]);
          await takeOver(scene);
          await expectNothingPaid(scene, `refund stopped ${when} write ${at}`);
          scene.db.thaw();
          await polling;
          await tend(scene.other);
          await expectNothingPaid(scene, `refund stopped ${when} write ${at}, and went on`);
          await scene.context.close();
        }
      }
    });
  });
});
