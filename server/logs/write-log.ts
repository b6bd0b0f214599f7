// The plain log rows: everything but charges, which the ledger writes together with what they cost.
import { LogType } from '#shared/logs.ts';
import type { LogEvent } from '#shared/log-event.ts';
import type { AppContext } from '#server/context.ts';
import { UniqueConflict } from '#server/db/collection.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { storableRow } from '#server/money/settlement/storable-row.ts';

/** What a row is about; the rest is empty. */
export type LogEntry = Required<Pick<LogRecord, 'user_id' | 'username' | 'type' | 'content'>> &
  Partial<Omit<LogRecord, 'created_at' | 'plain_type' | 'process' | 'seq' | 'token_quota'>> & {
    /** What `content` says, for clients that say it in another language. */
    event?: LogEvent;
    /** The administrator who did it to somebody else: told to administrators only. */
    by?: UserRecord;
  };

/** Writes a row of now; never one that charges. With an `id` that was drawn before, the row is written once however often it is tried. */
export async function writeLog(context: Pick<AppContext, 'db' | 'now'>, { event, by, id, ...entry }: LogEntry): Promise<void> {
  const row: LogRecord = {
    token_name: '',
    model_name: '',
    quota: 0,
    prompt_tokens: 0,
    completion_tokens: 0,
    use_time: 0,
    is_stream: false,
    channel_id: 0,
    token_id: 0,
    group: '',
    other: null,
    ...entry,
    ...(event === undefined ? {} : { other: { ...entry.other, event, ...(by === undefined ? {} : { admin_info: { by: by.username } }) } }),
    ...(entry.type === LogType.consumption ? {} : { plain_type: entry.type }),
    id: id ?? (await context.db.nextId('logs')),
    created_at: Math.floor(context.now() / 1000),
  };
  try {
    await context.db.collection('logs').insert(storableRow(row));
  } catch (failure) {
    if (id === undefined || !(failure instanceof UniqueConflict)) throw failure;
  }
}
