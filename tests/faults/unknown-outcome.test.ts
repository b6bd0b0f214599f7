// A write fails, and its process does not know whether it was carried out: nothing is done twice, no money stays in a lease, and no
// call is refused money that its account has.
import { describe, expect, test } from 'vitest';
import { balanceOf } from '#server/money/account.ts';
import { audit } from '#server/money/audit.ts';
import {
  arrange,
  checkAccounts,
  countWrites,
  end,
  onPlace,
  type Outcomes,
  type Place,
  type Scene,
  work,
} from '#tests/faults/bookkeeping.ts';
import { engines } from '#tests/support/engines.ts';
import { until } from '#tests/support/until.ts';

/** Each waits for a second. */
const mostTries = 20;

/** All that the account has can be reserved by one call, and nothing beyond it. */
async function checkSpendable({ context, other, user, limited, unlimited }: Scene, where: string): Promise<void> {
  for (const token of [limited, unlimited]) {
    const isLimited = token === limited;
    const [record, tokenRecord] = [await other.db.collection('users').get(user.id), await other.db.collection('tokens').get(token.id)];
    if (record === null || tokenRecord === null) throw new Error('The accounts are gone');
    const amount = isLimited ? balanceOf(tokenRecord) : balanceOf(record);
    const request = { userId: user.id, token: { id: token.id, isLimited } };
    let result = await context.ledger.reserve({ ...request, amount });
    // Another process may hold it idle. On a busy machine that process may learn too late for a call that it should return it.
    for (let tries = 1; tries < mostTries && !('reservation' in result); tries += 1)
      result = await context.ledger.reserve({ ...request, amount });
    expect('reservation' in result, `${where}: ${amount} can be spent`).toBe(true);
    const beyond = await other.ledger.reserve({ ...request, amount: 1 });
    expect('reservation' in beyond, `${where}: and nothing beyond it`).toBe(false);
    if ('reservation' in result) context.ledger.release(result.reservation);
  }
}

async function checkNothingHeld({ other, user, limited }: Scene): Promise<void> {
  const isEmpty = (leases: Record<string, number> = {}) => Object.values(leases).every((lease) => lease === 0);
  await until(
    async () =>
      isEmpty((await other.db.collection('users').get(user.id))?.leases) &&
      isEmpty((await other.db.collection('tokens').get(limited.id))?.leases),
  );
}

/** The process works, and then gives back what it holds, because another one needs it. */
async function workAndReturn(scene: Scene, outcomes: Outcomes): Promise<void> {
  const { other, user, unlimited } = scene;
  await work(scene, outcomes);
  const record = await other.db.collection('users').get(user.id);
  const amount = record === null ? 0 : balanceOf(record);
  const result = await other.ledger.reserve({ userId: user.id, token: { id: unlimited.id, isLimited: false }, amount });
  if ('reservation' in result) other.ledger.release(result.reservation);
}

function openEntries({ other, user }: Scene): Promise<number> {
  return other.db.collection('ledger').count({ account: 'user', account_id: user.id, state: 'open' });
}

/** The books of all accounts. While one of them moves they are read again and again: once, when all are done, is enough. */
async function prove({ other }: Place): Promise<void> {
  expect((await audit(other.db)).findings).toEqual([]);
}

describe.each(engines)('a write whose outcome is not known on $kind', { concurrent: true }, (engine) => {
  describe.each(['before', 'after', 'late'] as const)('carried out: %s', (when) => {
    test.each([0, 3])('and %i more that fail after it', async (further) => {
      await onPlace(engine, async (place) => {
        const writes = await countWrites(place);
        const scenes: { scene: Scene; outcomes: Outcomes; at: number; where: string }[] = [];
        // A few more than that, because the process is requested to return money. Of several that fail every second one is the first.
        for (let at = 1; at <= writes + 4; at += further > 0 ? 2 : 1)
          scenes.push({ scene: await arrange(place), outcomes: new Map(), at, where: `write ${at} failed, carried out: ${when}` });
        await Promise.all(
          scenes.map(async ({ scene, outcomes, at, where }) => {
            scene.db.failAt(at, when, further);
            await workAndReturn(scene, outcomes);
            scene.db.failAt(Infinity, when);
            // Entries that were given up are applied or voided.
            await scene.context.ledger.recoverCrashed();
            await checkAccounts(scene, outcomes, where, true);
            expect(await openEntries(scene), where).toBe(0);
          }),
        );
        await prove(place);
        await Promise.all(scenes.map(({ scene, where }) => checkSpendable(scene, where)));
        await Promise.all(
          scenes.map(async ({ scene, outcomes, where }) => {
            await scene.db.deliver();
            await scene.context.ledger.recoverCrashed();
            await checkAccounts(scene, outcomes, `${where}, and all has arrived`, true);
          }),
        );
        await prove(place);
        await Promise.all(
          scenes.map(async ({ scene, where }) => {
            await checkSpendable(scene, `${where}, and all has arrived`);
            // Idle leases go back, also those whose content was in doubt.
            await checkNothingHeld(scene);
            await end(scene);
          }),
        );
        await prove(place);
      });
    });
  });
});
