// Sessions of clients, those with the newest call first. Each filter has an index.
import type { CallSession, callSessionApi } from '#shared/call-sessions.ts';
import type { QueryOf } from '#shared/contract.ts';
import { fieldRules, invalidField } from '#shared/field-rules.ts';
import type { Page } from '#shared/paging.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter, Sort } from '#server/db/collection.ts';
import type { CallSessionRecord } from '#server/db/records/call-session.ts';
import { exactTotal, pageBounds, pageResponse } from '#server/http/paging.ts';
import type { TokenScope } from './token-scope.ts';

export type SessionContext = Pick<AppContext, 'db' | 'ledger'>;
export type SessionQuery = Partial<QueryOf<typeof callSessionApi.list> & QueryOf<typeof callSessionApi.listSelf>> & TokenScope;

export const lastFirst: Sort<CallSessionRecord> = [
  ['last_at', -1],
  ['id', -1],
];

const sessionId = /^\d{1,15}\.\d{1,15}\.[\w-]{22}$/;

/** `ownId`: that user's alone. */
export async function listCallSessions(context: SessionContext, query: SessionQuery, ownId?: number): Promise<Page<CallSession>> {
  const { db, ledger } = context;
  const bounds = pageBounds(query);
  const parts = await sessionFilter(context, query, ownId);
  if (parts === null) return pageResponse([], bounds, 0);
  const after = query.cursor === undefined ? [] : afterSession(query.cursor);
  const filter: Filter<CallSessionRecord> = { and: parts };
  const skip = query.cursor === undefined ? bounds.skip : 0;
  // Calls that have just ended are in.
  await ledger.sessionSettled();
  const sessions = db.collection('call_sessions');
  const [total, found] = await Promise.all([
    query.without_total === true ? skip : sessions.count(filter, exactTotal + 1),
    skip >= exactTotal ? [] : sessions.find({ and: [...parts, ...after] }, { sort: lastFirst, skip, limit: bounds.size + 1 }),
  ]);
  const items = found.slice(0, bounds.size).map(presentSession);
  const last = items.at(-1);
  const next = found.length > bounds.size && last !== undefined ? writeSessionCursor(last) : undefined;
  return pageResponse(items, bounds, query.without_total === true ? skip + items.length : total, next);
}

/** Null when nothing can match. */
export async function sessionFilter(
  { db }: Pick<AppContext, 'db'>,
  { session, token_name: tokenName, token_ids: tokens, username, start_timestamp: start = 0, end_timestamp: end = 0 }: SessionQuery,
  ownId?: number,
): Promise<Filter<CallSessionRecord>[] | null> {
  if (tokens?.length === 0) return null;
  const user = ownId === undefined && username !== undefined ? await db.collection('users').first({ username }) : undefined;
  if (user === null) return null;
  const userId = ownId ?? user?.id;
  const time: Filter<CallSessionRecord>[] = [
    ...(start > 0 ? [{ last_at: { gte: start } }] : []),
    ...(end > 0 ? [{ last_at: { lte: end } }] : []),
    ...(tokens === undefined ? [] : [{ token_id: { in: tokens } }]),
  ];
  const ofToken: Filter<CallSessionRecord>[] = tokenName === undefined ? [] : [{ token_name: tokenName }];
  if (session === undefined) return [{ listed: 1 }, ...(userId === undefined ? [] : [{ user_id: userId }]), ...ofToken, ...time];
  // One session, or the few that bear the same name: their index is the one to use.
  return [
    sessionId.test(session) ? { id: session } : { session },
    { listed: { unindexedEq: 1 } },
    ...(userId === undefined ? [] : [{ user_id: { unindexedEq: userId } }]),
    ...(tokenName === undefined ? [] : [{ token_name: { unindexedEq: tokenName } }]),
    ...time,
  ];
}

/** What is called so: our id, or the newest that bears the client's; null: none. */
export async function findSessionId({ db }: Pick<AppContext, 'db'>, session: string, userId?: number): Promise<string | null> {
  const parts = await sessionFilter({ db }, { session }, userId);
  const [found] = parts === null ? [] : await db.collection('call_sessions').find({ and: parts }, { sort: lastFirst, limit: 1 });
  return found?.id ?? null;
}

export function presentSession(record: CallSessionRecord): CallSession {
  return {
    id: record.id,
    session: record.session,
    user_id: record.user_id,
    username: record.username,
    token_id: record.token_id,
    token_name: record.token_name,
    client: record.client,
    models: Object.values(record.models).toSorted(),
    first_at: record.first_at,
    last_at: record.last_at,
    calls: record.calls,
    errors: record.errors,
    quota: record.quota,
    refunded: record.refunded ?? 0,
    prompt_tokens: record.prompt_tokens,
    completion_tokens: record.completion_tokens,
    cache_tokens: record.cache_tokens,
  };
}

function writeSessionCursor({ last_at: time, id }: Pick<CallSession, 'last_at' | 'id'>): string {
  return Buffer.from(`${time} ${id}`).toString('base64url');
}

/** What follows a cursor. @throws {AppError} `invalid_field` when it is not one of ours */
function afterSession(cursor: string): Filter<CallSessionRecord>[] {
  const [time, id, more] = Buffer.from(cursor, 'base64url').toString('latin1').split(' ');
  const at = /^\d{1,12}$/.test(time ?? '') ? Number(time) : undefined;
  if (at === undefined || id === undefined || !sessionId.test(id) || more !== undefined) throw invalidField('cursor', fieldRules.invalid);
  return afterLast({ last_at: at, id });
}

export function afterLast({ last_at: time, id }: Pick<CallSession, 'last_at' | 'id'>): Filter<CallSessionRecord>[] {
  return [{ last_at: { lte: time } }, { or: [{ last_at: { lt: time } }, { id: { lt: id } }] }];
}
