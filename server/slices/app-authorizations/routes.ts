import { appAuthorizationApi } from '#shared/app-authorizations.ts';
import { presentMasked } from '#server/features/tokens/present-token.ts';
import { signedIn } from '#server/http/call.ts';
import { mount, type RouteHost } from '#server/http/mount.ts';
import { addressOfRequest } from '#server/settings/address-of-request.ts';
import { approveRequest } from './approve-request.ts';
import { decideDevice, openDevice } from './device-codes.ts';
import { mountOAuthServer } from './oauth-routes.ts';
import { mountSetupScripts } from './setup-scripts.ts';

/** More are not listed: a user has fewer tokens by default. */
const mostListed = 500;

export function mountAppAuthorizations(host: RouteHost): void {
  mountOAuthServer(host);
  mountSetupScripts(host);
  mount(host, appAuthorizationApi.list, async (call) => {
    const { user } = signedIn(call);
    const filter = { app_of: user.id, DeletedAt: null };
    const tokens = await call.context.db.collection('tokens').find(filter, { sort: [['id', -1]], limit: mostListed });
    return tokens.map((token) => presentMasked(call.context, token));
  });
  mount(host, appAuthorizationApi.approve, async (call) => {
    const { context, facts, body } = call;
    const issuer = addressOfRequest(context, facts);
    const userAgent = facts.headers.get('user-agent') ?? '';
    return { redirect_to: await approveRequest(context, signedIn(call), { ...body, issuer, ip: facts.ip, userAgent }) };
  });
  mount(host, appAuthorizationApi.openDevice, (call) => openDevice(call.context, signedIn(call), call.facts, call.body.user_code));
  mount(host, appAuthorizationApi.decideDevice, async (call) => {
    const { user_code: userCode, grant } = call.body;
    await decideDevice(call.context, signedIn(call), call.facts, { userCode, grant });
    return undefined;
  });
}
