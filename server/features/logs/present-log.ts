import type { Log } from '#shared/logs.ts';
import type { AppContext } from '#server/context.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import { callText } from './call-text.ts';
import { accountErrors } from '#server/exchange/failure-consequences.ts';

/** Presents rows for administrators. Deleted channels and users have no name, unless the row itself stores it. */
export async function presentForAdmin({ db }: Pick<AppContext, 'db'>, records: readonly LogRecord[]): Promise<Log[]> {
  const channelIds = distinct(records.map((record) => record.channel_id));
  const userIds = distinct(records.filter((record) => record.username === '').map((record) => record.user_id));
  const [channels, users] = await Promise.all([
    channelIds.length === 0 ? [] : db.collection('channels').find({ id: { in: channelIds } }),
    userIds.length === 0 ? [] : db.collection('users').find({ id: { in: userIds } }),
  ]);
  const channelNames = new Map(channels.map((channel) => [channel.id, channel.name]));
  const usernames = new Map(users.map((user) => [user.id, user.username]));
  return records.map((record) => ({
    ...present(record),
    username: record.username === '' ? (usernames.get(record.user_id) ?? '') : record.username,
    channel: record.channel_id,
    channel_name: channelNames.get(record.channel_id) ?? '',
    other: record.other === null ? '' : JSON.stringify(reportedOther(record, record.other)),
  }));
}

/**
 * Presents a row for its owner, without channels and the state of their accounts. "Incorrect API key" would read as if the user's own key were wrong.
 */
export function presentForOwner(record: LogRecord): Log {
  if (record.other === null) return present(record);
  const other = reportedOther(record, record.other);
  const { problem, ...stored } = other;
  if (typeof problem !== 'string' || !isAboutAccount(lastOf(other['attempts'])))
    return { ...present(record), other: JSON.stringify(withoutChannels(other)) };
  return { ...present(record), content: callText(record, '可能是上游出错'), other: JSON.stringify(withoutChannels(stored)) };
}

/** Adds the key by which the session of a call is requested. */
function reportedOther({ session_key: key }: LogRecord, other: Record<string, unknown>): Record<string, unknown> {
  const { session } = other;
  return key === undefined || typeof session !== 'object' ? other : { ...other, session: { ...session, key } };
}

function present(record: LogRecord): Log {
  return {
    id: record.id,
    user_id: record.user_id,
    created_at: record.created_at,
    type: record.type,
    content: record.content ?? callText(record),
    username: record.username,
    token_name: record.token_name,
    token_id: record.token_id,
    model_name: record.model_name,
    quota: record.quota,
    prompt_tokens: record.prompt_tokens,
    completion_tokens: record.completion_tokens,
    use_time: record.use_time,
    is_stream: record.is_stream,
    channel: 0,
    channel_name: '',
    group: record.group,
    request_id: record.request_id ?? '',
    other: '',
  };
}

function withoutChannels({ admin_info: _admin, attempts, ...stored }: Record<string, unknown>): Record<string, unknown> {
  const { refunds } = stored;
  const other = Array.isArray(refunds) ? { ...stored, refunds: refunds.map(withoutActor) } : stored;
  if (!Array.isArray(attempts)) return other;
  return { ...other, attempts: attempts.map(withoutChannel) };
}

function withoutActor(refund: unknown): unknown {
  if (typeof refund !== 'object' || refund === null) return refund;
  const { by: _by, ...stored } = { by: undefined, ...refund };
  return stored;
}

function withoutChannel(attempt: unknown): unknown {
  if (typeof attempt !== 'object' || attempt === null) return attempt;
  const { channel_name: _name, ...stored } = { channel_name: undefined, ...attempt };
  return { ...stored, channel: 0, ...(isAboutAccount(attempt) ? { error: 'bad_response_status_code' } : {}) };
}

/** Statuses with which upstreams refuse the channel: its key, its balance, its rights, its limits. */
const accountStatuses: ReadonlySet<unknown> = new Set([401, 402, 403, 429]);

function isAboutAccount(attempt: unknown): boolean {
  if (typeof attempt !== 'object' || attempt === null) return false;
  const { status, error } = { status: undefined, error: undefined, ...attempt };
  return error !== undefined && (accountStatuses.has(status) || accountErrors.has(String(error)));
}

function lastOf(attempts: unknown): unknown {
  return Array.isArray(attempts) ? attempts.at(-1) : undefined;
}

function distinct(ids: readonly number[]): number[] {
  return [...new Set(ids)].filter((id) => id !== 0);
}
