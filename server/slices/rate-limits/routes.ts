import { rateLimitApi } from '#shared/rate-limit-states.ts';
import { mayInOrganisation } from '#shared/organisation-roles.ts';
import { Role } from '#shared/roles.ts';
import { limitedAccount } from '#server/accounts/limited-account.ts';
import { checkReading } from '#server/features/tokens/organisation-tokens.ts';
import { signedIn } from '#server/http/call.ts';
import { mount, type RouteHost } from '#server/http/mount.ts';

export function mountRateLimits(host: RouteHost): void {
  mount(host, rateLimitApi.state, async (call) => {
    const { context, query } = call;
    const caller = signedIn(call);
    const actor = caller.user;
    const { token, user, standing } = await limitedAccount(context, actor, query);
    if (user.id === actor.id) checkReading(caller, { token, member: standing?.member });
    const { rateLimits } = context;
    const group = token === null || token.group === '' ? user.group : token.group;
    const limits = rateLimits.allOf({ token, user, group, standing }, actor.role >= Role.admin);
    const readsAll = caller.membership == null || mayInOrganisation(caller.membership.member.role, 'usage');
    const counted = limits.counted.filter(({ scope, limit }) => {
      const isOfEachToken = 'counted' in limit && limit.counted === 'token';
      // Without a token, limits that count each token say nothing.
      if (isOfEachToken) return token !== null;
      return readsAll || scope === 'token' || scope === 'member';
    });
    return rateLimits.states({ ...limits, counted });
  });
}
