// A reservation ends once, by a charge or by none, and leaves nothing behind: what it held can be spent by the next call.
import { expect, test } from 'vitest';
import { balanceOf } from '#server/money/account.ts';
import { audit } from '#server/money/audit.ts';
import type { Reservation } from '#server/money/leases/reservation.ts';
import { buildLog } from '#tests/support/build-log.ts';
import { arrange, end, onPlace, type Scene } from '#tests/faults/bookkeeping.ts';
import { engines } from '#tests/support/engines.ts';

const quota = 120;

async function reserve({ context, user, limited }: Scene, amount: number): Promise<Reservation> {
  const result = await context.ledger.reserve({ userId: user.id, token: { id: limited.id, isLimited: true }, amount });
  if (!('reservation' in result)) throw new Error(`${amount} cannot be reserved`);
  return result.reservation;
}

function settle({ context, user, limited }: Scene, reservation: Reservation): Promise<void> {
  const { id: _, ...row } = buildLog({ id: 0, user_id: user.id, token_id: limited.id, quota, prompt_tokens: 1 });
  return context.ledger.settle(reservation, row);
}

async function balances({ other, user, limited }: Scene) {
  const [userNow, tokenNow] = [await other.db.collection('users').get(user.id), await other.db.collection('tokens').get(limited.id)];
  if (userNow === null || tokenNow === null) throw new Error('The accounts are gone');
  return { user: balanceOf(userNow), token: balanceOf(tokenNow) };
}

const endings: { ending: string; charged: number; by: (scene: Scene, reservation: Reservation) => Promise<void> | void }[] = [
  {
    ending: 'settled twice at once',
    charged: quota,
    by: async (scene, reservation) => void (await Promise.all([settle(scene, reservation), settle(scene, reservation)])),
  },
  {
    ending: 'settled, and settled again later',
    charged: quota,
    by: async (scene, reservation) => {
      await settle(scene, reservation);
      await settle(scene, reservation);
    },
  },
  {
    ending: 'settled, then released',
    charged: quota,
    by: async (scene, reservation) => {
      await settle(scene, reservation);
      scene.context.ledger.release(reservation);
    },
  },
  {
    ending: 'released, then settled',
    charged: 0,
    by: async (scene, reservation) => {
      scene.context.ledger.release(reservation);
      await settle(scene, reservation);
    },
  },
  {
    ending: 'released twice',
    charged: 0,
    by: ({ context }, reservation) => {
      context.ledger.release(reservation);
      context.ledger.release(reservation);
    },
  },
];

async function check(scene: Scene, { ending, charged, by }: (typeof endings)[number]): Promise<void> {
  const before = await balances(scene);
  // All that the token has, so that nothing of it may stay behind.
  await by(scene, await reserve(scene, before.token));
  expect(await balances(scene), ending).toEqual({ user: before.user - charged, token: before.token - charged });
  expect(await scene.other.db.collection('logs').count({ user_id: scene.user.id }), ending).toBe(charged === 0 ? 0 : 1);
  const all = await reserve(scene, before.token - charged);
  const token = { id: scene.limited.id, isLimited: true };
  const beyond = await scene.context.ledger.reserve({ userId: scene.user.id, token, amount: 1 });
  expect('reservation' in beyond, `${ending}: nothing is there twice`).toBe(false);
  scene.context.ledger.release(all);
}

test.each(engines)('on $kind a reservation is charged once at most, and all that is left can be reserved', async (engine) => {
  await onPlace(engine, async (place) => {
    // At the same time: a call waits a second for money that is not there.
    const scenes = await Promise.all(endings.map(async (ending) => ({ ending, scene: await arrange(place) })));
    await Promise.all(scenes.map(({ ending, scene }) => check(scene, ending)));
    expect((await audit(place.other.db)).findings).toEqual([]);
    for (const { scene } of scenes) await end(scene);
  });
});
