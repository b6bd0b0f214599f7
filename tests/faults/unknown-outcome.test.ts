// A write fails, and nobody knows whether it was carried out: nothing is done twice, nothing stays behind, and nobody is
// refused money that he has.
import { describe, expect, test } from 'vitest';
import { userBalance } from '#server/money/account.ts';
import { audit } from '#server/money/audit.ts';
import { arrange, check, countWrites, end, onPlace, work } from '#tests/faults/bookkeeping.ts';
import type { Outcomes, Scene } from '#tests/faults/bookkeeping.ts';
import { engines } from '#tests/support/engines.ts';
import { until } from '#tests/support/until.ts';

/** All that the account has can be reserved by one call, within the second that a call waits. */
async function checkSpendable({ context, other, user, unlimited }: Scene, where: string): Promise<void> {
  const record = await other.db.collection('users').get(user.id);
  const amount = record === null ? 0 : userBalance(record);
  const result = await context.ledger.reserve({ userId: user.id, token: { id: unlimited.id, isLimited: false }, amount });
  expect('reservation' in result, `${where}: ${amount} can be spent`).toBe(true);
  if ('reservation' in result) context.ledger.release(result.reservation);
}

async function checkNothingHeld({ other, user, limited }: Scene): Promise<void> {
  const isEmpty = (leases: Record<string, number> = {}) => Object.values(leases).every((lease) => lease === 0);
  await until(
    async () =>
      isEmpty((await other.db.collection('users').get(user.id))?.leases) &&
      isEmpty((await other.db.collection('tokens').get(limited.id))?.leases),
    5_000,
  );
}

describe.each(engines)('a write whose outcome is not known on $kind', (engine) => {
  describe.each(['before', 'after'] as const)('failing %s it is carried out', (when) => {
    test.each([0, 3])(
      'and %i more after it',
      async (further) => {
        await onPlace(engine, async (place) => {
          const writes = await countWrites(place);
          const scenes: Scene[] = [];
          for (let at = 1; at <= writes; at += 1) {
            const scene = await arrange(place);
            const outcomes: Outcomes = new Map();
            const where = `write ${at} failed ${when} it was carried out`;
            scene.db.failAt(at, when, further);
            await work(scene, outcomes);
            scene.db.failAt(Infinity, when);
            // What was given up is finished, one way or the other.
            await scene.context.ledger.settleLeftovers();
            await check(scene, outcomes, where, true);
            expect(await place.other.db.collection('ledger').count({ state: 'open' }), where).toBe(0);
            await checkSpendable(scene, where);
            scenes.push(scene);
          }
          // Idle leases go back, known and doubtful ones.
          for (const scene of scenes) {
            await checkNothingHeld(scene);
            await end(scene);
          }
          expect((await audit(place.other.db)).findings).toEqual([]);
        });
      },
      120_000,
    );
  });
});
