import type { LogRecord } from '#server/db/records/log.ts';

/** A row of a call as settlements write them, not yet stored. */
export function buildLog(fields: Partial<LogRecord> & Pick<LogRecord, 'id' | 'user_id'>): LogRecord {
  return {
    created_at: 1_768_464_000,
    type: 2,
    username: `user${fields.user_id}`,
    token_name: 'key',
    model_name: 'gpt-4o-mini',
    quota: 0,
    prompt_tokens: 0,
    completion_tokens: 0,
    use_time: 0,
    is_stream: false,
    channel_id: 0,
    token_id: 0,
    group: 'default',
    other: null,
    ...fields,
  };
}
