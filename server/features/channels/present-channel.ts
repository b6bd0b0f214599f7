import type { Channel } from '#shared/channels.ts';
import { commaList } from '#shared/comma-list.ts';
import type { Language } from '#shared/errors.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import { presentInfo, readReasonText } from '#server/exchange/status-reason.ts';

/** A channel for administrators: everything but the key, with what failed in the reader's language. */
export function presentChannel(record: ChannelRecord, language: Language): Channel {
  return {
    id: record.id,
    type: record.type,
    name: record.name,
    key: '',
    openai_organization: record.openai_organization,
    test_model: record.test_model,
    status: record.status,
    weight: record.weight,
    priority: record.priority,
    created_time: record.created_time,
    test_time: record.test_time,
    response_time: record.response_time,
    test_error: readReasonText(record.test_reason, record.test_error, language),
    tested_model: record.tested_model ?? '',
    base_url: record.base_url,
    other: record.other,
    balance: record.balance,
    balance_updated_time: record.balance_updated_time,
    balance_full: record.balance_full ?? 0,
    balance_error: readReasonText(record.balance_reason, record.balance_error, language),
    models: record.models,
    group: record.group,
    groups: commaList(record.group),
    used_quota: record.used_quota,
    model_mapping: record.model_mapping,
    status_code_mapping: record.status_code_mapping,
    setting: record.setting,
    param_override: record.param_override,
    other_info: presentInfo(record.other_info, language),
    auto_ban: record.auto_ban,
    tag: record.tag,
    remark: record.remark ?? '',
    max_input_tokens: record.max_input_tokens,
    revision: record.revision,
    ...(record.managed === undefined ? {} : { managed_by: record.managed.file, managed_left: record.managed.left }),
  };
}
