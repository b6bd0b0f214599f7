import { AppError } from '#shared/errors.ts';
import type { RedirectProvider } from '#shared/oauth.ts';
import { isProviderOn } from '#server/accounts/identities.ts';
import type { AppContext } from '#server/context.ts';
import type { Caller, RequestFacts } from '#server/http/call.ts';
import { atBasePath, siteAddress, siteAddressOrLocal } from '#server/settings/site-address.ts';
import { beginAttempt } from './attempt.ts';
import { github } from './providers/github.ts';
import { linuxdo } from './providers/linuxdo.ts';
import { oidc } from './providers/oidc.ts';
import { telegramUrl } from './providers/telegram.ts';

const codeProviders = { github, oidc, linuxdo } as const;
/** RFC 7636, 4.1: 43 to 128 characters. */
const verifierLength = 64;
const nonceLength = 43;

/** The address of a provider that this browser is to open, and the cookie that ties the answer to it. */
export async function startSignIn(
  context: AppContext,
  who: { facts: RequestFacts; caller: Caller | null },
  { provider, aff }: { provider: RedirectProvider; aff?: string | undefined },
): Promise<{ url: string; cookie: string }> {
  const redirectUri = callbackAddress(context, who.facts, provider);
  if (provider === 'telegram') {
    if (!isProviderOn(context, provider)) throw new AppError('telegram_disabled');
    const { state, cookie } = await beginAttempt(context, who, aff, { provider });
    return { url: telegramUrl(context, `${redirectUri}?state=${state}`).href, cookie };
  }
  const { hasPkce, disabled, authorizationUrl } = codeProviders[provider];
  if (!isProviderOn(context, provider)) throw new AppError(disabled);
  const { state, attempt, cookie } = await beginAttempt(context, who, aff, {
    provider,
    redirect_uri: redirectUri,
    code_verifier: hasPkce ? context.randomText(verifierLength) : '',
    nonce: provider === 'oidc' ? context.randomText(nonceLength) : '',
  });
  return { url: (await authorizationUrl(context, { state, attempt })).href, cookie };
}

/**
 * Returns the console's page that a provider sends browsers back to: at the address of this installation or, if none is set, at the origin of the
 * request.
 */
export function callbackAddress({ settings, env }: AppContext, { headers }: RequestFacts, provider: RedirectProvider): string {
  const origin = headers.get('origin') ?? '';
  const requested = /^https?:\/\//.test(origin) && URL.canParse(origin) ? new URL(origin).origin : undefined;
  const site =
    siteAddress(settings) ?? (requested === undefined ? undefined : atBasePath(settings, requested)) ?? siteAddressOrLocal(settings, env);
  return `${site}/oauth/${provider}`;
}
