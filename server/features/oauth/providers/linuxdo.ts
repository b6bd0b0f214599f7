// https://connect.linux.do: OAuth 2.0 for members of the forum.
import * as oauth from 'oauth4webapi';
import { z } from 'zod';
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import type { Attempt } from '../attempt.ts';
import { callApi, authorizationUrl, clientOf, exchangeCode, isAnswered } from '../protocol.ts';
import type { CodeProvider } from '../provider.ts';

const User = z.object({
  id: z.int(),
  username: z.string().default(''),
  name: z.string().nullish(),
  active: z.boolean().default(false),
  trust_level: z.int().default(0),
  silenced: z.boolean().default(false),
});

const longestDetail = 200;

export const linuxdo: CodeProvider = {
  name: 'linuxdo',
  disabled: 'linuxdo_disabled',
  codeMissing: 'linuxdo_code_invalid',
  // Not known to be understood there.
  hasPkce: false,
  authorizationUrl: async (context, { state, attempt }) =>
    authorizationUrl(`${context.env.LINUXDO_URL}/oauth2/authorize`, {
      state,
      attempt,
      clientId: context.settings.get('LinuxDOClientId'),
    }),
  async identify(context, { code }, attempt) {
    const accessToken = await tokenOf(context, code, attempt);
    const user = await callApi(`${context.env.LINUXDO_URL}/api/user`, accessToken, User).catch((cause: unknown) => {
      throw new AppError(cause instanceof z.ZodError ? 'linuxdo_user_empty' : 'linuxdo_user_failed', {}, { cause });
    });
    if (user.id <= 0) throw new AppError('linuxdo_user_empty');
    if (!user.active || user.silenced) throw new AppError('linuxdo_inactive');
    const minimum = context.settings.get('LinuxDOMinimumTrustLevel');
    if (user.trust_level < minimum) throw new AppError('linuxdo_trust_too_low', { minimum, level: user.trust_level });
    const id = String(user.id);
    return { provider: 'linuxdo', subject: id, shown: id, username: user.username, displayName: user.name ?? '', email: '' };
  },
};

async function tokenOf(context: AppContext, code: string, attempt: Attempt): Promise<string> {
  const server = { issuer: context.env.LINUXDO_URL, token_endpoint: `${context.env.LINUXDO_URL}/oauth2/token` };
  const client = clientOf(context, context.settings.get('LinuxDOClientId'));
  const authentication = oauth.ClientSecretBasic(context.settings.get('LinuxDOClientSecret'));
  try {
    const { redirect_uri: redirectUri } = attempt;
    const response = await exchangeCode({ server, client, authentication, code, redirectUri, codeVerifier: '' });
    return (await oauth.processAuthorizationCodeResponse(server, client, response)).access_token;
  } catch (cause) {
    if (!isAnswered(cause)) throw new AppError('linuxdo_unreachable', {}, { cause });
    const detail = cause instanceof oauth.ResponseBodyError ? (cause.error_description ?? cause.error) : '';
    throw new AppError('linuxdo_token_failed', { detail: detail.slice(0, longestDetail) }, { cause });
  }
}
