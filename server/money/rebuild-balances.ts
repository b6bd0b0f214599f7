// Computes every balance from the ledger and the log, for a restored backup whose records are not of one moment. No server
// uses the database.
import { accountKinds, changeAccount, eachAccount, openedOf, quotaOf, spendsOf } from '#server/money/account.ts';
import { closeRows, type ClosingContext } from '#server/money/log-closing.ts';

/** Returns the number of accounts whose balance was of another moment than the books. */
export async function rebuildBalances(context: ClosingContext): Promise<number> {
  const { db } = context;
  // A batch of deleted rows that was in progress is finished: until then its sums are in neither book.
  await closeRows(context, 0, () => false);
  // What an open entry would have changed is requested again by the work that wrote it.
  await db.collection('ledger').patchAll({ state: 'open' }, { set: { state: 'void', abandoned: true } });
  let count = 0;
  for (const kind of accountKinds) {
    const entries = await db
      .collection('ledger')
      .group({ filter: { account: kind, state: 'done' }, by: ['account_id'], sum: { sum: 'amount', used: 'used' } });
    const credits = new Map(entries.map((row) => [Number(row['account_id']), row]));
    const spends = await spendsOf(db, kind);
    for await (const record of eachAccount(db, kind)) {
      const [credit, spend] = [credits.get(record.id), spends.get(record.id)];
      const balance = openedOf(record) + Number(credit?.['sum'] ?? 0) - (spend?.charge ?? 0);
      const used = Number(credit?.['used'] ?? 0) + (spend?.used ?? 0);
      if (quotaOf(record) !== balance || record.used_quota !== used) count += 1;
      await changeAccount(
        db,
        { kind, id: record.id },
        {
          set: { leases: {}, applied: {}, marks: {} },
          unset: ['fencing_tokens'],
          add: balance - quotaOf(record),
          spending: { charge: 0, used: used - record.used_quota, calls: 0 },
        },
      );
    }
  }
  return count;
}
