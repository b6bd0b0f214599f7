// Reads one session of a client with its agents, and its calls page by page. Its sums are stored; those of its agents are computed from its calls.
import type { SessionAgent, SessionTree } from '#shared/call-sessions.ts';
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter, GroupRequest, GroupRow } from '#server/db/collection.ts';
import type { CallSessionRecord } from '#server/db/records/call-session.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import { sessionCacheOf } from '#server/logs/rollup-cache.ts';
import { afterCursor, readCursor, writeCursor } from '#server/http/paging.ts';
import { presentSession, type SessionContext } from './list-call-sessions.ts';
import { newestFirst } from './list-logs.ts';
import { presentForAdmin } from './present-log.ts';
import { presentOwn } from './present-own.ts';
import type { TokenScope } from './token-scope.ts';

const callsAtOnce = 100;
/** Above this many calls agents are not summed: a client with a session of millions must not have it read repeatedly. */
const mostSummed = 20_000;
const mostAgents = 200;

interface SessionRequest extends TokenScope {
  id: string;
  cursor: string | undefined;
  /** Only when it is that user's. */
  ownId?: number;
}

/** @throws {AppError} `log_not_found`, also for a session of another user, and of another token than those of the scope */
export async function readCallSession(context: SessionContext, { id, cursor, ownId, ...scope }: SessionRequest): Promise<SessionTree> {
  const { db, ledger } = context;
  const after = cursor === undefined ? [] : afterCursor(readCursor(cursor));
  await ledger.sessionSettled(id);
  const record = await db.collection('call_sessions').get(id);
  if (record === null || record.listed !== 1 || (ownId !== undefined && record.user_id !== ownId)) throw new AppError('log_not_found');
  if (scope.token_ids?.includes(record.token_id) === false) throw new AppError('log_not_found');
  const ofSession: Filter<LogRecord>[] = [{ session_key: id }, { hidden: { exists: false } }];
  const [token, rows, summed] = await Promise.all([
    record.token_id === 0 ? null : db.collection('tokens').get(record.token_id),
    db.collection('logs').find({ and: [...ofSession, ...after] }, { sort: newestFirst, limit: callsAtOnce + 1 }),
    record.calls > mostSummed ? null : sumAgents(db, record, ofSession),
  ]);
  const calls = rows.slice(0, callsAtOnce);
  const last = calls.at(-1);
  return {
    session: presentSession(record),
    budget: token?.session_budget ?? 0,
    agents: summed?.slice(0, mostAgents) ?? null,
    agents_left_out: Math.max(0, (summed?.length ?? 0) - mostAgents),
    calls_kept: summed?.reduce((sum, agent) => sum + agent.calls, 0) ?? null,
    calls: ownId === undefined ? await presentForAdmin({ db }, calls) : await presentOwn({ db }, calls, scope),
    ...(rows.length > callsAtOnce && last !== undefined ? { cursor: writeCursor({ time: last.created_at, id: last.id }) } : {}),
  };
}

/** The calls of a session by their agents. They are the same rows as long as its record has no further ones and none were removed. */
async function callsByAgent(
  db: AppContext['db'],
  record: CallSessionRecord,
  ofSession: readonly Filter<LogRecord>[],
): Promise<readonly GroupRow[]> {
  const request: GroupRequest<LogRecord> = {
    filter: { and: [...ofSession] },
    by: [agentPath, parentPath, 'failed'],
    sum: {
      quota: 'quota',
      prompt_tokens: 'prompt_tokens',
      completion_tokens: 'completion_tokens',
      cache_tokens: 'other.cache_tokens',
      duration_ms: 'other.duration_ms',
    },
  };
  const closing = await db.collection('log_closings').get('head');
  // Rows are being removed.
  if (closing?.batch !== undefined) return db.collection('logs').group(request);
  const revision = JSON.stringify([record.applied, record.calls, closing?.last ?? 0]);
  return sessionCacheOf(db).ofSession(revision, request);
}

/** What costs most first. */
async function sumAgents(
  db: AppContext['db'],
  record: CallSessionRecord,
  ofSession: readonly Filter<LogRecord>[],
): Promise<SessionAgent[]> {
  const [rows, refunds] = await Promise.all([
    callsByAgent(db, record, ofSession),
    db.collection('logs').group({ filter: { refunded_session: record.id }, by: [agentPath], sum: { refunded: 'refunded' } }),
  ]);
  const agents = new Map<string, SessionAgent>();
  const agentOf = (row: GroupRow): SessionAgent => {
    const agent = text(row[agentPath]);
    const known = agents.get(agent) ?? emptyAgent(agent);
    agents.set(agent, known);
    return known;
  };
  for (const row of rows) {
    const agent = agentOf(row);
    if (agent.parent === '') agent.parent = text(row[parentPath]);
    agent.calls += row.count;
    if (row['failed'] === 1) agent.errors += row.count;
    for (const field of summedFields) agent[field] += Number(row[field] ?? 0);
  }
  for (const row of refunds) agentOf(row).refunded += Number(row['refunded'] ?? 0);
  return [...agents.values()]
    .map((agent) => ({ ...agent, duration_ms: Math.round(agent.duration_ms) }))
    .toSorted((one, other) => other.quota - one.quota || one.agent.localeCompare(other.agent));
}

const agentPath = 'other.session.agent';
const parentPath = 'other.session.parent';
const summedFields = ['quota', 'prompt_tokens', 'completion_tokens', 'cache_tokens', 'duration_ms'] as const;

function emptyAgent(agent: string): SessionAgent {
  const none = { calls: 0, errors: 0, quota: 0, refunded: 0, prompt_tokens: 0, completion_tokens: 0, cache_tokens: 0, duration_ms: 0 };
  return { agent, parent: '', ...none };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
