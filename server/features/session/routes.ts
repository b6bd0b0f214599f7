import { AppError } from '#shared/errors.ts';
import { registrationApi } from '#shared/registration.ts';
import { sessionApi } from '#shared/session.ts';
import { sessionsApi } from '#shared/sessions.ts';
import { checkHuman } from '#server/accounts/human-check.ts';
import { presentUser } from '#server/accounts/present-user.ts';
import { respond, signedIn } from '#server/http/call.ts';
import { mount, type RouteHost } from '#server/http/mount.ts';
import { isUnwanted } from '#server/http/same-origin.ts';
import { endSession, endSessionOf, endSessionsOf, startSession } from '#server/http/session.ts';
import { logIn } from './log-in.ts';
import { register } from './register.ts';

export function mountSession(host: RouteHost): void {
  mount(host, registrationApi.register, async (call) => {
    const { body, context, facts } = call;
    await checkHuman(call);
    const user = await register(context, body, facts);
    // Where passwords do not sign in, no session begins with one either.
    if (!context.settings.get('PasswordLoginEnabled')) return undefined;
    await endSession(context, facts);
    return respond(presentUser(user), { headers: { 'set-cookie': await startSession(context, user, facts) } });
  });
  mount(host, sessionApi.login, async (call) => {
    const { body, context, facts } = call;
    await checkHuman(call);
    const user = await logIn(context, body, facts);
    // A browser that signs in again leaves no session of the former user behind.
    await endSession(context, facts);
    return respond(presentUser(user), { headers: { 'set-cookie': await startSession(context, user, facts) } });
  });
  mount(host, sessionApi.logout, async ({ query, context, facts }) => {
    // A link on a foreign page carries the cookie, and so does a picture in a notice.
    if (isUnwanted(facts.headers)) throw new AppError('cross_site_refused');
    if (query.ago_ms === undefined) return respond(undefined, { headers: { 'set-cookie': await endSession(context, facts) } });
    // No cookie is set: the answer may come after that of a sign-in, whose cookie it would remove.
    await endSessionOf(context, facts, context.now() - query.ago_ms);
    return undefined;
  });
  mountSessions(host);
}

function mountSessions(host: RouteHost): void {
  mount(host, sessionsApi.list, async (call) => {
    const { user, sessionId } = signedIn(call);
    const filter = { user_id: user.id, expires_at: { gt: Math.floor(call.context.now() / 1000) } };
    const sessions = await call.context.db.collection('sessions').find(filter, { sort: [['created_at', -1]] });
    return sessions.map(({ id, created_at, seen_at, ip, user_agent }) => ({
      id,
      created_at,
      seen_at,
      ip,
      user_agent,
      is_current: id === sessionId,
    }));
  });
  mount(host, sessionsApi.end, async (call) => {
    const ended = await call.context.db.collection('sessions').remove({ id: call.params.session, user_id: signedIn(call).user.id });
    if (ended === 0) throw new AppError('not_found');
    return undefined;
  });
  mount(host, sessionsApi.endOthers, (call) => {
    const { user, sessionId } = signedIn(call);
    return endSessionsOf(call.context, user.id, sessionId);
  });
}
