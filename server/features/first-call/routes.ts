import { firstCallApi, type GuidedRefusal } from '#shared/first-call.ts';
import { Role } from '#shared/roles.ts';
import type { AppContext } from '#server/context.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import { signedIn } from '#server/http/call.ts';
import { mount, type RouteHost } from '#server/http/mount.ts';
import type { RefusalWatch } from '#server/tokens/refusal-watch.ts';
import { newestCall } from './newest-call.ts';

export function mountFirstCall(host: RouteHost, { refusals }: { refusals: RefusalWatch }): void {
  mount(host, firstCallApi.state, async (call) => {
    const { context, facts, query } = call;
    const { user } = signedIn(call);
    const isAdmin = user.role >= Role.admin;
    const token = query.token === undefined ? undefined : await ownToken(context, user.id, query.token);
    const refusal = await refusals.open(user.id, isAdmin ? facts.ip : '');
    return {
      time: Math.floor(context.now() / 1000),
      call: token === null ? null : await newestCall(context, { userId: user.id, isAdmin, token }),
      refusal: refusal === null || token === undefined || isAbout(refusal, token) ? refusal : null,
    };
  });
}

function ownToken({ db }: Pick<AppContext, 'db'>, userId: number, id: number): Promise<TokenRecord | null> {
  return db.collection('tokens').first({ id, user_id: userId, DeletedAt: null });
}

/** An unknown key may be a mistyped one of that token. */
function isAbout({ token_name: name }: GuidedRefusal, token: TokenRecord | null): boolean {
  return name === null || name === token?.name;
}
