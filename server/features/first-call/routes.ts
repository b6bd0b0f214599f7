import { firstCallApi } from '#shared/first-call.ts';
import { Role } from '#shared/roles.ts';
import { signedIn } from '#server/http/call.ts';
import { mount } from '#server/http/mount.ts';
import type { RouteHost } from '#server/http/mount.ts';
import type { RefusalWatch } from '#server/tokens/refusal-watch.ts';
import { newestCall } from './newest-call.ts';

export function mountFirstCall(host: RouteHost, { refusals }: { refusals: RefusalWatch }): void {
  mount(host, firstCallApi.state, async (call) => {
    const { context, facts } = call;
    const { user } = signedIn(call);
    const isAdmin = user.role >= Role.admin;
    const refusal = await refusals.open(user.id, isAdmin ? facts.ip : '');
    return { time: Math.floor(context.now() / 1000), call: await newestCall(context, { userId: user.id, isAdmin }), refusal };
  });
}
