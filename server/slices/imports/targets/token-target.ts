import type { TokenRecord } from '#server/db/records/token.ts';
import { emptyMoney } from '#server/money/account.ts';
import { added, type Target, type Verdict } from './target.ts';
import type { TokenDraft } from '../mapped-row.ts';

export const tokenTarget: Target<'token'> = {
  kind: 'token',
  account: 'token',
  references: ({ userRef }) => [{ kind: 'user', oldId: userRef }],
  async judge({ context }, rows, idOf) {
    const hashes = rows.map(({ draft }) => draft.key_hash);
    const taken = new Set((await context.db.collection('tokens').find({ key_hash: { in: hashes } })).map(({ key_hash: hash }) => hash));
    return rows.map((row): Verdict<TokenDraft> => {
      const { key_hash: hash, userRef } = row.draft;
      if (idOf('user', userRef) === 0) return { row, outcome: 'leave', note: { reason: 'owner_left_out', quota: row.money.amount } };
      if (taken.has(hash)) return { row, outcome: 'conflict', note: { reason: 'key_taken', quota: row.money.amount } };
      taken.add(hash);
      return added(row);
    });
  },
  insertion({ userRef, ...draft }, id, idOf) {
    const record: TokenRecord = {
      ...draft,
      id,
      user_id: idOf('user', userRef),
      // Credited through the ledger.
      remain_quota: 0,
      used_quota: 0,
      ...emptyMoney(),
    };
    return { insert: record, into: 'tokens', ignoreConflict: true };
  },
  existing: async ({ context }, ids) => new Set((await context.db.collection('tokens').find({ id: { in: ids } })).map(({ id }) => id)),
  nextIds: ({ context }, count) => context.db.nextIds('tokens', count),
  async announce({ context }, ids) {
    for (const id of ids) await context.changes.announce('token', id);
  },
};
