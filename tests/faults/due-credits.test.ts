import { describe, expect, test } from 'vitest';
import { createCodes } from '#server/features/redemptions/create-codes.ts';
import { finishRedemptions, redeemCode } from '#server/features/redemptions/redeem-code.ts';
import { creditOrder, finishOrders } from '#server/features/wallet/credit-order.ts';
import { epay } from '#server/features/wallet/payments/epay.ts';
import { onPlace } from '#tests/faults/bookkeeping.ts';
import { arrangeDue, countActWrites, creditWorth, type DueCase, type DueScene, expectCredited, later } from '#tests/faults/due-credits.ts';
import { engines } from '#tests/support/engines.ts';

const redemption: DueCase = {
  name: 'a redeemed code',
  async arrange(context, user) {
    const [key = ''] = await createCodes(context, user, { name: 'crash', quota: creditWorth });
    return key;
  },
  act: redeemCode,
  finish: finishRedemptions,
  countDue: ({ db }) => db.collection('redemptions').count({ credit_due_at: { exists: true } }),
};

const order: DueCase = {
  name: 'a paid order',
  async arrange({ db }, user) {
    const id = await db.nextId('orders');
    const trade_no = `USR${user.id}NO${id}`;
    const fixed = { amount: 1, quota: creditWorth, cents: 730, create_time: 0, complete_time: 0, provider_trade_no: '', claims: 0 };
    await db
      .collection('orders')
      .insert({ id, user_id: user.id, trade_no, provider: 'epay', method: 'alipay', status: 'pending', ...fixed });
    return trade_no;
  },
  act: (context, _user, tradeNo) => creditOrder(context, epay, { kind: 'paid', tradeNo, cents: 730, providerTradeNo: '1' }),
  finish: finishOrders,
  countDue: ({ db }) => db.collection('orders').count({ credit_due_at: { exists: true } }),
};

const cases = [redemption, order];

/** Another process finds that this one has died, and does what is due. */
async function takeOver({ context, other }: DueScene, due: DueCase): Promise<void> {
  await other.db.collection('processes').patch({ id: context.ledger.processId, state: 'alive' }, { set: { heartbeat_at: 0 } });
  await other.ledger.recoverCrashed();
  await due.finish(later(other));
}

describe.each(engines)('credit on $kind', (engine) => {
  describe.each(cases)('of $name', (due) => {
    test.each(['before', 'after'] as const)(
      'a process that stops %s any write, for good or for a while: credited once or not at all',
      async (when) => {
        await onPlace(engine, async (place) => {
          const writes = await countActWrites(place, due);
          let credited = 0;
          for (let at = 1; at <= writes; at += 1) {
            const where = `stopped ${when} write ${at}`;
            const scene = await arrangeDue(place, due);
            scene.db.freezeAt(at, when);
            const acting = due.act(scene.context, scene.user, scene.subject).catch(() => undefined);
            await Promise.race([acting, scene.db.frozen]);
            await takeOver(scene, due);
            const entry = await scene.other.db.collection('ledger').first({ account: 'user', account_id: scene.user.id });
            const times = entry === null ? 0 : 1;
            credited += times;
            await expectCredited(scene, due, times, where);
            // A repeated request credits it if it was not credited, and nothing if it was.
            await due.act(later(scene.other), scene.user, scene.subject).catch(() => undefined);
            await expectCredited(scene, due, 1, `${where}, asked again`);
            // It was only slow.
            scene.db.thaw();
            await acting;
            await expectCredited(scene, due, 1, `${where}, and went on`);
            await scene.context.close();
          }
          // What is to be shown has happened.
          expect(credited).toBeGreaterThan(1);
          expect(credited).toBeLessThan(writes + 1);
        });
      },
    );

    test.each(['before', 'after', 'late'] as const)(
      'a write that fails, carried out: %s: credited once when it is asked for again',
      async (when) => {
        await onPlace(engine, async (place) => {
          const writes = await countActWrites(place, due);
          for (let at = 1; at <= writes; at += 1) {
            for (const further of [0, 2]) {
              const where = `write ${at} and ${further} more failed, carried out: ${when}`;
              const scene = await arrangeDue(place, due);
              scene.db.failAt(at, when, further);
              await due.act(scene.context, scene.user, scene.subject).catch(() => undefined);
              scene.db.failAt(Infinity, when);
              await scene.context.ledger.recoverCrashed();
              await due.finish(later(scene.context));
              await scene.db.deliver();
              await due.act(later(scene.context), scene.user, scene.subject).catch(() => undefined);
              await scene.context.ledger.recoverCrashed();
              await due.finish(later(scene.context));
              await expectCredited(scene, due, 1, where);
              await scene.context.close();
            }
          }
        });
      },
    );
  });
});
