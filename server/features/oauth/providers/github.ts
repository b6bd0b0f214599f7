// https://docs.github.com/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps
import * as oauth from 'oauth4webapi';
import { z } from 'zod';
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import { callApi, authorizationUrl, clientOf, exchangeCode, isAnswered } from '../protocol.ts';
import type { CodeProvider } from '../provider.ts';

const User = z.object({ id: z.int().positive(), login: z.string().min(1), name: z.string().nullish() });
const Emails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

export const github: CodeProvider = {
  name: 'github',
  disabled: 'github_disabled',
  codeMissing: 'invalid_parameter',
  hasPkce: true,
  authorizationUrl: async (context, { state, attempt }) =>
    authorizationUrl(`${context.env.GITHUB_URL}/login/oauth/authorize`, {
      state,
      attempt,
      clientId: context.settings.get('GitHubClientId'),
      scope: 'user:email',
    }),
  async identify(context, { code }, attempt) {
    try {
      const accessToken = await tokenOf(context, code, attempt);
      const user = await callApi(`${context.env.GITHUB_API_URL}/user`, accessToken, User);
      const email = await verifiedEmail(context, accessToken);
      // Login names change hands; numbers do not.
      const identity = { provider: 'github', subject: String(user.id), shown: user.login } as const;
      return { ...identity, username: user.login, displayName: user.name ?? '', email };
    } catch (failure) {
      const isEmpty = isAnswered(failure) || failure instanceof z.ZodError;
      throw new AppError(isEmpty ? 'github_user_empty' : 'github_unreachable', {}, { cause: failure });
    }
  },
};

async function tokenOf(
  context: AppContext,
  code: string,
  { redirect_uri: redirectUri, code_verifier: codeVerifier }: { redirect_uri: string; code_verifier: string },
): Promise<string> {
  const server = { issuer: context.env.GITHUB_URL, token_endpoint: `${context.env.GITHUB_URL}/login/oauth/access_token` };
  const client = clientOf(context, context.settings.get('GitHubClientId'));
  const authentication = oauth.ClientSecretPost(context.settings.get('GitHubClientSecret'));
  const response = await exchangeCode({ server, client, authentication, code, redirectUri, codeVerifier });
  return (await oauth.processAuthorizationCodeResponse(server, client, response)).access_token;
}

/** Empty if GitHub does not report it: the sign-in still succeeds. */
async function verifiedEmail(context: AppContext, accessToken: string): Promise<string> {
  const emails = await callApi(`${context.env.GITHUB_API_URL}/user/emails`, accessToken, Emails).catch(() => []);
  return emails.find(({ primary, verified }) => primary && verified)?.email ?? '';
}
