import { AppError } from '#shared/errors.ts';
import { foundLogs, type Log } from '#shared/logs.ts';
import type { AppContext } from '#server/context.ts';
import type { RequestFacts } from '#server/http/call.ts';
import { enforceSourceLimit } from '#server/http/rate-limit.ts';
import { findByKey, hasEnded } from '#server/tokens/find-by-key.ts';
import { bareKey, findByReadings, readingsOf } from '#server/tokens/key-readings.ts';
import { newestFirst } from './list-logs.ts';
import { presentForOwner } from './present-log.ts';

/** Stops guessing of keys; a page that shows a user their usage polls slowly. */
const limit = { count: 60, windowSeconds: 1_200 };

/** Returns the newest calls of the key in `Authorization`, or of `key` as existing pages send it; none for an unknown key. */
export async function listTokenLogs(context: AppContext, key: string | undefined, facts: RequestFacts): Promise<Log[]> {
  const { headers } = facts;
  await enforceSourceLimit(context, facts, { key: 'token-logs', ...limit });
  const given = headers.get('authorization') ?? key ?? '';
  const bare = bareKey(given);
  if (bare === '') throw new AppError('key_missing');
  const { db } = context;
  const found = await findByReadings(readingsOf(bare), (reading) => findByKey(context, reading));
  if (found === null) return [];
  if (hasEnded(found, context.now())) throw new AppError('key_replaced');
  const { token } = found;
  const owner = token.DeletedAt === null ? await db.collection('users').get(token.user_id) : null;
  if (owner === null || owner.DeletedAt !== null) throw new AppError('key_invalid');
  const rows = await db
    .collection('logs')
    .find(
      { and: [{ user_id: token.user_id, token_name: token.name }, { token_id: token.id }, { hidden: { exists: false } }] },
      { sort: newestFirst, limit: foundLogs },
    );
  return rows.map(presentForOwner);
}
