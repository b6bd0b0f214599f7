// Identifies callers by session cookie or access token. The account is read each time, so a ban, demotion or deletion
// applies at once.
import { AppError } from '#shared/errors.ts';
import { Role } from '#shared/roles.ts';
import { UserStatus } from '#shared/user.ts';
import type { Endpoint } from '#shared/contract.ts';
import { actingAs, currentActor } from '#server/audit-log/actor.ts';
import { recordingAudit } from '#server/audit-log/entries.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import type { SessionRecord } from '#server/db/records/session.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import type { Caller, RequestFacts } from '#server/http/call.ts';
import { onBehalf } from '#server/http/membership.ts';
import { isSameOrigin } from '#server/http/same-origin.ts';

const cookieName = 'session';
/** 43 characters of 62: 256 random bits. */
const cookieLength = 43;
const lifetimeSeconds = 30 * 24 * 3600;
/** Maximum sessions of a user; beyond it, those unused for longest end. */
const mostSessions = 50;
/** Minimum interval between updates of a session's last use. */
const noteAfterSeconds = 300;
/** Age from which a session is renewed and its cookie sent again. */
const renewAfterSeconds = 24 * 3600;

/**
 * Returns the caller of an endpoint.
 * @throws {AppError} if there is none, or credentials are invalid, unless access is optional
 */
export async function identify(context: AppContext, facts: RequestFacts, endpoint: Endpoint): Promise<Caller | null> {
  const session = await readSession(context, facts);
  if (endpoint.access === 'optional') return session !== null && session.user.status === UserStatus.active ? session : null;
  const caller = session ?? (await readAccessToken(context, facts));
  checkUserHeader(facts, endpoint, caller.user.id);
  if (caller.user.status !== UserStatus.active) throw new AppError('user_banned');
  return onBehalf(context, caller, { facts, endpoint });
}

/**
 * Creates a session and returns its cookie. `user`: the record at the time of the credential check. Sign-ins of
 * administrators are recorded in the audit log.
 * @throws {AppError} `session_not_saved` if the credentials have changed since
 */
export async function startSession(context: AppContext, user: UserRecord, facts: RequestFacts): Promise<string> {
  if (user.role < Role.admin) return createSession(context, user, facts);
  const { id, username: name, role } = user;
  const input = { kind: 'sign_in', action: 'signed_in', id, name, rank: role } as const;
  return actingAs({ ...currentActor(), user: { id, name, role }, by: 'session' }, () =>
    recordingAudit(context, { input }, () => createSession(context, user, facts)),
  );
}

async function createSession(context: AppContext, user: UserRecord, facts: RequestFacts): Promise<string> {
  const value = context.randomText(cookieLength);
  const created = context.now();
  const now = Math.floor(created / 1000);
  const sessions = context.db.collection('sessions');
  const id = context.secrets.hash(value);
  await sessions.insert({
    id,
    user_id: user.id,
    created_at: now,
    created_ms: created,
    seen_at: now,
    expires_at: now + lifetimeSeconds,
    ip: facts.ip,
    user_agent: (facts.headers.get('user-agent') ?? '').slice(0, 300),
  });
  // A ban or a new password ends existing sessions; it may have preceded this one.
  const current = await context.db.collection('users').get(user.id);
  if (current === null || !isUnchanged(user, current)) {
    await sessions.remove({ id });
    throw new AppError('session_not_saved');
  }
  const surplus = await sessions.find({ user_id: user.id }, { sort: [['seen_at', -1]], skip: mostSessions });
  if (surplus.length > 0) await sessions.remove({ id: { in: surplus.map((session) => session.id) } });
  return cookie(context, value, { maxAge: lifetimeSeconds, facts });
}

/** Ends the session of this request, if any, and returns the cookie that removes it. */
export async function endSession(context: AppContext, facts: RequestFacts): Promise<string> {
  const value = cookieValue(facts.headers.get('cookie'));
  if (value !== null) await context.db.collection('sessions').remove({ id: context.secrets.hash(value) });
  return cookie(context, '', { maxAge: 0, facts });
}

/** Ends the session of this request if it existed at `time`, milliseconds since 1970. */
export async function endSessionOf(context: AppContext, facts: RequestFacts, time: number): Promise<void> {
  const value = cookieValue(facts.headers.get('cookie'));
  if (value === null) return;
  const sessions = context.db.collection('sessions');
  const session = await sessions.get(context.secrets.hash(value));
  if (session === null || (session.created_ms ?? session.created_at * 1000) > time) return;
  await sessions.remove({ id: session.id });
}

