// Log rows contain texts of callers, upstreams and administrators. Before writing, a row is reduced to values that
// every engine stores: a rejected row would be repeated for ever and block later ones (decision 19).
import type { LogRecord } from '#server/db/records/log.ts';
import { storable, type StorableLimits, storableText } from '#server/db/storable.ts';

/** More than any row needs. Every attempt of a call is an element. */
const limits: StorableLimits = { text: 4_200, total: 64_000, elements: 128, levels: 6 };
const longestName = 300;

export function storableRow<Row extends object>(row: Row): Row {
  return storable(row, limits);
}

/** Fields of a rejected row that the books need, and the caller and model. */
export function bareRow(row: LogRecord): LogRecord {
  const name = (text: string) => storableText(text, longestName).replaceAll(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, '');
  return {
    id: row.id,
    user_id: row.user_id,
    created_at: row.created_at,
    type: row.type,
    username: name(row.username),
    token_name: name(row.token_name),
    model_name: name(row.model_name),
    quota: row.quota,
    prompt_tokens: row.prompt_tokens,
    completion_tokens: row.completion_tokens,
    use_time: row.use_time,
    is_stream: row.is_stream,
    channel_id: row.channel_id,
    token_id: row.token_id,
    group: name(row.group),
    other: null,
    ...(row.request_id === undefined ? {} : { request_id: name(row.request_id) }),
    ...(row.process === undefined ? {} : { process: row.process }),
    ...(row.seq === undefined ? {} : { seq: row.seq }),
    ...(row.token_quota === undefined ? {} : { token_quota: row.token_quota }),
    ...(row.budgets === undefined ? {} : { budgets: row.budgets }),
    ...(row.failed === undefined ? {} : { failed: row.failed }),
    ...(row.hidden === undefined ? {} : { hidden: row.hidden }),
    ...(row.session_key === undefined ? {} : { session_key: row.session_key }),
  };
}
