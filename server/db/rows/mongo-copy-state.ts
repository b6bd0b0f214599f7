// State of a move or restore in a MongoDB database, in a collection of its own: it exists before and after all others.
import type { Db } from 'mongodb';
import { type CopyState, parseCopyState } from '#server/db/rows/rows.ts';

interface StateRow {
  _id: string;
  value: string;
}

const stateId = 'copy';

export async function readCopyState(db: Db, prefix = ''): Promise<CopyState | null> {
  const row = await db.collection<StateRow>(`${prefix}copy_state`).findOne({ _id: stateId });
  return row === null ? null : parseCopyState(row.value);
}

export async function saveCopyState(db: Db, state: CopyState, prefix = ''): Promise<void> {
  await db
    .collection<StateRow>(`${prefix}copy_state`)
    .updateOne({ _id: stateId }, { $set: { value: JSON.stringify(state) } }, { upsert: true });
}

export async function removeCopyState(db: Db, prefix = ''): Promise<void> {
  await db.collection<StateRow>(`${prefix}copy_state`).deleteOne({ _id: stateId });
}
