import { LogType } from '#shared/logs.ts';
import type { logApi } from '#shared/logs.ts';
import type { QueryOf, ReplyOf } from '#shared/contract.ts';
import type { AppContext } from '#server/context.ts';
import { logFilter, timeFilter } from './log-filter.ts';

type Query = Partial<QueryOf<typeof logApi.stat>>;

const recentSeconds = 60;

/**
 * What calls cost under the filters, and how many requests and tokens the last minute had under the same filters without
 * their time bounds. Always about consumption: the `type` of the query does not count.
 */
export async function sumLogs(context: AppContext, query: Query, userId?: number): Promise<ReplyOf<typeof logApi.stat>> {
  const parts = await logFilter(context, { ...query, type: LogType.consumption }, userId);
  if (parts === null) return { quota: 0, rpm: 0, tpm: 0 };
  const logs = context.db.collection('logs');
  const since = Math.floor(context.now() / 1000) - recentSeconds;
  const [whole, recent] = await Promise.all([
    logs.group({ filter: { and: [...parts, ...timeFilter(query)] }, by: [], sum: { quota: 'quota' } }),
    logs.group({
      filter: { and: [...parts, { created_at: { gte: since } }] },
      by: [],
      sum: { prompt: 'prompt_tokens', completion: 'completion_tokens' },
    }),
  ]);
  return {
    quota: Number(whole[0]?.['quota'] ?? 0),
    rpm: recent[0]?.count ?? 0,
    tpm: Number(recent[0]?.['prompt'] ?? 0) + Number(recent[0]?.['completion'] ?? 0),
  };
}
