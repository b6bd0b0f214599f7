// An opening of a lease is given up, and arrives when the lease has long been closed again: the money stays where it was.
import { expect, it } from 'vitest';
import { createLease } from '#server/money/leases/lease.ts';
import { LeaseMoves } from '#server/money/leases/lease-moves.ts';
import { buildUser } from '#tests/support/build.ts';
import { log, open } from '#tests/faults/bookkeeping.ts';
import { onEachEngine } from '#tests/support/engines.ts';
import { makeFreezable } from '#tests/support/freezable-database.ts';

const processId = 'p1';

onEachEngine('a late opening', (current) => {
  async function arrange() {
    const real = await current().open();
    const db = makeFreezable(real);
    const other = await open(await current().open());
    const user = { ...(await buildUser(other)), quota: 1_000 };
    await real.collection('users').insert(user);
    await other.close();
    const moves = new LeaseMoves({
      db,
      log,
      processId: () => processId,
      isAlive: () => Promise.resolve(true),
      onLost: () => Promise.reject(new Error('The identity is not lost')),
      lastSeq: () => 0,
    });
    const read = async () => {
      const record = await real.collection('users').get(user.id);
      if (record === null) throw new Error('The user is gone');
      return { quota: record.quota, leases: record.leases, fencingToken: record.fencing_tokens?.[processId] };
    };
    return { db, moves, id: user.id, read };
  }

  it('takes nothing once the lease was opened otherwise and closed', async () => {
    const { db, moves, id, read } = await arrange();
    const lease = createLease('user', id);
    db.failAt(1, 'late');
    await expect(moves.take(lease, 300)).rejects.toThrow();
    // Like a settlement, which repeats it without a check.
    await moves.open(lease);
    expect(await read()).toMatchObject({ quota: 1_000, leases: { [processId]: 0 } });
    expect(await moves.close(lease)).toBe(true);
    await db.deliver();
    expect(await read()).toMatchObject({ quota: 1_000, leases: {} });
  });

  it('takes nothing once the doubt was resolved, the money given back and the lease closed, and the account goes on', async () => {
    const { db, moves, id, read } = await arrange();
    const first = createLease('user', id);
    db.failAt(1, 'late');
    await moves.take(first, 300).catch((failure: unknown) => moves.doubt(first, failure));
    expect(await moves.readAgain(first)).toBe(true);
    expect(await moves.take(first, 200)).toBe(true);
    await moves.giveBack(first);
    expect(await moves.close(first)).toBe(true);

    // Used again much later: what is known of it is in the record only.
    const second = createLease('user', id);
    expect(await moves.take(second, 100)).toBe(false);
    expect(await moves.readAgain(second)).toBe(true);
    expect(await moves.take(second, 100)).toBe(true);
    expect(await read()).toMatchObject({ quota: 900, leases: { [processId]: 100 } });
    await moves.giveBack(second);
    expect(await moves.close(second)).toBe(true);

    await db.deliver();
    expect(await read()).toMatchObject({ quota: 1_000, leases: {} });
  });

  it('leaves nothing in the record of an account that was never in doubt', async () => {
    const { moves, id, read } = await arrange();
    const lease = createLease('user', id);
    expect(await moves.take(lease, 300)).toBe(true);
    await moves.giveBack(lease);
    expect(await moves.close(lease)).toBe(true);
    expect(await read()).toEqual({ quota: 1_000, leases: {}, fencingToken: undefined });
  });
});