/** Ends all sessions of a user, or all but one; returns their number. */
export async function endSessionsOf(context: AppContext, userId: number, exceptSessionId: string | null = null): Promise<number> {
  const filter: Filter<SessionRecord> = exceptSessionId === null ? { user_id: userId } : { user_id: userId, id: { ne: exceptSessionId } };
  return context.db.collection('sessions').remove(filter);
}

/** Removes expired sessions; run periodically. */
export async function sweepSessions(context: AppContext): Promise<number> {
  return context.db.collection('sessions').remove({ expires_at: { lt: Math.floor(context.now() / 1000) } });
}

function isUnchanged(before: UserRecord, now: UserRecord): boolean {
  return now.DeletedAt === null && now.status === before.status && now.password_hash === before.password_hash;
}

async function readSession(context: AppContext, facts: RequestFacts): Promise<Caller | null> {
  const value = cookieValue(facts.headers.get('cookie'));
  if (value === null) return null;
  const session = await context.db.collection('sessions').get(context.secrets.hash(value));
  const now = Math.floor(context.now() / 1000);
  if (session === null || session.expires_at <= now) return null;
  const user = await context.db.collection('users').get(session.user_id);
  if (user === null || user.DeletedAt !== null) return null;
  const setCookie = await renew(context, session, facts, value);
  return { user, sessionId: session.id, ...(setCookie === null ? {} : { setCookie }) };
}

async function renew(context: AppContext, session: SessionRecord, facts: RequestFacts, value: string): Promise<string | null> {
  const now = Math.floor(context.now() / 1000);
  if (now - session.seen_at < noteAfterSeconds) return null;
  const prolonged = now + lifetimeSeconds;
  const isRenewed = prolonged - session.expires_at >= renewAfterSeconds;
  const patched = await context.db
    .collection('sessions')
    .patch({ id: session.id }, { set: { seen_at: now, ip: facts.ip, ...(isRenewed ? { expires_at: prolonged } : {}) } });
  return patched !== null && isRenewed ? cookie(context, value, { maxAge: lifetimeSeconds, facts }) : null;
}

async function readAccessToken(context: AppContext, facts: RequestFacts): Promise<Caller> {
  const token = (facts.headers.get('authorization') ?? '').replace('Bearer ', '').trim();
  if (token === '') throw new AppError('not_logged_in');
  const user = await context.db.collection('users').first({ access_token_hash: context.secrets.hash(token) });
  if (user === null || user.DeletedAt !== null) throw new AppError('access_token_invalid');
  const roles: readonly number[] = Object.values(Role);
  if (user.username.trim() === '' || !roles.includes(user.role)) throw new AppError('user_info_invalid');
  return { user, sessionId: null };
}

/**
 * A foreign page can make a browser send the cookie but not this header. Redirecting widgets cannot send it either:
 * GETs that change something accept fetch metadata of our own page instead, except for embedded images, whose URL may
 * be another user's.
 */
function checkUserHeader(facts: RequestFacts, endpoint: Endpoint, userId: number): void {
  const header = facts.headers.get('new-api-user');
  if (header === null || header === '') {
    if (endpoint.changesState === true && isSameOrigin(facts.headers)) return;
    throw new AppError('user_header_missing');
  }
  if (!/^-?\d{1,15}$/.test(header)) throw new AppError('user_header_malformed');
  if (Number(header) !== userId) throw new AppError('user_header_mismatch');
}

function cookieValue(header: string | null): string | null {
  if (header === null) return null;
  for (const part of header.split(';')) {
    const [name, value] = part.trim().split('=', 2);
    if (name === cookieName && value !== undefined && /^[0-9A-Za-z]{43}$/.test(value)) return value;
  }
  return null;
}

/** Sites below other paths of the host do not get it. */
function cookie({ env }: AppContext, value: string, { maxAge, facts }: { maxAge: number; facts: RequestFacts }): string {
  const path = env.BASE_PATH === '' ? '/' : env.BASE_PATH;
  return `${cookieName}=${value}; Path=${path}; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${facts.isSecure ? '; Secure' : ''}`;
}
