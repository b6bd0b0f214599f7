import { expect, it } from 'vitest';
import { AppError } from '#shared/errors.ts';
import { editRecord } from '#server/db/edit-record.ts';
import { createChangeFeed } from '#server/db/change-feed.ts';
import type { ChangeFeed } from '#server/db/changes.ts';
import type { Database } from '#server/db/database.ts';
import { onEachEngine } from '#tests/support/engines.ts';
import { tokenRecord, userRecord } from '#tests/contract/records.ts';

onEachEngine('editRecord', (current) => {
  const setUp = (): { db: Database; changes: ChangeFeed; received: string[] } => {
    const { db } = current();
    const changes = createChangeFeed({ db });
    const received: string[] = [];
    for (const kind of ['user', 'token', 'channel'] as const) changes.listen(kind, (key) => void received.push(`${kind}:${key}`));
    return { db, changes, received };
  };

  it('stores what the current record gives, moves the revision and announces it', async () => {
    const { db, changes, received } = setUp();
    await db.collection('users').insert(userRecord({ id: 1, display_name: 'a', aff_code: 'code' }));
    const edited = await editRecord({ db, changes }, 'users', {
      id: 1,
      revision: 1,
      change: ({ display_name }) => ({ set: { display_name: `${display_name}b`, group: undefined }, unset: ['aff_code'] }),
    });
    expect(edited?.before).toMatchObject({ display_name: 'a', revision: 1 });
    expect(edited?.after).toEqual(userRecord({ id: 1, display_name: 'ab', revision: 2 }));
    expect(await db.collection('users').get(1)).toEqual(edited?.after);
    expect(received).toEqual(['user:1']);
  });

  it('an edit based on another revision is answered with the current record, and nothing is stored or announced', async () => {
    const { db, changes, received } = setUp();
    await db.collection('users').insert(userRecord({ id: 1, revision: 5 }));
    const failure = await editRecord({ db, changes }, 'users', {
      id: 1,
      revision: 4,
      change: () => ({ set: { group: 'vip' } }),
      present: ({ revision }) => ({ revision }),
    }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AppError);
    expect(failure).toMatchObject({ code: 'revision_conflict', data: { revision: 5 } });
    expect(await db.collection('users').get(1)).toEqual(userRecord({ id: 1, revision: 5 }));
    expect(received).toEqual([]);
  });

  it('edits without a revision at the same time are all done, each on what the others left', async () => {
    const { db, changes, received } = setUp();
    await db.collection('tokens').insert(tokenRecord({ id: 1, name: '' }));
    const other = { db: await current().open(), changes };
    await Promise.all(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((letter, index) =>
        editRecord(index % 2 === 0 ? { db, changes } : other, 'tokens', {
          id: 1,
          change: ({ name }) => ({ set: { name: name + letter } }),
        }),
      ),
    );
    const stored = await db.collection('tokens').get(1);
    expect([...(stored?.name ?? '')].sort().join('')).toBe('abcdef');
    expect(stored?.revision).toBe(7);
    expect(received).toHaveLength(6);
  });

  it('two edits based on one revision: one is done, the other is in conflict', async () => {
    const { db, changes } = setUp();
    await db.collection('tokens').insert(tokenRecord({ id: 1 }));
    const edit = (name: string) => editRecord({ db, changes }, 'tokens', { id: 1, revision: 1, change: () => ({ set: { name } }) });
    const results = await Promise.allSettled([edit('one'), edit('two')]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect((await db.collection('tokens').get(1))?.revision).toBe(2);
  });

  it('a record that is not as it must be does not exist; one that needs no change keeps its revision', async () => {
    const { db, changes, received } = setUp();
    await db.collection('tokens').insert(tokenRecord({ id: 1, user_id: 7 }));
    const set = { name: 'taken' };
    expect(await editRecord({ db, changes }, 'tokens', { id: 1, where: { user_id: 8 }, change: () => ({ set }) })).toBeNull();
    expect(await editRecord({ db, changes }, 'tokens', { id: 2, change: () => ({ set }) })).toBeNull();
    const same = await editRecord({ db, changes }, 'tokens', { id: 1, change: () => null });
    expect(same?.after).toBe(same?.before);
    await expect(
      editRecord({ db, changes }, 'tokens', {
        id: 1,
        change() {
          throw new AppError('forbidden');
        },
      }),
    ).rejects.toMatchObject({ code: 'forbidden' });
    expect(await db.collection('tokens').get(1)).toMatchObject({ name: 'token', revision: 1 });
    expect(received).toEqual([]);
  });
});
