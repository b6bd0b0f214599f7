// The calls of existing clients: every hour and model with what it came to.
import { AppError } from '#shared/errors.ts';
import type { QueryOf } from '#shared/contract.ts';
import { type dashboardApi, longestUsageSeconds, type UsageHour } from '#shared/dashboard.ts';
import type { AppContext } from '#server/context.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { readUsage, readUsageState } from '#server/logs/read-usage.ts';
import { hourSeconds } from '#server/logs/rollup-shape.ts';

type Context = Pick<AppContext, 'db' | 'settings' | 'now'>;
type Query = Partial<QueryOf<typeof dashboardApi.hours>>;
type Whose = Pick<UserRecord, 'id' | 'username'>;

const monthSeconds = 30 * 86_400;

/** Of everybody, or of one user. */
export async function listHours(context: Context, query: Query): Promise<UsageHour[]> {
  if (query.username === undefined) return hoursOf(context, query, null);
  const user = await context.db.collection('users').first({ username: query.username });
  return user === null ? [] : hoursOf(context, query, user);
}

/** @throws {AppError} `data_span_too_long` */
export async function listOwnHours(context: Context, query: Query, user: Whose): Promise<UsageHour[]> {
  const { start_timestamp: start = 0, end_timestamp: end = 0 } = query;
  if (end - start > monthSeconds) throw new AppError('data_span_too_long');
  return hoursOf(context, query, user);
}

async function hoursOf({ db, settings, now }: Context, query: Query, user: Whose | null): Promise<UsageHour[]> {
  const { start_timestamp: start = 0, end_timestamp: requested = 0 } = query;
  if (!settings.get('DataExportEnabled')) return [];
  // Both bounds are inclusive, of the time at which an hour begins.
  const to = Math.floor(Math.min(requested, now() / 1000) / hourSeconds + 1) * hourSeconds;
  const from = Math.max(Math.ceil(start / hourSeconds) * hourSeconds, to - longestUsageSeconds);
  if (requested === 0 || from >= to) return [];
  const cells = await readUsage(db, await readUsageState(db), { kind: 'model', userId: user?.id, from, to });
  const rows = cells.map(({ start: hour, name, sums }, index) => ({
    id: user === null ? 0 : index + 1,
    user_id: user?.id ?? 0,
    username: user?.username ?? '',
    model_name: name,
    created_at: hour,
    token_used: sums.prompt_tokens + sums.completion_tokens,
    count: sums.calls,
    quota: sums.quota,
  }));
  return rows.toSorted((a, b) => a.created_at - b.created_at);
}
