import { invitationApi } from '#shared/invitations.ts';
import { presentUser } from '#server/accounts/present-user.ts';
import type { AppContext } from '#server/context.ts';
import { respond, signedIn } from '#server/http/call.ts';
import { mount, type RouteHost } from '#server/http/mount.ts';
import { exactTotal, isBehind, pageBounds, pageResponse } from '#server/http/paging.ts';
import { endSession, startSession } from '#server/http/session.ts';
import { acceptInvitation, findInvitation } from './accept-invitation.ts';
import { checkLines } from './check-lines.ts';
import { canMail } from './invitation-links.ts';
import { invite } from './invite.ts';
import { presentInvitation } from './present-invitation.ts';
import { sendAgain, withdraw } from './tend-invitations.ts';

export function mountInvitations(host: RouteHost): void {
  mount(host, invitationApi.list, ({ context, query }) => listInvitations(context, query));
  mount(host, invitationApi.check, async ({ context, body }) => ({
    problems: await checkLines(context, body.lines, body.delivery),
    can_mail: canMail(context),
  }));
  mount(host, invitationApi.create, (call) =>
    invite(call.context, { actor: signedIn(call).user, language: call.facts.language }, call.body),
  );
  mount(host, invitationApi.send, async ({ context, params, body }) => {
    const { invitation, token } = await sendAgain(context, Number(params.id), body);
    return { invitation: presentInvitation(invitation, context.now()), ...(token === undefined ? {} : { token }) };
  });
  mount(host, invitationApi.withdraw, async ({ context, params }) =>
    presentInvitation(await withdraw(context, Number(params.id)), context.now()),
  );
  mount(host, invitationApi.open, async ({ context, body, facts }) => {
    const { username, quota, expires_at } = await findInvitation(context, facts, body.token);
    return { username, quota, expires_at };
  });
  mount(host, invitationApi.accept, async ({ context, body, facts }) => {
    const user = await acceptInvitation(context, facts, body);
    // Where passwords do not sign in, no session begins with one either.
    if (!context.settings.get('PasswordLoginEnabled')) return undefined;
    await endSession(context, facts);
    return respond(presentUser(user), { headers: { 'set-cookie': await startSession(context, user, facts) } });
  });
}

async function listInvitations({ db, now }: AppContext, query: Parameters<typeof pageBounds>[0]) {
  const bounds = pageBounds(query);
  const invitations = db.collection('invitations');
  const total = await invitations.count({}, exactTotal + 1);
  const { skip, size: limit } = bounds;
  const found = isBehind(skip, total) ? [] : await invitations.find({}, { sort: [['id', -1]], skip, limit });
  const shownAt = now();
  return pageResponse(
    found.map((invitation) => presentInvitation(invitation, shownAt)),
    bounds,
    total,
  );
}
