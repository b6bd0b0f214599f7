import { AppError } from '#shared/errors.ts';
import { sessionApi } from '#shared/session.ts';
import { checkHuman } from '#server/accounts/human-check.ts';
import { presentUser } from '#server/accounts/present-user.ts';
import { answer } from '#server/http/call.ts';
import { mount } from '#server/http/mount.ts';
import type { RouteHost } from '#server/http/mount.ts';
import { endSession, endSessionOf, startSession } from '#server/http/session.ts';
import { logIn } from './log-in.ts';
import { register } from './register.ts';

export function mountSession(host: RouteHost): void {
  mount(host, sessionApi.register, async (call) => {
    const { body, context, facts } = call;
    await checkHuman(call);
    await register(context, body, facts.ip);
    return undefined;
  });
  mount(host, sessionApi.login, async (call) => {
    const { body, context, facts } = call;
    await checkHuman(call);
    const user = await logIn(context, body, facts.ip);
    // A browser that signs in again leaves no session of the former user behind.
    await endSession(context, facts);
    return answer(presentUser(user), { headers: { 'set-cookie': await startSession(context, user, facts) } });
  });
  mount(host, sessionApi.logout, async ({ query, context, facts }) => {
    // A link on a foreign page carries the cookie. Clients that are no browser send no such header.
    if (facts.headers.get('sec-fetch-site') === 'cross-site') throw new AppError('cross_site_refused');
    if (query.ago_ms === undefined) return answer(undefined, { headers: { 'set-cookie': await endSession(context, facts) } });
    // No cookie is set: the answer may come after that of a sign-in, whose cookie it would remove.
    await endSessionOf(context, facts, context.now() - query.ago_ms);
    return undefined;
  });
}
