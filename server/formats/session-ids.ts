// Which session of its client a call belongs to, and which agent in it: programs that work in many calls say so, in headers or in the
// body. Headers are the same in every format, so they stand here in one table; what a body says is the format's (`ClientDialect.sessionIn`).

/** Ids are the client's own, of bounded length and of plain characters. */
export interface SessionIds {
  session: string;
  /** Empty: the one that the user speaks to. */
  agent: string;
  /** The agent that called this one; empty: the first one did, or nobody. */
  parent: string;
}

/** Bounded: it is stored with every call. */
const plainId = /^[\w.:@/+=~-]{1,128}$/;

interface SessionHeaders {
  session: string;
  agent?: string;
  parent?: string;
}

/** The first row whose session header is there counts. Names as `Headers.get` takes them. */
const sessionHeaders: readonly SessionHeaders[] = [
  // Claude Code, as its guide for gateways says.
  { session: 'x-claude-code-session-id', agent: 'x-claude-code-agent-id', parent: 'x-claude-code-parent-agent-id' },
  // OpenCode: an agent that was called has a session of its own, and names the one that it serves.
  { session: 'x-parent-session-id', agent: 'x-session-id' },
  // Codex: every agent is a thread; the first one's id is the session's.
  { session: 'session-id', agent: 'thread-id', parent: 'x-codex-parent-thread-id' },
  // Earlier ones.
  { session: 'session_id' },
  { session: 'conversation_id' },
  { session: 'x-session-id' },
  { session: 'x-session-affinity' },
];

type Body = Readonly<Record<string, unknown>>;

/** Null: the call says nothing of a session, or nothing that is an id. */
export function sessionOfCall(
  { sessionIn }: { sessionIn?(body: Body): Partial<SessionIds> | null },
  headers: Pick<Headers, 'get'>,
  body: Body,
): SessionIds | null {
  for (const names of sessionHeaders) {
    const session = headers.get(names.session);
    if (session === null || !isId(session)) continue;
    return tidied({ session, agent: idIn(headers, names.agent), parent: idIn(headers, names.parent) });
  }
  const said = sessionIn?.(body) ?? null;
  return said === null ? null : tidied(said);
}

function idIn(headers: Pick<Headers, 'get'>, name: string | undefined): string {
  return (name === undefined ? null : headers.get(name)) ?? '';
}

/** Ids that are none count as not said, and the first agent has no id of its own. */
function tidied({ session = '', agent = '', parent = '' }: Partial<SessionIds>): SessionIds | null {
  if (!isId(session)) return null;
  if (!isId(agent) || agent === session) return { session, agent: '', parent: '' };
  return { session, agent, parent: isId(parent) && parent !== session && parent !== agent ? parent : '' };
}

export function isId(value: unknown): value is string {
  return typeof value === 'string' && plainId.test(value);
}

/** The first of those that is an id. */
export function sessionNamed(...values: readonly unknown[]): Pick<SessionIds, 'session'> | null {
  const session = values.find(isId);
  return session === undefined ? null : { session };
}

/** Longer than any that a client builds. */
const longestUser = 1_000;
const sessionAtEnd = /_session_([\w-]{1,128})$/;

/**
 * The session that Claude Code writes into what is meant to name a user: JSON with `session_id`, formerly
 * `user_…_account_…_session_…`. A user's plain name is no session: it goes on for ever.
 */
export function sessionInUser(user: unknown): Pick<SessionIds, 'session'> | null {
  if (typeof user !== 'string' || user.length > longestUser) return null;
  if (!user.startsWith('{')) return sessionNamed(sessionAtEnd.exec(user)?.[1]);
  try {
    return sessionInMetadata(JSON.parse(user));
  } catch {
    return null;
  }
}

/** What programs write as metadata of a request. */
export function sessionInMetadata(metadata: unknown): Pick<SessionIds, 'session'> | null {
  if (metadata === undefined || metadata === null) return null;
  const { session_id, conversation_id, thread_id, cursorConversationId } = fieldsOf(metadata);
  return sessionNamed(session_id, conversation_id, thread_id, cursorConversationId);
}

const noFields: Body = {};

export function fieldsOf(value: unknown): Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : noFields;
}
