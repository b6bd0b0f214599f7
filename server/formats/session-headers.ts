// Session and agent ids of a call, which agent clients send in headers or in the body. Headers are common to all formats and listed here;
// bodies are read by `ClientDialect.sessionIn`.

/** The client's ids, of bounded length and plain characters. */
export interface SessionIds {
  session: string;
  /** Empty for the main agent. */
  agent: string;
  /** Agent that called this one; empty for the main agent or none. */
  parent: string;
}

/** Matches a valid id, whose length is limited because it is stored with every call. */
const plainId = /^[\w.:@/+=~-]{1,128}$/;

interface SessionHeaders {
  session: string;
  agent?: string;
  parent?: string;
}

/** Headers by client. The first row whose session header is present applies. */
const sessionHeaders: readonly SessionHeaders[] = [
  // Claude Code, by its gateway guide.
  { session: 'x-claude-code-session-id', agent: 'x-claude-code-agent-id', parent: 'x-claude-code-parent-agent-id' },
  // OpenCode: a sub-agent has a session and sends its parent's too.
  { session: 'x-parent-session-id', agent: 'x-session-id' },
  // Codex: every agent is a thread; the first thread's id is the session's.
  { session: 'session-id', agent: 'thread-id', parent: 'x-codex-parent-thread-id' },
  // Earlier versions.
  { session: 'session_id' },
  { session: 'conversation_id' },
  { session: 'x-session-id' },
  { session: 'x-session-affinity' },
];

type Body = Readonly<Record<string, unknown>>;

/** Returns null if the call has no valid session id. */
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

/** Drops invalid ids, and the agent id of the main agent. */
function tidied({ session = '', agent = '', parent = '' }: Partial<SessionIds>): SessionIds | null {
  if (!isId(session)) return null;
  if (!isId(agent) || agent === session) return { session, agent: '', parent: '' };
  return { session, agent, parent: isId(parent) && parent !== session && parent !== agent ? parent : '' };
}

export function isId(value: unknown): value is string {
  return typeof value === 'string' && plainId.test(value);
}

/** Returns the first valid id. */
export function sessionNamed(...values: readonly unknown[]): Pick<SessionIds, 'session'> | null {
  const session = values.find(isId);
  return session === undefined ? null : { session };
}

/** Maximum length of a user field that is searched, above that of any client. */
const longestUser = 1_000;
const sessionAtEnd = /_session_([\w-]{1,128})$/;

/**
 * Reads the session that Claude Code sends in the user field: JSON with `session_id`, formerly `user_…_account_…_session_…`. A
 * plain user id is no session, because it never ends.
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

/** Reads the session in a request's metadata. */
export function sessionInMetadata(metadata: unknown): Pick<SessionIds, 'session'> | null {
  if (metadata === undefined || metadata === null) return null;
  const { session_id, conversation_id, thread_id, cursorConversationId } = fieldsOf(metadata);
  return sessionNamed(session_id, conversation_id, thread_id, cursorConversationId);
}

const noFields: Body = {};

export function fieldsOf(value: unknown): Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : noFields;
}
