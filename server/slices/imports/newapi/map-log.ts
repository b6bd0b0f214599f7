// A row of the log of one-api and new-api. It charges nothing: balances hold its cost already.
import { LogType } from '#shared/logs.ts';
import { storableRow } from '#server/money/settlement/storable-row.ts';
import { leftOut, type LogDraft, type MappedRow } from '../mapped-row.ts';
import type { SourceRow } from '../sources/source-database.ts';
import { flag, integer, jsonObject, line, objectOf, quota, text } from '../sources/row-values.ts';

export interface LogMapping {
  program: 'one-api' | 'new-api';
}

const longestName = 300;
/** Members of `other` about the source's own plans and addresses, which mean nothing here. */
const dropped =
  /^(?:subscription_|billing_source$|wallet_quota_deducted$|expr_b64$|usage_semantic$|request_path$|request_conversion$|claude$|op$|audit_info$|user_agent$|login_method$|channel_name$|admin_info$|private_data$)/;

/** Types of the source: 5 is an error in new-api, and a test of a channel in one-api; 6 is a refund, 7 a sign-in. */
const failure = 5;
const refund = 6;
const signIn = 7;

export function mapLog(row: SourceRow, { program }: LogMapping): MappedRow<LogDraft> {
  const oldId = text(row, 'id');
  const type = integer(row, 'type');
  const model = line(row, 'model_name', longestName);
  const name = model === '' ? `#${oldId}` : model;
  const amount = quota(row, 'quota');
  const money = { amount: type === LogType.consumption ? amount : 0, used: 0 };
  if (type === signIn || type < LogType.topUp || type > signIn) return leftOut(oldId, name, { reason: 'log_kind' });
  const isFailed = program === 'new-api' && type === failure;
  const isRefund = program === 'new-api' && type === refund;
  const kind = isFailed ? LogType.consumption : isRefund ? LogType.system : program === 'one-api' && type === failure ? LogType.test : type;
  const isCall = kind === LogType.consumption || kind === LogType.test;
  const other = isCall ? callFacts(row, { program, isFailed }) : null;
  const requestId = line(row, 'request_id', 100);
  const content = text(row, 'content');
  const draft: LogDraft = {
    userRef: integer(row, 'user_id') > 0 ? text(row, 'user_id') : '',
    tokenRef: integer(row, 'token_id') > 0 ? text(row, 'token_id') : '',
    channelRef: integer(row, 'channel_id') > 0 ? text(row, 'channel_id') : '',
    created_at: Math.max(0, integer(row, 'created_at')),
    type: kind,
    ...(kind === LogType.consumption ? {} : { plain_type: kind }),
    ...(isCall ? {} : { content }),
    username: line(row, 'username', longestName),
    token_name: line(row, 'token_name', longestName),
    model_name: model,
    quota: isFailed || isRefund || kind === LogType.test ? 0 : amount,
    prompt_tokens: integer(row, 'prompt_tokens') + cachedInput(row),
    completion_tokens: integer(row, 'completion_tokens'),
    use_time: program === 'one-api' ? Math.round(integer(row, 'elapsed_time') / 1000) : integer(row, 'use_time'),
    is_stream: flag(row, 'is_stream'),
    group: line(row, 'group', 64),
    other,
    ...(requestId === '' ? {} : { request_id: requestId }),
    ...(isFailed ? { failed: 1 as const } : {}),
    ...(isRefund ? { refunded: amount } : {}),
  };
  return { oldId, name, notes: [], money, draft: storableRow(draft) };
}

/** Claude's rows count the cache apart; here it is a part of the input. */
function cachedInput(row: SourceRow): number {
  const other = jsonObject(row, 'other');
  if (other?.['usage_semantic'] !== 'anthropic') return 0;
  return count(other['cache_tokens']) + count(other['cache_creation_tokens']);
}

function callFacts(row: SourceRow, { program, isFailed }: LogMapping & { isFailed: boolean }): Record<string, unknown> | null {
  const facts: Record<string, unknown> = {};
  const other = jsonObject(row, 'other') ?? {};
  for (const [key, value] of Object.entries(other)) if (!dropped.test(key)) facts[key] = value;
  if (typeof facts['user_group_ratio'] === 'number' && facts['user_group_ratio'] >= 0) facts['group_ratio'] = facts['user_group_ratio'];
  delete facts['user_group_ratio'];
  if (typeof facts['frt'] === 'number' && facts['frt'] < 0) delete facts['frt'];
  // Prices by expression have no ratios: without them, the receipt shows the charge alone.
  if (facts['billing_mode'] === 'tiered_expr')
    for (const key of ['model_ratio', 'completion_ratio', 'cache_ratio', 'model_price']) delete facts[key];
  const admin = objectOf(other['admin_info']);
  if (Array.isArray(admin?.['use_channel'])) facts['admin_info'] = { use_channel: admin['use_channel'].map(String) };
  if (program === 'one-api') {
    const duration = integer(row, 'elapsed_time');
    if (duration > 0) facts['duration_ms'] = duration;
  }
  if (isFailed) {
    facts['problem'] = text(row, 'content');
    facts['ending'] = 'upstream_error';
  }
  return Object.keys(facts).length === 0 ? null : facts;
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}
