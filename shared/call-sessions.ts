// Sessions of clients: the calls of one run of a program that says so (`server/formats/session-headers.ts`), with what they cost together.
import { z } from 'zod/mini';
import { endpoint } from '#shared/contract.ts';
import { exported, Log } from '#shared/logs.ts';
import { CursorQuery, pageOf } from '#shared/paging.ts';
import { QueryBoolean, QueryInt, QueryText } from '#shared/query-values.ts';

const sums = {
  calls: z.int(),
  /** Calls that did not end well. */
  errors: z.int(),
  /** What the calls cost, and what was given back of it since. */
  quota: z.int(),
  refunded: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  /** What of the prompts was read from caches. */
  cache_tokens: z.int(),
};

/** One session with the sums of its calls. The same id under another token is another session. */
export const CallSession = z.object({
  /** Ours; `session` is the client's own. */
  id: z.string(),
  session: z.string(),
  user_id: z.int(),
  username: z.string(),
  token_id: z.int(),
  token_name: z.string(),
  /** The program that called last, as it names itself: `claude-cli/2.1`. Empty: unknown. */
  client: z.string(),
  /** Some, of a session that called very many. */
  models: z.array(z.string()),
  /** When the first call and the last one began: unix seconds. */
  first_at: z.int(),
  last_at: z.int(),
  ...sums,
});
export type CallSession = z.infer<typeof CallSession>;

/** An agent within a session, with the sums of its own calls. */
export const SessionAgent = z.object({
  /** Empty: the first one, which the user speaks to. */
  agent: z.string(),
  /** Agent that called it; empty: the first agent, or none. */
  parent: z.string(),
  ...sums,
  /** Milliseconds that its calls took together. */
  duration_ms: z.int(),
});
export type SessionAgent = z.infer<typeof SessionAgent>;

/** A session that is opened. `calls`: a page of the newest, each names its agent in `other.session`. */
export const SessionTree = z.object({
  session: CallSession,
  /** Quota that a session of its token may cost, as it is now; 0: no bound. */
  budget: z.int(),
  /** Most expensive first. Null: the session has too many calls for sums by agent. */
  agents: z.nullable(z.array(SessionAgent)),
  /** Agents that are not in the list. */
  agents_left_out: z.int(),
  /** How many of its calls the log still has; null as `agents`. */
  calls_kept: z.nullable(z.int()),
  calls: z.array(Log),
  cursor: z.optional(z.string()),
});
export type SessionTree = z.infer<typeof SessionTree>;

/** Times are those of the last call. `session`: the client's id or ours, whole. */
const filters = { session: QueryText, start_timestamp: QueryInt, end_timestamp: QueryInt };
/** The last two as for `logApi`. */
const ownFilters = { ...filters, token_name: QueryText, member_id: QueryInt, team_id: QueryInt };
const adminFilters = { ...filters, username: QueryText };
const SessionParam = z.object({ session: z.string().check(z.regex(/^\d{1,15}\.\d{1,15}\.[\w-]{22}$/)) });
const TreeQuery = z.object({ cursor: QueryText });

export const callSessionApi = {
  list: endpoint('GET', '/api/log/sessions', {
    access: 'admin',
    query: z.extend(CursorQuery, { ...adminFilters, without_total: QueryBoolean }),
    reply: pageOf(CallSession),
    summary: 'Everybody’s sessions, those with the newest call first',
  }),
  listSelf: endpoint('GET', '/api/log/self/sessions', {
    access: 'user',
    organisation: 'member',
    query: z.extend(CursorQuery, { ...ownFilters, without_total: QueryBoolean }),
    reply: pageOf(CallSession),
    summary: 'Own sessions, those with the newest call first',
  }),
  read: endpoint('GET', '/api/log/sessions/:session', {
    access: 'admin',
    params: SessionParam,
    query: TreeQuery,
    reply: SessionTree,
    summary: 'Anybody’s session with its agents and calls',
  }),
  readSelf: endpoint('GET', '/api/log/self/sessions/:session', {
    access: 'user',
    organisation: 'member',
    params: SessionParam,
    query: TreeQuery,
    reply: SessionTree,
    summary: 'An own session with its agents and calls',
  }),
  exportAll: endpoint('GET', '/api/log/sessions/export', {
    access: 'admin',
    audit: { exempt: 'reads' },
    query: z.object({ ...adminFilters, ...exported }),
    changesState: true,
    summary: 'Everybody’s sessions as CSV or JSON lines',
  }),
  exportSelf: endpoint('GET', '/api/log/self/sessions/export', {
    access: 'user',
    organisation: 'member',
    audit: { exempt: 'reads' },
    query: z.object({ ...ownFilters, ...exported }),
    changesState: true,
    summary: 'Own sessions as CSV or JSON lines',
  }),
};
