import type { logApi } from '#shared/logs.ts';
import type { QueryOf, ReplyOf } from '#shared/contract.ts';
import type { AppContext } from '#server/context.ts';
import { sumCalls } from '#server/logs/sum-calls.ts';
import { callQuestion } from './log-filter.ts';
import type { TokenScope } from './token-scope.ts';

type StatContext = Pick<AppContext, 'db' | 'now'>;
type Query = Partial<QueryOf<typeof logApi.stat>> & TokenScope;

const recentSeconds = 60;

/**
 * What calls cost under the filters, and how many requests and tokens the last minute had under the same filters without
 * their time bounds. Always about consumption: the `type` of the query does not count.
 */
export async function sumLogs(context: StatContext, query: Query, userId?: number): Promise<ReplyOf<typeof logApi.stat>> {
  const question = await callQuestion(context, query, userId);
  if (question === null) return { quota: 0, rpm: 0, tpm: 0 };
  const { start_timestamp: start = 0, end_timestamp: end = 0 } = query;
  const since = Math.floor(context.now() / 1000) - recentSeconds;
  const [quota, recent] = await Promise.all([
    sumCalls(context.db, question, { start: Math.max(0, start), end: end > 0 ? end : Number.MAX_SAFE_INTEGER - 1 }),
    context.db.collection('logs').group({
      filter: { and: [...question.rows, { created_at: { gte: since } }] },
      by: [],
      sum: { prompt: 'prompt_tokens', completion: 'completion_tokens' },
    }),
  ]);
  return {
    quota,
    rpm: recent[0]?.count ?? 0,
    tpm: Number(recent[0]?.['prompt'] ?? 0) + Number(recent[0]?.['completion'] ?? 0),
  };
}
