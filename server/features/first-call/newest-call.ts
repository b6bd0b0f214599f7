import { z } from 'zod';
import type { GuidedCall } from '#shared/first-call.ts';
import { Attempt, LogType } from '#shared/logs.ts';
import type { AppContext } from '#server/context.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { TokenRecord } from '#server/db/records/token.ts';

/** Rows that are looked at: tests of channels and top-ups are among them, and they are no calls. */
const looked = 30;

/**
 * The newest call of that user that has a row. Which channels there are, and what providers say, is for administrators.
 * @param token by which alone it may be; undefined: any of the user's
 */
export async function newestCall(
  { db }: Pick<AppContext, 'db'>,
  { userId, isAdmin, token }: { userId: number; isAdmin: boolean; token: Pick<TokenRecord, 'id' | 'name'> | undefined },
): Promise<GuidedCall | null> {
  const rows = await db.collection('logs').find(
    // The index knows names.
    token === undefined ? { user_id: userId } : { user_id: userId, token_name: token.name },
    {
      sort: [
        ['created_at', -1],
        ['id', -1],
      ],
      limit: looked,
    },
  );
  const isByToken = ({ token_id: id }: LogRecord) => (token === undefined ? id !== 0 : id === token.id);
  const row = rows.find((one) => one.type === LogType.consumption && isByToken(one) && one.hidden !== true);
  return row === undefined ? null : presentCall(row, isAdmin);
}

function presentCall(row: LogRecord, isAdmin: boolean): GuidedCall {
  const other = row.other ?? {};
  const attempts = z.array(Attempt).safeParse(other['attempts']).data ?? [];
  const last = attempts.at(-1);
  const isAnswered = row.prompt_tokens + row.completion_tokens > 0;
  return {
    log_id: row.id,
    request_id: row.request_id ?? '',
    at: row.created_at,
    model: row.model_name,
    token_name: row.token_name,
    is_answered: isAnswered || other['ending'] === undefined,
    quota: row.quota,
    first_byte_ms: numberOf(other['frt']),
    duration_ms: numberOf(other['duration_ms']) ?? row.use_time * 1000,
    channel: isAdmin && last !== undefined ? { id: last.channel, name: last.channel_name ?? '' } : null,
    status: last?.status ?? 0,
    problem: isAdmin && typeof other['problem'] === 'string' ? other['problem'] : '',
  };
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 ? value : null;
}
