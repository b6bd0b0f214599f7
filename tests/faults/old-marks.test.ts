// An entry that stayed open for days, because what its process left could not be settled, is applied once all the same.
import { describe, expect, test } from 'vitest';
import { balanceOf } from '#server/money/account.ts';
import { audit } from '#server/money/audit.ts';
import { finishOpenEntries, removeOldMarks } from '#server/money/ledger-entries.ts';
import { engines } from '#tests/support/engines.ts';
import { createTestApp } from '#tests/support/test-app.ts';

describe.each(engines)('old marks on $kind', (engine) => {
  test('those of open entries stay, the others go', async () => {
    await using app = await createTestApp(engine);
    await app.setup();
    const { db, ledger, now } = app.context;
    const user = await app.createUser({ quota: 1000 });
    const credit = (ref: string, amount: number) => ledger.change({ account: 'user', id: user.id, ref, kind: 'edit', actorId: 1, amount });
    await credit('done', 30);
    await credit('crashed', 500);
    // Applied, and then its process was gone before it said so.
    const entry = await db.collection('ledger').patch({ ref: 'crashed' }, { set: { state: 'open', process: 'gone' } });
    const { marks } = (await db.collection('users').get(user.id)) ?? { marks: {} };
    await db
      .collection('users')
      .patch({ id: user.id }, { set: { marks: Object.fromEntries(Object.keys(marks).map((mark) => [mark, 1])) } });
    expect(Object.keys(marks).length).toBeGreaterThan(1);

    await removeOldMarks({ db, now });
    expect(Object.keys((await db.collection('users').get(user.id))?.marks ?? {})).toEqual([`e${entry?.id}`]);
    await finishOpenEntries({ db, now }, 'gone');
    const after = await db.collection('users').get(user.id);
    expect(after && balanceOf(after)).toBe(1530);
    expect(await db.collection('ledger').first({ ref: 'crashed' })).toMatchObject({ state: 'done' });
    await removeOldMarks({ db, now });
    expect((await db.collection('users').get(user.id))?.marks).toEqual({});
    expect((await audit(db)).findings).toEqual([]);
  });
});
