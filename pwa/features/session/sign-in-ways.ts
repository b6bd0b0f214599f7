// Ways to sign in besides a password, by the site's status.
import { oauthApi, type RedirectProvider } from '#shared/oauth.ts';
import type { SiteStatus } from '#shared/site.ts';
import { call } from '#pwa/api/call.ts';
import { storedInviteCode } from './invite-code.ts';
import { forgetWayBack, storeWayBack } from '#pwa/api/way-back.ts';

export type Way = RedirectProvider | 'wechat';

/** Those that are on, in their order. */
export function waysOf(status: SiteStatus | undefined): Way[] {
  if (status === undefined) return [];
  const isOn: Record<Way, boolean> = {
    github: status.github_oauth,
    oidc: status.oidc_enabled,
    linuxdo: status.linuxdo_oauth,
    wechat: status.wechat_login,
    telegram: status.telegram_oauth,
  };
  const order: readonly Way[] = ['github', 'oidc', 'linuxdo', 'wechat', 'telegram'];
  return order.filter((way) => isOn[way]);
}

/** Leaves for the provider, which sends the browser back to `/oauth/…`. `from`: where to go after that. */
export async function leaveFor(provider: RedirectProvider, from: string | undefined): Promise<void> {
  const aff = storedInviteCode();
  const { url } = await call(oauthApi.start, { body: { provider, ...(aff === undefined ? {} : { aff }) } });
  if (from === undefined) forgetWayBack();
  else storeWayBack(from);
  location.assign(url);
}
