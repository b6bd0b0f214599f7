// A row of LiteLLM's spend log. It charges nothing: balances hold its cost already.
import { LogType } from '#shared/logs.ts';
import { storableRow } from '#server/money/settlement/storable-row.ts';
import { type LogDraft, leftOut, type MappedRow } from '../mapped-row.ts';
import { integer, json, jsonObject, line, objectOf, text, trimmed } from '../sources/row-values.ts';
import type { SourceRow } from '../sources/source-database.ts';
import { dollars, quotaOf, utcMilliseconds } from './dollars.ts';

const longestName = 300;

export function mapSpendLog(row: SourceRow, { quotaPerUnit }: { quotaPerUnit: number }): MappedRow<LogDraft> {
  const oldId = text(row, 'request_id');
  const model = line(row, 'model_group', longestName) || line(row, 'model', longestName);
  const start = utcMilliseconds(row, 'startTime');
  const amount = quotaOf(dollars(row, 'spend') ?? 0, quotaPerUnit);
  if (start === undefined) return leftOut(oldId, oldId, { reason: 'unreadable', detail: 'startTime' }, { amount, used: 0 });
  const metadata = jsonObject(row, 'metadata') ?? {};
  const usage = objectOf(metadata['usage_object']) ?? {};
  const details = objectOf(usage['prompt_tokens_details']) ?? {};
  const isFailed = trimmed(row, 'status') === 'failure';
  const end = utcMilliseconds(row, 'endTime');
  const first = utcMilliseconds(row, 'completionStartTime');
  const duration = integer(row, 'request_duration_ms') || (end === undefined ? 0 : Math.max(0, end - start));
  const upstream = line(row, 'model', longestName);
  const error = objectOf(metadata['error_information']);
  const tags = json(row, 'request_tags');
  const endUser = line(row, 'end_user', 100);
  const other: Record<string, unknown> = {
    quota_per_unit: quotaPerUnit,
    duration_ms: duration,
    ...(first !== undefined && first > start ? { frt: first - start } : {}),
    ...(upstream !== '' && upstream !== model ? { is_model_mapped: true, upstream_model_name: upstream } : {}),
    ...(typeof details['cached_tokens'] === 'number' ? { cache_tokens: details['cached_tokens'] } : {}),
    ...(endUser === '' ? {} : { end_user: endUser }),
    ...(Array.isArray(tags) && tags.length > 0 ? { request_tags: tags.map(String).slice(0, 20) } : {}),
    ...(isFailed ? { ending: 'upstream_error', problem: typeof error?.['error_message'] === 'string' ? error['error_message'] : '' } : {}),
  };
  const key = trimmed(row, 'api_key').toLowerCase();
  const draft: LogDraft = {
    userRef: trimmed(row, 'user'),
    tokenRef: /^[0-9a-f]{64}$/.test(key) ? key : '',
    channelRef: trimmed(row, 'model_id'),
    created_at: Math.floor(start / 1000),
    type: LogType.consumption,
    username: line(row, 'user', longestName),
    token_name: typeof metadata['user_api_key_alias'] === 'string' ? metadata['user_api_key_alias'] : '',
    model_name: model,
    quota: amount,
    prompt_tokens: Math.max(0, integer(row, 'prompt_tokens')),
    completion_tokens: Math.max(0, integer(row, 'completion_tokens')),
    use_time: Math.round(duration / 1000),
    is_stream: false,
    group: 'default',
    other,
    request_id: oldId.slice(0, 100),
    ...(isFailed ? { failed: 1 as const } : {}),
  };
  return { oldId, name: model === '' ? oldId : model, notes: [], money: { amount, used: 0 }, draft: storableRow(draft) };
}
