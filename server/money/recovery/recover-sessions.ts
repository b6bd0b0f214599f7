// Adds a dead process's calls to the sums of their sessions, unless already added. The process may be alive and adding
// them itself: each session receives them once.
import { onField } from '#server/db/collection.ts';
import type { Database } from '#server/db/database.ts';
import type { CallSessionRecord } from '#server/db/records/call-session.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import {
  addToSession,
  beganAt,
  bySession,
  modelsOf,
  mostModels,
  newSession,
  type SessionRows,
} from '#server/money/settlement/session-writes.ts';

/** `rows`: counted rows of one process, in the order of their numbers. */
export async function recoverSessions(db: Database, rows: readonly LogRecord[]): Promise<void> {
  for (const session of bySession(rows)) await recoverSession(db, session);
}

async function recoverSession(db: Database, { id, process, rows }: SessionRows): Promise<void> {
  const field = `applied.${process}` as const;
  for (;;) {
    const record = await db.collection('call_sessions').get(id);
    const applied = record?.applied[process];
    const due: SessionRows = { id, process, rows: rows.filter(({ seq = 0 }) => seq > (applied ?? 0)) };
    if (due.rows.length === 0) return;
    const first = Math.min(...due.rows.map((row) => row.created_at));
    const models = modelsOf(due.rows).slice(0, mostModels);
    const [, isAdded] = await db.write([
      newSession(due),
      addToSession(due, { where: onField<CallSessionRecord, typeof field>(field, applied ?? { exists: false }), models }),
      beganAt(due, first),
    ]);
    if (isAdded === true) return;
  }
}
