// What somebody filters logs by, as a filter of the store.
import { LogType } from '#shared/logs.ts';
import type { logApi } from '#shared/logs.ts';
import type { QueryOf } from '#shared/contract.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';

type Given = Partial<QueryOf<typeof logApi.stat>>;
type Field = 'user_id' | 'plain_type' | 'token_name' | 'model_name' | 'channel_id' | 'group';

/**
 * The rows that a query is about, without its time bounds; `null` when nothing can match. `userId` limits everything to
 * one user's rows.
 */
export async function logFilter({ db }: Pick<AppContext, 'db'>, query: Given, userId?: number): Promise<Filter[] | null> {
  // In the order of how few rows they usually leave.
  const equals: [field: Field, value: string | number][] = [];
  if (userId !== undefined) equals.push(['user_id', userId]);
  else if (query.username !== undefined) {
    // Rows are indexed by user id; names never change hands.
    const user = await db.collection('users').first({ username: query.username });
    if (user === null) return null;
    equals.push(['user_id', user.id]);
  }
  const isConsumption = query.type === LogType.consumption;
  if (query.type !== undefined && query.type !== 0 && !isConsumption) equals.push(['plain_type', query.type]);
  const isPattern = query.model_name?.includes('%') === true;
  if (query.model_name !== undefined && !isPattern) equals.push(['model_name', query.model_name]);
  if (query.token_name !== undefined) equals.push(['token_name', query.token_name]);
  if (userId === undefined && query.channel !== undefined && query.channel !== 0) equals.push(['channel_id', query.channel]);
  if (query.group !== undefined) equals.push(['group', query.group]);
  return [
    ...equals.map(([field, value], index) => (index === 0 ? { [field]: value } : sameAs(field, value))),
    ...(isPattern ? modelFilter(query.model_name ?? '') : []),
    ...(isConsumption ? [{ type: LogType.consumption }] : []),
    { hidden: { exists: false } },
  ];
}

/** The time bounds of a query, both inclusive; 0 means none. */
export function timeFilter({ start_timestamp: start, end_timestamp: end }: Given): Filter[] {
  return [
    ...(start !== undefined && start > 0 ? [{ created_at: { gte: start } }] : []),
    ...(end !== undefined && end > 0 ? [{ created_at: { lte: end } }] : []),
  ];
}

/**
 * Equality in a form that does not invite an engine to choose this field's index: without statistics SQLite takes all
 * equalities for equally good, and would rather read a hundred thousand rows of a group than a hundred of a user.
 */
function sameAs(field: Field, value: string | number): Filter {
  return { [field]: { gte: value, lte: value } };
}

/**
 * Names with `%` for anything: what stands before the first `%` is how the name begins, every other part occurs in it.
 * Nothing else is special.
 */
function modelFilter(pattern: string): Filter[] {
  const [prefix = '', ...parts] = pattern.split('%');
  return [
    ...(prefix === '' ? [] : [{ model_name: { startsWith: prefix } }]),
    ...parts.filter((part) => part !== '').map((part) => ({ model_name: { contains: part } })),
  ];
}
