// Moves quota between a person and an organisation: a record of the transfer, then two entries of the ledger under its name, then the end of the record.
// A transfer that was cut short is finished by a job, or by the same request made again. The sender gets it back if the recipient has ended meanwhile, or
// would have more than an account can have.
import { AppError } from '#shared/errors.ts';
import { fieldRules, invalidField } from '#shared/field-rules.ts';
import type { AppContext } from '#server/context.ts';
import { UniqueConflict } from '#server/db/collection.ts';
import { eachDue } from '#server/db/each-due.ts';
import type { OrganisationTransferRecord } from '#server/db/records/organisation.ts';
import { changeOnce } from '#server/money/change-once.ts';

type TransferContext = Pick<AppContext, 'db' | 'ledger' | 'now'>;

/** A transfer that is not done after this time was interrupted. */
const abandonedMs = 10_000;
const finishedAtOnce = 100;
/** Transfers that are done stay for so long, so that repetitions are recognised. */
const retentionMs = 30 * 86_400_000;

interface Transfer {
  from: number;
  to: number;
  /** Quota. */
  amount: number;
  actorId: number;
  ref: string;
}

/** @throws {AppError} `balance_too_small`, `balance_too_large`, `invalid_field` for the reference of another transfer; nothing is moved then */
export async function transferQuota(context: TransferContext, { ref, ...transfer }: Transfer): Promise<void> {
  const transfers = context.db.collection('organisation_transfers');
  const id = `${transfer.actorId}:${transfer.to}:${ref}`;
  const record: OrganisationTransferRecord = {
    id,
    from_id: transfer.from,
    to_id: transfer.to,
    amount: transfer.amount,
    actor_id: transfer.actorId,
    created_at: context.now(),
    due_at: context.now(),
  };
  try {
    await transfers.insert(record);
  } catch (failure) {
    if (!(failure instanceof UniqueConflict)) throw failure;
    const known = await transfers.get(id);
    if (known !== null && (known.from_id !== record.from_id || known.amount !== record.amount)) {
      throw invalidField('ref', fieldRules.anotherUse);
    }
    if (known === null || known.due_at === undefined) return;
    await finish(context, known);
    return;
  }
  await finish(context, record);
}

async function finish(
  { db, ledger }: TransferContext,
  { id, from_id, to_id, amount, actor_id: actorId }: OrganisationTransferRecord,
): Promise<void> {
  const transfers = db.collection('organisation_transfers');
  const entry = { account: 'user' as const, kind: 'organisation_transfer', actorId };
  try {
    await ledger.change({ ...entry, id: from_id, amount: -amount, ref: `organisation-transfer:${id}:out` });
  } catch (failure) {
    // Refused: there is nothing to finish.
    if (failure instanceof AppError && failure.status < 500) await transfers.remove({ id });
    throw failure;
  }
  const recipient = await db.collection('users').get(to_id);
  const hasEnded = recipient === null || recipient.DeletedAt !== null;
  // Both under one reference, so that concurrent attempts credit the amount once, also if one has read the recipient before its end.
  const credit = { ...entry, id: hasEnded ? from_id : to_id, amount, ref: `organisation-transfer:${id}:in` };
  if ((await changeOnce({ db, ledger }, credit)).state === 'refused') {
    await ledger.change({ ...entry, id: from_id, amount, ref: `organisation-transfer:${id}:back` });
    await transfers.remove({ id });
    throw new AppError('balance_too_large', {}, { field: 'amount' });
  }
  await transfers.patch({ id }, { unset: ['due_at'] });
}

/** Job: finishes transfers of processes that have died, and removes old ones. */
export async function finishOrganisationTransfers(context: TransferContext): Promise<number> {
  const transfers = context.db.collection('organisation_transfers');
  const before = context.now() - abandonedMs;
  const items = await transfers.find({ due_at: { lt: before } }, { sort: [['due_at', 1]], limit: finishedAtOnce });
  await eachDue({
    items,
    async work(record) {
      await finish(context, record).catch((failure: unknown) => {
        if (!(failure instanceof AppError) || failure.status >= 500) throw failure;
      });
      return true;
    },
    postpone: ({ id }) => transfers.patch({ id, due_at: { exists: true } }, { set: { due_at: context.now() } }),
  });
  await transfers.remove({ created_at: { lt: context.now() - retentionMs }, due_at: { exists: false } });
  return items.length;
}
