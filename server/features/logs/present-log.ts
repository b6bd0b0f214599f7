import type { Log } from '#shared/logs.ts';
import type { AppContext } from '#server/context.ts';
import type { LogRecord } from '#server/db/collections.ts';

/** Rows for administrators. Channels and users that are gone have no name, unless the row itself kept it. */
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
    other: record.other === null ? '' : JSON.stringify(record.other),
  }));
}

/** A row for the user whose row it is: which channels there are is none of his business. */
export function presentForOwner(record: LogRecord): Log {
  return { ...present(record), other: record.other === null ? '' : JSON.stringify(withoutChannels(record.other)) };
}

function present(record: LogRecord): Log {
  return {
    id: record.id,
    user_id: record.user_id,
    created_at: record.created_at,
    type: record.type,
    content: record.content,
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

function withoutChannels({ admin_info: _admin, attempts, ...other }: Record<string, unknown>): Record<string, unknown> {
  if (!Array.isArray(attempts)) return other;
  return { ...other, attempts: attempts.map(withoutChannel) };
}

function withoutChannel(attempt: unknown): unknown {
  if (typeof attempt !== 'object' || attempt === null) return attempt;
  const { channel_name: _name, ...kept } = { channel_name: undefined, ...attempt };
  return { ...kept, channel: 0 };
}

function distinct(ids: readonly number[]): number[] {
  return [...new Set(ids)].filter((id) => id !== 0);
}
