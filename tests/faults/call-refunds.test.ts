// A refund of a call, disturbed at every write: given back once or not at all, and never more than the call cost.
import { describe, expect, test } from 'vitest';
import { finishCallRefunds, refundCall } from '#server/features/logs/refund-call.ts';
import type { AppContext } from '#server/context.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { balanceOf } from '#server/money/account.ts';
import { audit } from '#server/money/audit.ts';
import { onPlace, open, type Place } from '#tests/faults/bookkeeping.ts';
import { later } from '#tests/faults/due-credits.ts';
import { buildLog } from '#tests/support/build-log.ts';
import { createToken } from '#tests/support/build-token.ts';
import { buildUser } from '#tests/support/build.ts';
import { engines } from '#tests/support/engines.ts';
import { makeFreezable } from '#tests/support/freezable-database.ts';

const start = 10_000;
const tokenStart = 5000;
const price = 120;

async function arrange(place: Place) {
  const { other, database } = place;
  const db = makeFreezable(await database.open());
  const context = await open(db);
  const user = await buildUser(other);
  const root = await buildUser(other, { role: 100 });
  for (const record of [user, root]) await other.db.collection('users').insert(record);
  await other.ledger.change({ account: 'user', id: user.id, amount: start, kind: 'test', ref: `start ${user.id}`, actorId: 0 });
  const { token } = await createToken(other, user.id, { quota: tokenStart });
  const result = await other.ledger.reserve({ userId: user.id, token: { id: token.id, isLimited: true }, amount: 300 });
  if (!('reservation' in result)) throw new Error('refused');
  const { id: _, ...row } = buildLog({ id: 0, user_id: user.id, token_id: token.id, quota: price, request_id: `call ${user.id}` });
  await other.ledger.settle(result.reservation, row);
  const call = await other.db.collection('logs').first({ request_id: `call ${user.id}` });
  if (call === null) throw new Error('no row');
  return { ...place, db, context, user, root, tokenId: token.id, call };
}
type Scene = Awaited<ReturnType<typeof arrange>>;

const give = (context: AppContext, { root, call }: { root: UserRecord; call: LogRecord }, amount: number, ref: string) =>
  refundCall(context, root, call.id, { amount, reason: 'the answer was empty', ref });

async function expectGiven({ other, user, tokenId, call }: Scene, amounts: readonly number[], where: string): Promise<void> {
  const given = amounts.reduce((total, amount) => total + amount, 0);
  const record = await other.db.collection('users').get(user.id);
  const token = await other.db.collection('tokens').get(tokenId);
  if (record === null || token === null) throw new Error('gone');
  expect([balanceOf(record), record.used_quota], `${where}: user`).toEqual([start - price + given, price - given]);
  expect([balanceOf(token), token.used_quota], `${where}: token`).toEqual([tokenStart - price + given, price - given]);
  const rows = await other.db.collection('logs').find({ user_id: user.id, type: 4 });
  expect(
    rows.map((row) => row.refunded ?? 0).toSorted((a, b) => a - b),
    `${where}: rows`,
  ).toEqual(amounts.toSorted((a, b) => a - b));
  const noted = (await other.db.collection('logs').get(call.id))?.other?.['refunds'] ?? [];
  expect(Array.isArray(noted) ? noted.length : -1, `${where}: on the receipt`).toBe(amounts.length);
  expect(await other.db.collection('call_refunds').count({ due_at: { exists: true } }), `${where}: due`).toBe(0);
  expect((await audit(other.db)).findings, where).toEqual([]);
}

async function takeOver({ context, other }: Scene): Promise<void> {
  await other.db.collection('processes').patch({ id: context.ledger.processId, state: 'alive' }, { set: { heartbeat_at: 0 } });
  await other.ledger.recoverCrashed();
  await finishCallRefunds(later(other));
}

async function countWrites(place: Place): Promise<number> {
  const scene = await arrange(place);
  const before = scene.db.writes;
  await give(scene.context, scene, 50, 'the first one');
  const count = scene.db.writes - before;
  await expectGiven(scene, [50], 'undisturbed');
  await scene.context.close();
  expect(count).toBeGreaterThan(6);
  return count;
}

describe.each(engines)('refunds of calls on $kind', (engine) => {
  test('by two administrators at once and again: once per name, never more than the call cost', async () => {
    await onPlace(engine, async (place) => {
      const scene = await arrange(place);
      const requested = [70, 70, 60, 50, 40, 30].flatMap((amount, index) =>
        [place.other, scene.context].map((context) => ({ context, amount, index })),
      );
      await Promise.allSettled(requested.map(({ context, amount, index }) => give(context, scene, amount, `refund ${index}`)));
      await finishCallRefunds(later(place.other));
      const record = await place.other.db.collection('call_refunds').get(scene.call.id);
      const amounts = (record?.acts ?? []).filter(({ state }) => state === 'done').map(({ amount }) => amount);
      const given = amounts.reduce((total, amount) => total + amount, 0);
      expect(given).toBeGreaterThan(0);
      expect(given).toBeLessThanOrEqual(price);
      await expectGiven(scene, amounts, 'at once');
      if (given < price) await give(place.other, scene, price - given, 'all the rest');
      await expect(give(place.other, scene, 1, 'one more than that')).rejects.toMatchObject({ code: 'refund_too_large' });
      expect((await audit(place.other.db)).findings).toEqual([]);
      await scene.context.close();
    });
  });

  test.each(['before', 'after'] as const)(
    'a process that stops %s any write, for good or for a while: given back once or not at all',
    async (when) => {
      await onPlace(engine, async (place) => {
        const writes = await countWrites(place);
        for (let at = 1; at <= writes; at += 1) {
          const where = `stopped ${when} write ${at}`;
          const scene = await arrange(place);
          scene.db.freezeAt(at, when);
          const acting = give(scene.context, scene, 50, 'the first one').catch(() => undefined);
          await Promise.race([acting, scene.db.frozen]);
          await takeOver(scene);
          const claimed = await place.other.db.collection('call_refunds').get(scene.call.id);
          await expectGiven(scene, claimed === null ? [] : [50], where);
          await give(later(place.other), scene, 50, 'the first one');
          await expectGiven(scene, [50], `${where}, asked again`);
          await give(later(place.other), scene, 70, 'the second one');
          scene.db.thaw();
          await acting;
          await expectGiven(scene, [50, 70], `${where}, and went on`);
          await scene.context.close();
        }
      });
    },
  );
});
