// Writes log rows other than charges, which the ledger writes together with their cost.
import { LogType } from '#shared/logs.ts';
import type { LogEvent } from '#shared/log-event.ts';
import type { AppContext } from '#server/context.ts';
import { UniqueConflict } from '#server/db/collection.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { storableRow } from '#server/money/settlement/storable-row.ts';

/** Content of a row; other fields are empty. */
export type LogEntry = Required<Pick<LogRecord, 'user_id' | 'username' | 'type' | 'content'>> &
  Partial<Omit<LogRecord, 'created_at' | 'plain_type' | 'process' | 'seq' | 'token_quota'>> & {
    /** Structured `content`, for clients that render it in another language. */
    event?: LogEvent;
    /** The administrator who acted on another user; visible to administrators only. */
    by?: Pick<UserRecord, 'username'>;
  };

/**
 * Writes a row without a charge, at the current time. With an `id` drawn before, it is written once, however often it
 * is retried.
 */
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
